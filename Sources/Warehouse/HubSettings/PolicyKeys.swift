import Quantities
package import Schema
import Warehouse

/// The keys of zones, limits, tags and people on duty: the same in the file of a hub and in a rig that is a warehouse.
package enum PolicyKeys {
  /// A zone: its name, limits and rule of storage.
  package static let zone: [Section.Field] = [
    .required("name", .text, "its name"),
    .optional("limits", .listOrNone(limit), "when somebody is told; never unless given"),
    .optional(
      "storage", .word(StorageRule.all.map(\.name)),
      "the rule that is judged over the whole time; none unless given"),
  ]

  /// Where a tag lies.
  package static let zoneOfTag = Section.Field.required(
    "zone", .text, "the name of the zone in which it lies")

  /// How a radio listens to tags.
  package static let listening: [Section.Field] = [
    .optional(
      "scan", .quantity(.duration), "how long tags are looked for at a time; 5s unless given"),
    .optional(
      "patience", .quantity(.duration),
      "how long a connection may take to be made; 5s unless given"),
    .optional(
      "late", .quantity(.duration),
      "how long data may be late before the sensor is set again; 5s unless given, and three periods at least"
    ),
    .optional(
      "longest_wait", .quantity(.duration),
      "the longest wait before a tag that was lost is tried again; 5min unless given"),
  ]

  /// Who is told.
  package static let duty = Section(
    "who is told of alarms, one after the other",
    [
      .required("people", .list(.text), "their names, in the order in which they are told"),
      .optional(
        "escalate", .quantity(.duration),
        "after which the next is told where nobody acknowledges; 15min unless given"),
      .optional(
        "quiet", .quantity(.duration),
        "for how long nobody is told again of an alarm that was over and comes again; default: 5min, and not longer than 'escalate'"
      ),
    ])

  /// How fast the air of a store can change.
  package static let fastest = Section(
    "the fastest change of the air in a minute: a faster one is a sensor fault until a second reading confirms it",
    [
      .optional("temperature", .quantity(.temperatureDifference), "default: 20C"),
      .optional("humidity", .quantity(.humidityChange), "default: 60%"),
      .optional("pressure", .quantity(.pressureChange), "default: 20hPa"),
    ])

  /// A limit: what it is of says in which units.
  private static let limit = Shape.variants(
    discriminator: "of",
    [
      "temperature": limits("temperature", .temperature, .temperatureDifference),
      "humidity": limits("humidity", .humidity, .humidityChange),
      "pressure": limits("pressure", .pressure, .pressureChange),
    ])

  private static func limits(
    _ name: String, _ kind: QuantityKind, _ difference: QuantityKind
  ) -> Section {
    Section(
      "limits of the \(name)",
      [
        .optional(
          "level", .word(AlarmLevel.allCases.map(\.rawValue)),
          "how grave a breach is; alarm unless given"),
        .optional("low", .quantity(kind), "below which it is a breach"),
        .optional("high", .quantity(kind), "above which it is a breach"),
        .optional(
          "delay", .quantity(.duration), "how long a breach must last; told at once unless given"),
        .optional(
          "hysteresis", .quantity(difference),
          "how far behind the limit it is over; on the limit unless given"),
      ])
  }
}
