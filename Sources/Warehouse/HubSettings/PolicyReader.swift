import Quantities
package import Schema
import Text
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

  /// Reads the radio timings from their section.
  package mutating func listening(_ value: CheckedValue?) -> ListenerTimings {
    var times = ListenerTimings()
    func time(_ key: String) -> Int64? {
      guard let found = value?[key], let time = found.nanoseconds else { return nil }
      if !(100_000_000...86_400_000_000_000).contains(time) {
        notes.append(("link: '\(key)' must be 100ms to 24h", found))
      }
      return time
    }
    (times.scan, times.connectTimeout) = (time("scan"), time("patience"))
    (times.late, times.longestWait) = (time("late"), time("longest_wait"))
    return times
  }

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
    let pairs = address.split(separator: ":", omittingEmptySubsequences: false)
    let isAddress =
      pairs.count == 6
      && pairs.allSatisfy { pair in
        pair.utf8.count == 2
          && pair.utf8.allSatisfy { (48...57).contains($0) || (65...70).contains($0) }
      }
    if !isAddress {
      notes.append(
        (
          "address: '\(address)' is not a Bluetooth address; it must have six pairs of hexadecimal digits, "
            + "\"A4:DA:32:00:00:01\"", value
        ))
    }
    return address
  }

  /// Reads the on-call roster.
  package mutating func onCall(_ value: CheckedValue?) -> OnCallRoster {
    self.onCall = value
    let people = value?["people"]?.list ?? []
    for name in Self.repeated(people) {
      notes.append(("duty: '\((name.text ?? "").clipped)' is listed twice", name))
    }
    var onCall = OnCallRoster(people.compactMap(\.text).map { OnCallRoster.Person($0) })
    if let escalate = value?["escalate"]?.nanoseconds { onCall.escalateAfter = escalate }
    if let quiet = value?["quiet"]?.nanoseconds { onCall.quiet = max(quiet, 0) }
    return onCall
  }

  /// Reads the maximum plausible change per minute of the air's temperature, humidity and pressure.
  mutating func fastest(
    _ value: CheckedValue?, usually: PerQuantity<Double>
  ) -> PerQuantity<Double> {
    var fastest = usually
    for quantity in Quantity.allCases {
      guard let given = value?["\(quantity)"], let number = given.number else { continue }
      if !(number > 0) { notes.append(("fastest: '\(quantity)' must be greater than 0", given)) }
      fastest[quantity] = number
    }
    return fastest
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
  package static let listening: [Section.Field] = [
    .optional(
      "scan", .quantity(.duration), "duration of a scan; default: 5s"),
    .optional(
      "patience", .quantity(.duration),
      "timeout of a connection attempt; default: 5s"),
    .optional(
      "late", .quantity(.duration),
      "delay after which missing data make the hub configure the sensor again; default: 5s, and at least three periods"
    ),
    .optional(
      "longest_wait", .quantity(.duration),
      "maximum delay before a lost tag is tried again; default: 5min"),
  ]

  /// The section of the on-call roster.
  package static let onCall = Section(
    "the people to notify of alarms, in order of escalation",
    [
      .required("people", .list(.text), "names in order of escalation"),
      .optional(
        "escalate", .quantity(.duration),
        "time before an unacknowledged alarm escalates; default: 15min"),
      .optional(
        "quiet", .quantity(.duration),
        "time for which an alarm that recurs before its acknowledgement is not notified again; default: 5min, and at most 'escalate'"
      ),
    ])

  /// The section with the maximum plausible change per minute of the air's temperature, humidity
  /// and pressure.
  package static let fastest = Section(
    "the maximum plausible change of the air per minute; a faster one is a sensor fault unless a second reading confirms it",
    [
      .optional("temperature", .quantity(.temperatureDifference), "default: 20C"),
      .optional("humidity", .quantity(.humidityChange), "default: 60%"),
      .optional("pressure", .quantity(.pressureChange), "default: 20hPa"),
    ])

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
