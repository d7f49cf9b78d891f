import Quantities
import Schema
import Warehouse

/// What happens, and what is expected.
extension WarehouseKeys {
  private static let at = Section.Field.required("at", .quantity(.duration), "when")
  private static let name = Section.Field.required("name", .text, "who does it")
  private static let note = Section.Field.optional("note", .text, "why; nothing unless given")
  private static let number = Section.Field.required(
    "alarm", .integer(1...Int.max), "the number of the alarm")

  static let commands: [String: Section] = [
    "acknowledge": Section(
      "Takes an alarm on.",
      [
        at, number, name, note,
        .optional("for", .quantity(.duration), "for how long; until it is over unless given"),
      ]),
    "silence": Section(
      "Silences the limits of a zone.",
      [
        at, .required("zone", .text, "which"), name, note,
        .required("for", .quantity(.duration), "for how long"),
      ]),
    "end-silence": Section(
      "Ends the silence of a zone.", [at, .required("zone", .text, "which"), name]),
    "close": Section("Closes an alarm whose sensor is lost.", [at, number, name, note]),
  ]

  private static let during: [Section.Field] = [
    at, .required("tag", .text, "the name of the tag"),
    .optional("for", .quantity(.duration), "for how long; to the end unless given"),
  ]

  static let faults: [String: Section] = [
    "dead": Section("The tag has no power: it is not heard.", during),
    "off": Section(
      "The parts of the tag have no supply, which it does not notice: it tells zeros.", during),
    "silent": Section(
      "The parts of the tag have no supply, which it notices: its test fails, and it tells nothing.",
      during),
    "battery": Section(
      "The battery shows another charge.",
      during + [.required("percent", .integer(0...100), "which")]),
  ]

  static let expectations: [String: Section] = [
    "alarm": Section(
      "There was an alarm, and nobody but these was told of it.",
      [
        .required("tag", .text, "the name of its tag"),
        .required("cause", .word(AlarmCause.allCases.map(\.rawValue)), "what it was about"),
        .optional("level", .word(["warning", "alarm"]), "how grave it was; alarm unless given"),
        .required("raised", .quantity(.duration), "when it was raised"),
        .optional(
          "within", .quantity(.duration), "how exact the times are; one minute unless given"),
        .optional(
          "lasts", .quantity(.duration), "from the first reading beyond to the first behind"),
        .optional("told", .listOrNone(.text), "who was told, in order"),
        .optional("phase", .word(ZoneAlarm.Phase.allCases.map(\.rawValue)), "how it ended"),
      ]),
    "alarms": Section(
      "How many alarms there were.",
      [
        .required("count", .integer(0...1_000_000), "how many"),
        .optional(
          "cause", .word(AlarmCause.allCases.map(\.rawValue)),
          "of which cause; all of them unless given"),
      ]),
    "delivery": Section(
      "Every reading that the hub had written reached the receiver.",
      [.required("is", .word(["exactly-once", "lossy"]), "once each, or some were lost")]),
    "readings": Section(
      "How many readings the hub wrote.",
      [.required("least", .integer(0...Int.max), "at least")]),
    "held-back": Section(
      "How many breaches a silence held back.",
      [.required("count", .integer(0...1_000_000), "how many")]),
    "article": Section(
      "What the article's formula would have told.",
      [
        .required("false", .integer(0...1_000_000), "how many false alarms"),
        .required("missed", .integer(0...1_000_000), "how many missed ones"),
      ]),
    "article-hears": Section(
      "Which tags the article would have heard: the first, until its connection is lost.",
      [
        .required("tags", .integer(0...1_000_000), "how many"),
        .optional("until", .quantity(.duration), "when it would have heard one for the last time"),
        .optional("within", .quantity(.duration), "how exact that is; one minute unless given"),
      ]),
    "article-copies": Section(
      "How many bytes the article would have copied of a value.",
      [
        .required("bytes", .integer(1...512), "how many the value has"),
        .required("is", .integer(1...1024), "how many it copies"),
      ]),
    "shown": Section(
      "What the article shows where something else is true.",
      [
        .required("tag", .text, "the name of the tag"),
        .required("at", .quantity(.duration), "the last reading at or before that time"),
        .required("true", .quantity(.humidity), "what the hub reads"),
        .required("is", .quantity(.humidity), "what the article shows"),
      ]),
    "trips": Section(
      "At which humidity an alarm of the article's would come.",
      [
        .required("tag", .text, "the name of the tag"),
        .required("limit", .quantity(.humidity), "its limit, in what the article shows"),
        .required("true", .quantity(.humidity), "what is true when that is first exceeded"),
        .optional("within", .quantity(.humidityChange), "how exactly; 0.3% unless given"),
      ]),
    "storage": Section(
      "Whether the zone's rule of storage was kept at every tag of it.",
      [
        .required("zone", .text, "which"), .required("kept", .boolean, "whether"),
      ]),
    "kinetic-mean": Section(
      "The mean kinetic temperature of a place.",
      [
        .required("tag", .text, "the name of its tag"),
        .required("is", .quantity(.temperature), "what it is"),
        .optional(
          "within", .quantity(.temperatureDifference), "how exactly; 0.1C unless given"),
      ]),
    "monitor": Section(
      "Where the study of the run wants a monitor.",
      [
        .required("reason", .word(MappingStudy.Reason.allCases.map(\.rawValue)), "why"),
        .required("tag", .text, "the name of the tag there"),
      ]),
  ]
}
