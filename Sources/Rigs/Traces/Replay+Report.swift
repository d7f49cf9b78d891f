import I2CTrace

extension Replay {
  /// Opens a replay of one bus of a trace: the one with a number, else the only one.
  ///
  /// - Throws: ``BenchFailure`` when the trace or the bus is not there.
  static func opened(
    _ file: String, number: Int?, strictness: Strictness
  ) throws(BenchFailure) -> Replay {
    let input = try TraceInput(file)
    let buses = input.header.buses
    let list = buses.map { "\($0.number)" }.joined(separator: ", ")
    guard let bus = buses.first(where: { $0.number == number ?? buses[0].number }),
      number != nil || buses.count == 1
    else {
      throw BenchFailure(
        .unavailable, "\(file): which bus? there are \(list); say trace:\(file)#\(buses[0].number)")
    }
    return Replay(input.reader, bus: bus, strictness: strictness)
  }

  /// What a user must know when the replay is over: differences and repairs; nothing if all was as then.
  func report(_ name: String) -> [String] {
    finish()
    if let failure { return [TraceInput.failure(failure, name).description] }
    var lines: [String] = []
    if let difference {
      lines.append("\(name):\(difference.line): the replay differs from the trace here")
      lines.append("  recorded: \(difference.recorded.map { "\($0)" } ?? "the end")")
      lines.append("  asked:    \(difference.asked.map { "\($0)" } ?? "the end")")
    }
    if !repairs.isNone {
      lines.append(
        "\(name): bridged: \(repairs.skipped) recorded transfers passed over, "
          + "\(repairs.repeated) answers given again")
    }
    return lines
  }
}
