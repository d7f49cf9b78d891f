import ArgumentParser
import Foundation
import Glibc
import HubRuns
import HubService
import Support
import WarehouseRuns

/// Displays the state of the warehouse in the terminal.
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show tags by zone, alarms first.",
    discussion: """
      EXAMPLES
        aneroid hub show
        aneroid hub show --follow

      The table has the width of the terminal, or 100 columns without one.
      """)

  @Flag(name: .shortAndLong, help: "Refresh every two seconds, until Ctrl-C.")
  var follow = false

  @OptionGroup var client: HubClient

  func run() async throws {
    let isTerminal = isatty(1) == 1
    let isColoured =
      isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
    repeat {
      let table = TerminalTable(
        hub: await client.ask("/v1/hub"), width: Self.width(isTerminal), isColoured: isColoured)
      // To avoid flicker, the cursor moves home, and each line and then the rest of the screen is
      // cleared after its new text.
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

/// Lists the open alarms.
struct AlarmsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alarms",
    abstract: "List the open alarms; the exit status is 1 if there are any.",
    discussion: """
      EXAMPLES
        aneroid hub alarms
        aneroid hub alarms --json
      """)

  @Flag(help: "Print JSON.")
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
          ? "no open alarms\n"
          : alarms.map { TerminalTable.line(of: $0) + "\n" }.joined())
    }
    if !alarms.isEmpty { throw ExitCode(1) }
  }
}

/// Runs virtual tags on the simulated radio medium of a Bluetooth stack, to which other programs
/// can connect.
struct TagsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tags", abstract: "Run virtual SensorTags for other programs.",
    discussion: """
      EXAMPLES
        aneroid hub tags
        bumble-scan tcp-client:127.0.0.1:6402
        bumble-gatt-dump tcp-client:127.0.0.1:6402 C4:BE:84:70:00:01
        aneroid hub tags rigs/warehouse.yaml --air unix-server:/tmp/air
        aneroid hub tags --kind cc2541 --radio usb:0

      The tags advertise until Ctrl-C. Another program acts as the host of a controller in \
      range: it connects with HCI to the transport named by --air, one program \
      per transport (give --air again for more). A hub reaches them with 'link: \
      {transport: "tcp-client:127.0.0.1:6402"}'. With --radio one tag uses a physical \
      controller instead, for phones.

      Without a rig there is one tag of each kind, in air of 21 °C and 50 %; with a rig, \
      its tags and its air are used. Needs Python's bumble.
      """)

  @Argument(
    help: "A rig that defines the tags and the air.", completion: .file(extensions: ["yaml"]))
  var rig: String?

  @Option(
    help: ArgumentHelp(
      "Bumble transport at which the air is reachable; default: tcp-server:127.0.0.1:6402.",
      valueName: "transport"))
  var air: [String] = []

  @Option(help: "Only a tag of this kind: cc2650 or cc2541.")
  var kind: String?

  @Option(
    help: ArgumentHelp(
      "Controller for one tag, such as usb:0 or hci-socket:0, instead of the air.",
      valueName: "transport"))
  var radio: String?

  func run() throws {
    var tags = try plans()
    if let kind { tags.removeAll { $0.kind != kind } }
    guard !tags.isEmpty else {
      throw ValidationError(
        "unknown kind of tag '\(kind ?? "")' (accepted: cc2650, cc2541)")
    }
    guard radio == nil || air.isEmpty else {
      throw ValidationError("--radio and --air exclude each other")
    }
    if radio != nil { tags.removeLast(tags.count - 1) }
    EndSign.listen()
    let places = radio != nil ? [] : air.isEmpty ? ["tcp-server:127.0.0.1:6402"] : air
    do throws(StackRunError) {
      let all = try VirtualTags(tags, at: places, radio: radio ?? "virtual")
      all.begin()
      for tag in tags { HubConsole.put("\(tag.address)  \(tag.kind)\n") }
      let place = radio ?? places.joined(separator: ", ")
      HubConsole.say("the tags are available at \(place) (Ctrl-C ends it)")
      try all.wait()
    } catch {
      HubConsole.fail(error.description, error.status)
    }
  }

  /// Returns the tags of the rig; without a rig, one tag of each kind.
  private func plans() throws -> [StackPlan.Tag] {
    guard let rig else { return StackPlan.Tag.examples }
    switch StackWarehouse.read(
      path: rig, seed: nil, format: .text, write: { _ in }, complain: HubConsole.say)
    {
    case .failed(let status): throw ExitCode(status)
    case .air(let warehouse): return warehouse.plan.tags
    case .stack(let warehouse): return warehouse.plan.tags
    }
  }
}

/// Exports the alarm log.
struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Export the history of all alarms, open and closed.",
    discussion: """
      EXAMPLES
        aneroid hub log
        aneroid hub log --format csv > alarms.csv

      'jsonl' has one event per line: breaches, alarms with the limit in force, \
      notifications, acknowledgements with their notes, and ends. 'csv' has one \
      alarm per row, for spreadsheets.
      """)

  /// The export formats.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case jsonl, csv
  }

  @Option(help: "Output format: jsonl or csv.")
  var format = Format.jsonl

  @OptionGroup var client: HubClient

  func run() async throws {
    let output = HubOutput()
    output.put(await client.text(format == .csv ? "/v1/alarms.csv" : "/v1/log.jsonl"))
    output.flush()
  }
}

/// Exports recorded readings, or their means.
struct ReadingsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "readings", abstract: "Export recorded readings, or their means.",
    discussion: """
      EXAMPLES
        aneroid hub readings --tag door > door.csv
        aneroid hub readings --zone 'cold room' --from 2026-01-01 --to 2026-02-01 --every 1h

      Without --every there is one reading per row, with its flags and the bytes as received. With it \
      there is one row per interval: the number of valid readings, and the mean, the lowest and the \
      highest value of each quantity.
      """)

  @Option(help: ArgumentHelp("Only this tag: its name or address.", valueName: "tag"))
  var tag: String?

  @Option(help: ArgumentHelp("Only the tags of this zone.", valueName: "name"))
  var zone: String?

  @Option(
    help: ArgumentHelp(
      "Start, in UTC unless it has a zone; default: a day before the end.", valueName: "time"))
  var from: String?

  @Option(help: ArgumentHelp("End, which is not included; default: now.", valueName: "time"))
  var to: String?

  @Option(
    help: ArgumentHelp("Length of an interval, such as 15min or 1h.", valueName: "duration"))
  var every: String?

  @OptionGroup var client: HubClient

  /// The number of readings in a request.
  private static let page = 10_000

  func run() async throws {
    var query: [String] = []
    func add(_ name: String, _ value: String) {
      let allowed = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
      query.append("\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")")
    }
    if let tag { add("tag", tag) }
    if let zone { add("zone", zone) }
    // Without an end, the pages of readings that arrive meanwhile would not end.
    add(
      "to",
      try to.map(Self.time)
        ?? UTCTime.stamp(Int64(Date().timeIntervalSince1970) * 1_000_000_000, decimals: 3))
    if let from { add("from", try Self.time(from)) }
    let output = HubOutput()
    if let every {
      add("every_s", "\(try Self.seconds(every))")
      output.put(await client.text("/v1/history.csv?" + query.joined(separator: "&")))
      return output.flush()
    }
    var after = 0
    while true {
      let words = query + ["limit=\(Self.page)", "after=\(after)"]
      let text = await client.text("/v1/history.csv?" + words.joined(separator: "&"))
      let rows = text.split(separator: "\r\n")
      output.put(rows.dropFirst(after == 0 ? 0 : 1).map { $0 + "\r\n" }.joined())
      guard rows.count > Self.page, let last = rows.last?.prefix(while: { $0 != "," }),
        let number = Int(last)
      else { break }
      after = number
    }
    output.flush()
  }

  private static func time(_ text: String) throws -> String {
    UTCTime.stamp(try HubTime.parse(text), decimals: 3)
  }

  private static func seconds(_ text: String) throws -> Int {
    let units = ["s": 1, "min": 60, "h": 3600, "d": 86_400]
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int(digits), let unit = units[String(text.dropFirst(digits.count))],
      number > 0,
      number < 100_000_000
    else {
      throw ValidationError(
        "--every must be a duration such as 15min or 1h, not '\(text.clipped)'.")
    }
    return number * unit
  }
}

/// Times in the options of commands.
enum HubTime {
  /// Returns a time in nanoseconds since 1970; a date is its first moment.
  ///
  /// - Throws: `ValidationError` for another text.
  static func parse(_ text: String) throws -> Int64 {
    guard let time = UTCTime.parseLoosely(text.utf8.count == 10 ? text + " 00:00" : text) else {
      throw ValidationError(
        "'\(text.clipped)' is not a time such as 2026-01-31 or 2026-01-31T18:00:00Z.")
    }
    return time
  }
}
