import ArgumentParser
import Warehouse

/// The options that name the person who sends a command, and the reason.
struct PersonOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Your name.", valueName: "name"))
  var by: String

  @Option(help: ArgumentHelp("The reason.", valueName: "text"))
  var note = ""

  func validate() throws {
    let blanks = by.allSatisfy(\.isWhitespace)
    if blanks { throw ValidationError("--by must give your name.") }
    let (name, text) = (HubCommand.longestName, HubCommand.longestNote)
    if by.utf8.count > name { throw ValidationError("--by must have at most \(name) bytes.") }
    if note.utf8.count > text { throw ValidationError("--note must have at most \(text) bytes.") }
  }

  /// The maximum duration in minutes that a hub accepts by default.
  private static let longest = 480.0

  /// Checks a duration in minutes before it is sent to the hub.
  static func check(_ minutes: Double?) throws {
    guard let minutes else { return }
    guard minutes > 0, minutes <= longest else {
      throw ValidationError("--minutes must be greater than 0 and at most 480 (8 hours).")
    }
  }
}

/// Acknowledges an alarm.
struct AcknowledgeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ack", abstract: "Acknowledge an alarm and stop its escalation.",
    discussion: """
      EXAMPLES
        aneroid hub ack 1 --by Ana --note 'the door is being mended' --minutes 60
        aneroid hub ack 3 4 --by Ana --minutes 30

      With --minutes the acknowledgement expires: if the breach continues then, the people \
      on call are notified again. The maximum is 8 hours. Without, no person is notified \
      of this alarm again before its value has returned to normal, however bad it becomes.
      """)

  @Argument(help: ArgumentHelp("Numbers of the alarms.", valueName: "alarm"))
  var alarms: [UInt64]

  @OptionGroup var person: PersonOptions

  @Option(
    parsing: .unconditional,
    help: "Time after which the acknowledgement expires if the breach continues.")
  var minutes: Double?

  @OptionGroup var client: HubClient

  func validate() throws { try PersonOptions.check(minutes) }

  func run() async throws {
    for alarm in alarms {
      var command: [String: Any] = [
        "command": "acknowledge", "alarm": alarm, "name": person.by, "note": person.note,
      ]
      if let minutes { command["for_s"] = minutes * 60 }
      await client.command(command)
    }
  }
}

/// Silences a zone, or ends its silence.
struct SilenceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "silence",
    abstract: "Silence a zone for a time, for example while its door is open for a delivery.",
    discussion: """
      EXAMPLES
        aneroid hub silence 'cold room' --by Ana --minutes 30 --note delivery
        aneroid hub silence 'cold room' --by Ana --end

      Breaches are logged meanwhile, and become alarms at the first reading after the end. \
      Alarms for lost tags, faults and low batteries are raised as usual. The maximum is 8 hours.
      """)

  @Argument(help: "Name of the zone.")
  var zone: String

  @OptionGroup var person: PersonOptions

  @Option(parsing: .unconditional, help: "Duration of the silence.")
  var minutes: Double?

  @Flag(help: "End the silence now.")
  var end = false

  @OptionGroup var client: HubClient

  func validate() throws {
    guard end == (minutes == nil) else { throw ValidationError("Give either --minutes or --end.") }
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

/// Closes an alarm whose sensor is lost.
struct CloseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Close an alarm whose sensor is lost.",
    discussion: """
      EXAMPLES
        aneroid hub close 2 --by Rui --note 'tag crushed by a fork lift'

      An alarm whose sensor still reports cannot be closed by hand: acknowledge it, and it \
      closes when the value returns to normal.
      """)

  @Argument(help: "Number of the alarm.")
  var alarm: UInt64

  @OptionGroup var person: PersonOptions
  @OptionGroup var client: HubClient

  func run() async throws {
    await client.command([
      "command": "close", "alarm": alarm, "name": person.by, "note": person.note,
    ])
  }
}
