import HubSettings
import Quantities
package import Schema
import Warehouse

/// The keys of a rig that is a warehouse.
package enum WarehouseKeys {
  /// All of it.
  package static let rig = Section(
    "A warehouse, its tags, its hub and its broker, and what must come out.",
    [
      .required("name", .text, "a short name for reports"),
      .optional("seed", .integer(0...Int.max), "where all chance comes from; 0 unless given"),
      .optional("start", .moment, "when the run begins; 2026-01-01T00:00:00Z unless given"),
      .required("duration", .quantity(.duration), "how long it lasts"),
      .required("warehouse", .section(warehouse), "the warehouse"),
      .required(
        "expect", .list(.variants(discriminator: "that", expectations)),
        "what must be true of the run"),
    ])

  private static let warehouse = Section(
    "A warehouse.",
    [
      .optional("hub", .text, "the name of the hub; hub unless given"),
      .required("zones", .list(.section(zone)), "its parts, each with its limits and its air"),
      .optional("tags", .list(.section(tag)), "tags, one by one"),
      .optional("fleets", .list(.section(fleet)), "tags that are alike"),
      .required("duty", .section(PolicyKeys.duty), "who is told of alarms, one after the other"),
      .optional("link", .section(link), "the radio of the hub; it holds all tags unless given"),
      .optional("broker", .section(broker), "to whom the hub delivers; always there unless given"),
      .optional(
        "commands", .list(.variants(discriminator: "do", commands)), "what people do meanwhile"),
      .optional(
        "faults", .list(.variants(discriminator: "kind", faults)), "what goes wrong with tags"),
      .optional("kills", .section(kills), "programs that are killed at random; none unless given"),
    ])

  private static let zone = Section(
    "A part of the warehouse in which the same limits and the same air hold.",
    PolicyKeys.zone + [
      .optional("air", .list(.section(point)), "its air; 21 C and 50 % unless given"),
      .optional("log", .section(log), "instead: its air from a table, such as that of last year"),
    ])

  private static let point = Section(
    "Air at a time; straight lines lead from one to the next.",
    [
      .required("at", .quantity(.duration), "when; the first at 0s"),
      .optional("temperature", .quantity(.temperature), "as before unless given"),
      .optional("humidity", .quantity(.humidity), "as before unless given"),
    ])

  private static let log = Section(
    "Air from a table (CSV with a header).",
    [
      .required("file", .path, "the table"),
      .required(
        "time", .text,
        "the column of times: dates (2013-01-01T06:00:00Z; UTC unless the zone is given), Unix seconds, or seconds from the table's own start"
      ),
      .optional(
        "missing", .either([.text, .word([""])]),
        "how the table marks a missing value; \"\" is an empty cell"),
      .optional(
        "gaps", .quantity(.duration),
        "the longest gap that a straight line may bridge; none unless given"),
      .required("temperature", .section(column(.temperature)), "the temperature"),
      .required("humidity", .section(column(.humidity)), "the relative humidity"),
    ])

  private static func column(_ quantity: QuantityKind) -> Section {
    Section(
      "A column.",
      [
        .required("name", .text, "the column's name in the header"),
        .required("unit", .word(quantity.symbols), "the unit of its numbers"),
      ])
  }

  private static let tagKeys: [Section.Field] = [
    PolicyKeys.zoneOfTag,
    .optional("kind", .word(TagCatalogue.all.map(\.name)), "which it is; the first unless given"),
    .optional(
      "period", .quantity(.duration), "from one notification to the next; 60s unless given"),
    .optional(
      "expected", .quantity(.duration),
      "after which the hub expects to hear it again at the latest; its period unless given"),
    .optional("battery", .integer(0...100), "its battery in percent; 100 unless given"),
    .optional("at", place, "where it is; [0m, 0m] unless given"),
  ]

  private static let tag = Section(
    "A tag.",
    [
      .required("name", .text, "what people call it"),
      .optional("address", .text, "A4:DA:32:00:00:01; by its place in the rig unless given"),
      .optional(
        "warmer", .quantity(.temperatureChange), "its place against its zone; 0C unless given"),
      .optional("wetter", .quantity(.humidityChange), "the same of humidity; 0% unless given"),
    ] + tagKeys)

  private static let fleet = Section(
    "Tags that are alike.",
    [
      .required("name", .text, "what they are called, before a number from 1 on"),
      .required("count", .integer(1...100_000), "how many"),
    ] + tagKeys)

  private static let link = Section(
    "The radio of the hub.",
    [
      .optional(
        "over", .word(["air", "bumble"]),
        "air, in this process and in virtual time, or the frames of a Bluetooth stack on the wall clock; air unless given"
      ),
      .optional("connections", .integer(1...100_000), "how many it holds; all unless given"),
      .optional(
        "connecting", .quantity(.duration), "how long one takes to be made; 170ms unless given"),
      .optional(
        "stay", .quantity(.duration),
        "where tags take turns, how long each stays; twice the longest period unless given"),
      .optional("at", place, "where it is; [0m, 0m] unless given"),
      .optional(
        "range", .quantity(.altitude),
        "how far a tag is heard; 145m unless given, and less well in the last part of it"),
      .optional(
        "loss", .number(0...0.9), "how much of all packets is lost everywhere; 0 unless given"),
      .optional(
        "fading", .number(0...20),
        "how much the signal varies from packet to packet, in dB; 0 unless given"),
    ] + PolicyKeys.listening)

  /// Along the hall, across it, and above its floor.
  private static let place = Shape.list(.quantity(.altitude))

  private static let broker = Section(
    "A broker and the receiver behind it.",
    [
      .optional(
        "confirm", .word(["broker", "receiver"]),
        "whose word the hub takes that a record has arrived; the receiver's unless given"),
      .optional("away", .list(.section(away)), "when it cannot be reached"),
    ])

  private static let away = Section(
    "A time.",
    [
      .required("at", .quantity(.duration), "from when on"),
      .required("for", .quantity(.duration), "for how long"),
    ])

  private static let kills = Section(
    "Programs that are killed at random moments and start again.",
    [
      .required("count", .integer(1...100_000), "how often"),
      .optional(
        "of", .list(.word(["hub", "bridge", "broker"])), "which; all three unless given"),
    ])
}
