import ArgumentParser
import Warehouse

/// Who asks, and why.
struct PersonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Who you are.", valueName: "name"))
  var by: String

  @Option(help: ArgumentHelp("Why.", valueName: "text"))
  var note = ""

  func validate() throws {
    let blanks = by.allSatisfy(\.isWhitespace)
    if blanks { throw ValidationError("--by says who you are.") }
    let (name, text) = (HubCommand.longestName, HubCommand.longestNote)
    if by.utf8.count > name { throw ValidationError("--by is longer than \(name) bytes.") }
    if note.utf8.count > text { throw ValidationError("--note is longer than \(text) bytes.") }
  }

  /// The longest time that a hub takes, in minutes.
  private static let longest = 480.0

  /// Checks a time in minutes, before the hub is asked.
  static func check(_ minutes: Double?) throws {
    guard let minutes else { return }
    guard minutes > 0, minutes <= longest else {
      throw ValidationError("--minutes is above 0, and at most 480, which are 8 hours.")
    }
  }
}

/// Acknowledges an alarm.
struct AcknowledgeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ack", abstract: "Acknowledge an alarm: nobody else is told any more.",
    discussion: """
      EXAMPLES
        aneroid hub ack 1 --by Ana --note 'the door is being mended' --minutes 60

      With --minutes it expires: if the alarm still lasts then, those on duty are \
      told again. It holds for 8 hours at most.
      """)

  @Argument(help: "The alarm's number.")
  var alarm: UInt64

  @OptionGroup var person: PersonOptions

  @Option(
    parsing: .unconditional,
    help: "After which it counts as not acknowledged again, if it still lasts.")
  var minutes: Double?

  @OptionGroup var client: HubClient

  func validate() throws { try PersonOptions.check(minutes) }

  func run() async throws {
    var command: [String: Any] = [
      "command": "acknowledge", "alarm": alarm, "name": person.by, "note": person.note,
    ]
    if let minutes { command["for_s"] = minutes * 60 }
    await client.command(command)
  }
}

/// Silences a zone, or ends its silence.
struct SilenceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "silence",
    abstract: "Silence a zone for a time, such as while its door is purposely open.",
    discussion: """
      EXAMPLES
        aneroid hub silence 'cold room' --by Ana --minutes 30 --note delivery
        aneroid hub silence 'cold room' --by Ana --end

      Breaches are logged meanwhile, and become alarms at the first reading after it. \
      Lost tags, faults and low batteries are told as ever. 8 hours at most.
      """)

  @Argument(help: "The zone's name.")
  var zone: String

  @OptionGroup var person: PersonOptions

  @Option(parsing: .unconditional, help: "For how long.")
  var minutes: Double?

  @Flag(help: "End its silence now.")
  var end = false

  @OptionGroup var client: HubClient

  func validate() throws {
    guard end == (minutes == nil) else { throw ValidationError("--minutes or --end, one of them.") }
    try PersonOptions.check(minutes)
  }

  func run() async throws {
    var command: [String: Any] = ["zone": zone, "name": person.by]
    if let minutes {
      command["command"] = "silence"
      command["note"] = person.note
      command["for_s"] = minutes * 60
    } else {
      command["command"] = "end-silence"
    }
    await client.command(command)
  }
}

/// Closes a breach whose sensor is lost.
struct CloseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Close an alarm whose sensor is lost.",
    discussion: """
      EXAMPLES
        aneroid hub close 2 --by Rui --note 'tag crushed by a fork lift'

      An alarm whose sensor is heard is not closed by hand: it is acknowledged, and \
      ends when the air is well again.
      """)

  @Argument(help: "The alarm's number.")
  var alarm: UInt64

  @OptionGroup var person: PersonOptions
  @OptionGroup var client: HubClient

  func run() async throws {
    await client.command([
      "command": "close", "alarm": alarm, "name": person.by, "note": person.note,
    ])
  }
}
