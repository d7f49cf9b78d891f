import TraceTools

extension Rig {
  /// What nobody writes down, because it is always expected: recorded buses are read as they were then.
  package var replayExpectations: [Expectation] {
    buses.compactMap { bus in
      guard case .trace(_, let options) = bus.source, options.mode != .model else { return nil }
      return Expectation(
        condition: .replayed(bus: bus.number),
        title: "bus \(bus.number) is used as its trace says (\(options.mode.rawValue))",
        line: bus.line)
    }
  }
}
