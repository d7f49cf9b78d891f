extension Rig {
  /// Sets the frequency of every bus that has devices; replayed and real buses keep theirs.
  ///
  /// - Parameter frequency: in Hz.
  package mutating func setFrequency(_ frequency: UInt64) {
    for index in buses.indices where buses[index].source == .devices {
      buses[index].adapter.frequency = frequency
    }
  }
}
