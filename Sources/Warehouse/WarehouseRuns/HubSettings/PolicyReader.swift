package import Quantities
package import Schema
import Support
package import Warehouse

/// Creates parts of a policy from values described by `PolicyKeys`, and reports errors that the schema cannot
/// express.
package struct PolicyReader {
  /// The errors found so far, each with the value that is wrong.
  package private(set) var notes: [(message: String, value: CheckedValue)] = []
  /// The parsed values of the tags, in order; set by the code that reads the tags.
  package var tags: [CheckedValue] = []
  /// The values from which the zones, their limits and the on-call roster were read.
  private var zones: [CheckedValue] = []
  private var limits: [[CheckedValue]] = []
  private var onCall: CheckedValue?

  /// Creates a reader that has found no errors.
  package init() {}

  /// The default period of a tag in nanoseconds.
  package static let usualPeriod: Int64 = 60_000_000_000

  /// Reads a zone and its limits.
  package mutating func zone(_ value: CheckedValue) -> WarehousePolicy.Zone {
    let read = (value["limits"]?.list ?? []).flatMap { self.rules(of: $0) }
    let rules = read.map(\.rule)
    zones.append(value)
    limits.append(read.map(\.value))
    let storage = value["storage"]?.text.flatMap { name in
      StorageRule.all.first { $0.name == name }
    }
    return WarehousePolicy.Zone(value["name"]?.text ?? "", rules: rules, storage: storage)
  }

  private mutating func rules(
    of value: CheckedValue
  ) -> [(rule: AlarmRule, value: CheckedValue)] {
    let quantity = Quantity.allCases.first { "\($0)" == value["of"]?.text } ?? .temperature
    // An invalid limit results in no rules.
    guard value.isSound else { return [] }
    let level = AlarmLevel(rawValue: value["level"]?.text ?? "") ?? .alarm
    if value["low"] == nil, value["high"] == nil {
      notes.append(("a limit needs 'low', 'high' or both", value))
    }
    return [("low", false), ("high", true)].compactMap { key, isHigh in
      guard let given = value[key], let limit = given.number else { return nil }
      let rule = AlarmRule(
        AlarmCause(quantity, isHigh: isHigh), level, limit: limit,
        onDelay: value["delay"]?.nanoseconds ?? 0, hysteresis: value["hysteresis"]?.number ?? 0)
      return (rule, given)
    }
  }

  /// Reads the address of a tag and converts it to upper case.
  package mutating func address(_ value: CheckedValue) -> String {
    let address = (value.text ?? "").uppercased()
    if !WarehousePolicy.ExpectedTag.isAddress(address) {
      notes.append(
        (
          "address: '\(address)' is not a Bluetooth address; it must have six pairs of hexadecimal digits, "
            + "\"A4:DA:32:00:00:01\"", value
        ))
    }
    return address
  }

  /// Reads the on-call roster.
  package mutating func onCall(
    _ value: CheckedValue?, _ checker: inout Checker
  ) -> OnCallRoster {
    onCall = value
    for name in Self.repeated(value?["people"]?.list ?? []) {
      notes.append(("duty: '\((name.text ?? "").clipped)' is listed twice", name))
    }
    var roster = PolicyKeys.onCall.standard
    PolicyKeys.onCall.read(value, into: &roster, &checker)
    return roster
  }

  /// Returns the elements of a list whose text occurs earlier in it.
  static func repeated(_ list: [CheckedValue]) -> [CheckedValue] {
    var seen: Set<String> = []
    return list.filter { $0.text.map { !seen.insert($0).inserted } ?? false }
  }

  /// Returns the parsed value from which the part of the policy at a location was read; `nil` for
  /// the policy as a whole.
  package func value(of location: PolicyError.Location) -> CheckedValue? {
    func part(_ values: [CheckedValue], _ index: Int, _ key: String) -> CheckedValue? {
      guard values.indices.contains(index) else { return nil }
      return values[index][key] ?? values[index]
    }
    switch location {
    case .whole: return nil
    case .zone(let index): return part(zones, index, "name")
    case .rule(let index, let zone):
      guard limits.indices.contains(zone), limits[zone].indices.contains(index) else { return nil }
      return limits[zone][index]
    case .address(let tag): return part(tags, tag, "address")
    case .nameOf(let tag): return part(tags, tag, "name")
    case .zoneOf(let tag): return part(tags, tag, "zone")
    case .period(let tag): return part(tags, tag, "period")
    case .escalation: return onCall?["escalate"] ?? onCall
    }
  }
}

/// The keys of zones, limits, tags and the on-call roster, shared by hub files and warehouse rigs.
package enum PolicyKeys {
  /// The keys of a zone, namely its name, limits and storage rule.
  package static let zone: [Section.Field] = [
    .required("name", .text, "name of the zone"),
    .optional("limits", .listOrNone(limit), "limits that raise alarms; default: none"),
    .optional(
      "storage", .word(StorageRule.all.map(\.name)),
      "storage rule evaluated over the whole period; default: none"),
  ]

  package static let zoneOfTag = Section.Field.required(
    "zone", .text, "name of the zone of the tag")

  /// The keys of the radio timings.
  package static let listening = KeyGroup("the radio timings", ListenerTimings()) {
    func timing(_ name: String) -> KeyFormat<Int64> {
      .duration.accepting(
        { (100_000_000...86_400_000_000_000).contains($0) },
        else: "link: '\(name)' must be 100ms to 24h")
    }
    return [
      Key("scan", \.scan, timing("scan"), "duration of a scan", absent: "5s"),
      Key(
        "patience", \.connectTimeout, timing("patience"), "timeout of a connection attempt",
        absent: "5s"),
      Key(
        "late", \.late, timing("late"),
        "delay after which missing data make the hub configure the sensor again",
        absent: "5s, and at least three periods"),
      Key(
        "longest_wait", \.longestWait, timing("longest_wait"),
        "maximum delay before a lost tag is tried again", absent: "5min"),
    ]
  }

  /// The keys of the on-call roster.
  package static let onCall = KeyGroup(
    "the people to notify of alarms, in order of escalation", OnCallRoster([])
  ) {
    [
      .required("people", \.people, .people, "names in order of escalation"),
      Key(
        "escalate", \.escalateAfter, .duration,
        "time before an unacknowledged alarm escalates"),
      Key(
        "quiet", \.quiet, .duration,
        "time for which an alarm that recurs before its acknowledgement is not notified again",
        default: .remarked(", and at most 'escalate'")),
    ]
  }

  /// The keys of the maximum plausible change per minute of the air's temperature, humidity and
  /// pressure.
  package static let fastest = KeyGroup(
    "the maximum plausible change of the air per minute; a faster one counts only if the next reading confirms it",
    WarehousePolicy.usualFastest
  ) {
    func change(_ name: String, _ kind: QuantityKind, in unit: String) -> KeyFormat<Double> {
      KeyFormat(
        .quantity(kind), text: { kind.text($0, in: unit) }, convert: { $0.number }
      ).accepting({ $0 > 0 }, else: "fastest: '\(name)' must be greater than 0")
    }
    return [
      Key(
        "temperature", \.temperature, change("temperature", .temperatureDifference, in: "C"), ""),
      Key("humidity", \.humidity, change("humidity", .humidityChange, in: "%"), ""),
      Key("pressure", \.pressure, change("pressure", .pressureChange, in: "hPa"), ""),
    ]
  }

  /// The shape of a limit, whose quantity determines the units.
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
          "severity of a breach; default: alarm"),
        .optional("low", .quantity(kind), "low limit; lower values are a breach"),
        .optional("high", .quantity(kind), "high limit; higher values are a breach"),
        .optional(
          "delay", .quantity(.duration),
          "minimum duration of a breach before the alarm; default: none"),
        .optional(
          "hysteresis", .quantity(difference),
          "distance from the limit at which the alarm ends; default: none"),
      ])
  }
}

extension KeyFormat<[OnCallRoster.Person]> {
  /// The names of people.
  fileprivate static let people = KeyFormat(.list(.text), text: { _ in nil }) {
    $0.list.compactMap(\.text).map { OnCallRoster.Person($0) }
  }
}
