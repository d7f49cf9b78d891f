import ArgumentParser
import Foundation
import Glibc
import HubService

/// Shows the warehouse in the terminal.
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show tags by zone, alarms first.",
    discussion: """
      EXAMPLES
        aneroid hub show
        aneroid hub show --follow

      The table is as wide as the terminal, and 100 characters where there is none.
      """)

  @Flag(name: .shortAndLong, help: "Show it anew every two seconds, until Ctrl-C.")
  var follow = false

  @OptionGroup var client: HubClient

  func run() async throws {
    let isTerminal = isatty(1) == 1
    let isColoured =
      isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    repeat {
      let table = TerminalTable(
        hub: await client.ask("/v1/hub"), width: Self.width(isTerminal), isColoured: isColoured)
      // Home, each line cleared behind its end, and what is below: no flicker.
      if follow && isTerminal {
        let lines = table.text.split(separator: "\n", omittingEmptySubsequences: false)
        HubConsole.put("\u{1b}[H" + lines.joined(separator: "\u{1b}[K\n") + "\u{1b}[J")
      } else {
        HubConsole.put(table.text)
      }
      if follow { try await Task.sleep(for: .seconds(2)) }
    } while follow
  }

  private static func width(_ isTerminal: Bool) -> Int {
    var size = winsize()
    guard isTerminal, ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
    return Int(size.ws_col)
  }
}

/// Lists the alarms that are open.
struct AlarmsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alarms",
    abstract: "List the alarms that are open; exit status 1 if there is one.",
    discussion: """
      EXAMPLES
        aneroid hub alarms
        aneroid hub alarms --json
      """)

  @Flag(help: "As JSON.")
  var json = false

  @OptionGroup var client: HubClient

  func run() async throws {
    let answer = await client.ask("/v1/alarms")
    let alarms = answer["alarms"] as? [[String: Any]] ?? []
    if json {
      let data = try JSONSerialization.data(
        withJSONObject: alarms, options: [.sortedKeys, .withoutEscapingSlashes])
      HubConsole.put(String(decoding: data, as: UTF8.self) + "\n")
    } else {
      HubConsole.put(
        alarms.isEmpty
          ? "no alarm is open\n"
          : alarms.map { TerminalTable.line(of: $0) + "\n" }.joined())
    }
    if !alarms.isEmpty { throw ExitCode(1) }
  }
}
