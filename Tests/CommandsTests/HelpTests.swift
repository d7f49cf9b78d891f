import Foundation
import TestSupport
import Testing

/// The help of each command on a terminal of 80 columns.
struct HelpTests {
  static let commands = [
    "", "new", "run", "read", "exec", "trace", "trace show", "trace diff", "trace check",
    "trace import", "trace export", "diagnose", "audit", "firmware", "watch", "recording",
    "recording show",
    "recording export", "recording verify", "ask", "history show", "history add", "history export",
    "history repair", "drill", "campaign run", "campaign hunt", "compensate", "score", "explain",
    "rig", "rig check",
    "rig list",
    "rig show", "rig reference", "rig schema", "calibration", "doctor",
  ]

  static func help(_ command: String) throws -> [Substring] {
    let words = command.split(separator: " ").map(String.init)
    let result = try CommandLineTool.run(CommandLineTool.path, words + ["--help"])
    #expect(result.status == 0 && result.errors.isEmpty)
    return result.output.split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test(
    "help text is wrapped once, so only the last line of a paragraph is short", arguments: commands)
  func wrapped(_ command: String) throws {
    let lines = try Self.help(command)
    for (line, next) in zip(lines, lines.dropFirst()) {
      guard let first = line.first, first.isLetter, let word = next.split(separator: " ").first,
        next.first?.isWhitespace == false, line.contains(" ")
      else { continue }
      #expect(line.count + 1 + word.count >= 80, "\(line)\n\(next)")
    }
  }

  @Test("an example is on one line, so that it can be copied", arguments: commands)
  func examples(_ command: String) throws {
    let lines = try Self.help(command)
    guard let start = lines.firstIndex(of: "EXAMPLES") else { return }
    for line in lines[(start + 1)...].prefix(while: { !$0.isEmpty }) {
      #expect(line.hasPrefix("  "), "\(line)")
    }
  }

  @Test(
    "the help for an option names the kind of its value instead of repeating the option",
    arguments: commands)
  func values(_ command: String) throws {
    for line in try Self.help(command) {
      guard let match = line.firstMatch(of: /--([a-z-]+) <([^>]+)>/) else { continue }
      let own = [
        "rig", "bus", "address", "format", "clock", "board", "variant", "units", "unit", "chip",
        "from", "to", "as", "fault", "number",
      ]
      #expect(match.output.1 != match.output.2 || own.contains(String(match.output.1)), "\(line)")
    }
  }
}
