import Quantities
package import Schema
import Warehouse

/// The schema of warehouse rigs.
package enum WarehouseKeys {
  /// The schema of the whole file.
  package static let rig = Section(
    "A warehouse with its tags, hub and broker, and the expected results.",
    [
      .required("name", .text, "short name for reports"),
      .optional("seed", .integer(0...Int.max), "seed of all random choices; default: 0"),
      .optional("start", .moment, "start of the run; default: 2026-01-01T00:00:00Z"),
      .required("duration", .quantity(.duration), "duration of the run"),
      .required("warehouse", .section(warehouse), "the warehouse"),
      .required(
        "expect", .list(.variants(discriminator: "that", expectations)),
        "expected results of the run"),
    ])

  private static let warehouse = Section(
    "A warehouse.",
    [
      .optional("hub", .text, "name of the hub; default: hub"),
      .required("zones", .list(.section(zone)), "zones, each with its limits and air"),
      .optional("tags", .list(.section(tag)), "individual tags"),
      .optional("fleets", .list(.section(fleet)), "groups of similar tags"),
      .required(
        "duty", .section(PolicyKeys.onCall.section),
        "people to notify of alarms, in order of escalation"),
      .optional("link", .section(link), "radio of the hub; default: holds connections to all tags"),
      .optional("broker", .section(broker), "broker of the hub; default: always reachable"),
      .optional(
        "commands", .list(.variants(discriminator: "do", commands)),
        "commands of people during the run"),
      .optional(
        "faults", .list(.variants(discriminator: "kind", faults)), "faults of tags to inject"),
      .optional("kills", .section(kills), "programs to kill at random times; default: none"),
    ])

  private static let zone = Section(
    "A part of the warehouse with common limits and air.",
    PolicyKeys.zone + [
      .optional("air", .list(.section(point)), "its air over time; default: 21 C and 50 %"),
      .optional("log", .section(log), "its air from a table, instead of 'air'"),
    ])

  private static let point = Section(
    "The air at a time; values between two points are interpolated linearly.",
    [
      .required("at", .quantity(.duration), "time since the start; 0s for the first point"),
      .optional(
        "temperature", .quantity(.temperature), "temperature; default: that of the previous point"),
      .optional(
        "humidity", .quantity(.humidity), "relative humidity; default: that of the previous point"),
    ])

  private static let log = Section(
    "Air from a table (CSV with a header row).",
    [
      .required("file", .path, "path of the table"),
      .required(
        "time", .text,
        "column of times: dates (2013-01-01T06:00:00Z; default time zone: UTC), Unix seconds, or seconds from the start of the table"
      ),
      .optional(
        "missing", .either([.text, .word([""])]),
        "text that marks a missing value; \"\" for an empty cell"),
      .optional(
        "gaps", .quantity(.duration),
        "longest gap to interpolate; default: none"),
      .required("temperature", .section(column(.temperature)), "column of temperatures"),
      .required("humidity", .section(column(.humidity)), "column of relative humidities"),
    ])

  private static func column(_ quantity: QuantityKind) -> Section {
    Section(
      "A column.",
      [
        .required("name", .text, "name of the column in the header"),
        .required("unit", .word(quantity.symbols), "unit of the values"),
      ])
  }

  private static let tagKeys: [Section.Field] = [
    PolicyKeys.zoneOfTag,
    .optional(
      "kind", .word(TagCatalogue.all.map(\.name)), "kind of tag; default: the first of the list"),
    .optional(
      "period", .quantity(.duration), "time between two notifications; default: 60s"),
    .optional(
      "expected", .quantity(.duration),
      "maximum time between two readings that the hub accepts; default: the period"),
    .optional("battery", .integer(0...100), "battery level in percent; default: 100"),
    .optional("at", position, "position; default: [0m, 0m]"),
  ]

  private static let tag = Section(
    "A tag.",
    [
      .required("name", .text, "display name"),
      .optional(
        "address", .text,
        "Bluetooth address, A4:DA:32:00:00:01; default: derived from its index in the rig"),
      .optional(
        "warmer", .quantity(.temperatureChange), "temperature difference to its zone; default: 0C"),
      .optional(
        "wetter", .quantity(.humidityChange), "humidity difference to its zone; default: 0%"),
    ] + tagKeys)

  private static let fleet = Section(
    "A group of similar tags.",
    [
      .required("name", .text, "prefix of their names, followed by a number from 1"),
      .required("count", .integer(1...100_000), "number of tags"),
    ] + tagKeys)

  private static let link = Section(
    "The radio of the hub.",
    [
      .optional(
        "over", .word(["air", "bumble"]),
        "air for a simulation in this process and in virtual time, or bumble for a Bluetooth stack in real time; default: air"
      ),
      .optional(
        "connections", .integer(1...100_000),
        "number of simultaneous connections; default: all tags"),
      .optional(
        "connecting", .quantity(.duration), "time to establish a connection; default: 170ms"),
      .optional(
        "stay", .quantity(.duration),
        "time for which a tag stays connected if tags share connections; default: twice the longest period"
      ),
      .optional("at", position, "position; default: [0m, 0m]"),
      .optional(
        "range", .quantity(.altitude),
        "radio range, with increasing packet loss near its end; default: 145m"),
      .optional(
        "loss", .number(0...0.9), "share of packets lost at any distance; default: 0"),
      .optional(
        "fading", .number(0...20),
        "standard deviation of the signal strength between packets in dB; default: 0"),
    ] + PolicyKeys.listening.fields)

  /// The schema of a position, a list of distances: along the hall, across the hall, and optionally
  /// above its floor.
  private static let position = Shape.list(.quantity(.altitude))

  private static let broker = Section(
    "A broker and the receiver that subscribes to it.",
    [
      .optional(
        "confirm", .word(["broker", "receiver"]),
        "party that confirms delivery of a record; default: receiver"),
      .optional("away", .list(.section(away)), "times at which the broker is unreachable"),
    ])

  private static let away = Section(
    "A period of time.",
    [
      .required("at", .quantity(.duration), "start, as time since the start of the run"),
      .required("for", .quantity(.duration), "duration"),
    ])

  private static let kills = Section(
    "Programs that are killed at random times and restarted.",
    [
      .required("count", .integer(1...100_000), "number of kills"),
      .optional(
        "of", .list(.word(["hub", "bridge", "broker"])), "programs to kill; default: all three"),
    ])
}

/// The schemas of commands, faults and expectations.
extension WarehouseKeys {
  private static let at = Section.Field.required("at", .quantity(.duration), "time since the start")
  private static let name = Section.Field.required("name", .text, "person who sends the command")
  private static let note = Section.Field.optional("note", .text, "reason; default: none")
  private static let number = Section.Field.required(
    "alarm", .integer(1...Int.max), "number of the alarm")

  static let commands: [String: Section] = [
    "acknowledge": Section(
      "Acknowledges an alarm.",
      [
        at, number, name, note,
        .optional(
          "for", .quantity(.duration), "duration; default: until the alarm returns to normal"),
      ]),
    "silence": Section(
      "Silences the limits of a zone.",
      [
        at, .required("zone", .text, "name of the zone"), name, note,
        .required("for", .quantity(.duration), "duration"),
      ]),
    "end-silence": Section(
      "Ends the silence of a zone.", [at, .required("zone", .text, "name of the zone"), name]),
    "close": Section("Closes an alarm whose sensor is lost.", [at, number, name, note]),
  ]

  private static let during: [Section.Field] = [
    at, .required("tag", .text, "name of the tag"),
    .optional("for", .quantity(.duration), "duration; default: until the end of the run"),
  ]

  static let faults: [String: Section] = [
    "dead": Section("The tag has no power and sends nothing.", during),
    "off": Section(
      "The sensors of the tag have no supply, and the firmware does not detect it: it notifies zeros.",
      during),
    "silent": Section(
      "The sensors of the tag have no supply, and the firmware detects it: the sensor test fails, and it does not notify.",
      during),
    "battery": Section(
      "The tag reports another battery level.",
      during + [.required("percent", .integer(0...100), "battery level in percent")]),
  ]

  static let expectations: [String: Section] = [
    "alarm": Section(
      "An alarm was raised, and exactly the listed people were notified.",
      [
        .required("tag", .text, "name of the tag"),
        .required("cause", .word(AlarmCause.allCases.map(\.rawValue)), "cause of the alarm"),
        .optional("level", .word(["warning", "alarm"]), "severity; default: alarm"),
        .required("raised", .quantity(.duration), "time at which it was raised"),
        .optional(
          "within", .quantity(.duration), "tolerance of the times; default: 1min"),
        .optional(
          "lasts", .quantity(.duration),
          "time from the first reading beyond the limit to the return to normal"),
        .optional("told", .listOrNone(.text), "people notified, in order"),
        .optional(
          "phase", .word(ZoneAlarm.Phase.allCases.map(\.rawValue)), "phase at the end of the run"),
      ]),
    "alarms": Section(
      "The number of alarms.",
      [
        .required("count", .integer(0...1_000_000), "number of alarms"),
        .optional(
          "cause", .word(AlarmCause.allCases.map(\.rawValue)),
          "cause of the alarms to count; default: all"),
      ]),
    "delivery": Section(
      "The delivery of all written readings to the receiver.",
      [.required("is", .word(["exactly-once", "lossy"]), "each exactly once, or with losses")]),
    "readings": Section(
      "The number of readings written by the hub.",
      [.required("least", .integer(0...Int.max), "minimum number")]),
    "held-back": Section(
      "The number of breaches held back by a silence.",
      [.required("count", .integer(0...1_000_000), "number of breaches")]),
    "article": Section(
      "The alarms that the article's formula would have raised.",
      [
        .required("false", .integer(0...1_000_000), "number of false alarms"),
        .required("missed", .integer(0...1_000_000), "number of missed alarms"),
      ]),
    "article-hears": Section(
      "The tags that the article's code would have received: the first, until its connection is lost.",
      [
        .required("tags", .integer(0...1_000_000), "number of tags"),
        .optional("until", .quantity(.duration), "time of the last reading"),
        .optional("within", .quantity(.duration), "tolerance of the time; default: 1min"),
      ]),
    "article-copies": Section(
      "The number of bytes that the article's code would have copied of a value.",
      [
        .required("bytes", .integer(1...512), "length of the value in bytes"),
        .required("is", .integer(1...1024), "number of bytes copied"),
      ]),
    "shown": Section(
      "The humidity that the article's code shows for a true one.",
      [
        .required("tag", .text, "name of the tag"),
        .required("at", .quantity(.duration), "time; the last reading at or before it counts"),
        .required("true", .quantity(.humidity), "humidity as the hub decodes it"),
        .required("is", .quantity(.humidity), "humidity as the article's code shows it"),
      ]),
    "trips": Section(
      "The true humidity at which the article's code would raise an alarm.",
      [
        .required("tag", .text, "name of the tag"),
        .required("limit", .quantity(.humidity), "limit, as shown by the article's code"),
        .required(
          "true", .quantity(.humidity),
          "true humidity at which the shown value first exceeds the limit"),
        .optional("within", .quantity(.humidityChange), "tolerance; default: 0.3%"),
      ]),
    "storage": Section(
      "Compliance with the zone's storage rule at all of its tags.",
      [
        .required("zone", .text, "name of the zone"),
        .required("kept", .boolean, "true for compliance"),
      ]),
    "kinetic-mean": Section(
      "The mean kinetic temperature at a tag.",
      [
        .required("tag", .text, "name of the tag"),
        .required("is", .quantity(.temperature), "mean kinetic temperature"),
        .optional(
          "within", .quantity(.temperatureDifference), "tolerance; default: 0.1C"),
      ]),
    "monitor": Section(
      "A monitor location recommended by the mapping study of the run.",
      [
        .required("reason", .word(MappingStudy.Reason.allCases.map(\.rawValue)), "reason"),
        .required("tag", .text, "name of the tag at the location"),
      ]),
  ]
}

extension WarehouseKeys {
  /// The JSON Schema of warehouse rigs.
  static var schema: String {
    JSONSchema.document(
      of: rig, heading: "A warehouse", identifier: "urn:aneroid:warehouse-schema",
      title: "Aneroid warehouse"
    ) { _, _ in nil }
  }
}
