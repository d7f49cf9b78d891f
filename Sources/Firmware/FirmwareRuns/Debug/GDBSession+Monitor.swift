import Machines
import Text

/// What a user says to us by GDB's `monitor`.
extension GDBSession {
  /// The commands, with what they do.
  private static let commands = [
    ("reset", "begin anew, as by the reset pin; the program stands at its first instruction"),
    ("halt", "the program is stopped already: says where"),
    ("time", "the time of the program, which stands while it is stopped"),
    ("transfers", "the last transfers on its buses"),
    ("energy", "what took how much charge until now"),
    ("help", "this"),
  ]

  /// The answer to a command, as the digits of its text.
  func command(_ text: Substring) -> String {
    guard let bytes = decoded(text) else { return "E01" }
    let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    return hexadecimal(Array((answer(to: words).joined(separator: "\n") + "\n").utf8))
  }

  private func answer(to words: [Substring]) -> [String] {
    let now = machine.clock.nanoseconds
    switch words.first {
    case "reset":
      restart()
      return ["reset; the program stands at \(run.standstill.here)"]
    case "halt": return ["the program stands at \(run.standstill.here)"]
    case "time": return ["\(Decimal.fixed(Double(now) / 1e9, 6)) s"]
    case "transfers": return run.standstill.lastTransfers
    case "energy":
      return EnergyText.lines(
        run.consumption(at: now), seconds: Double(now &- run.bench.lead) / 1e9)
    case nil, "help":
      return Self.commands.map { "monitor \($0.0): \($0.1)" }
    case .some(let word):
      let names = Self.commands.map(\.0).joined(separator: ", ")
      return ["there is no monitor command '\(String(word).visible)': there are \(names)"]
    }
  }

  /// Lets the part begin anew.
  func restart() {
    machine.reset(.pin)
    lastStop = "S05"
  }
}
