import Files
import I2CTrace

extension Replay {
  /// What a user must know when the replay is over: differences and repairs; nothing if all was as then.
  package func report(_ name: String) -> [String] {
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
