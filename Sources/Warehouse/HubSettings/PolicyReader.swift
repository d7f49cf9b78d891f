import Quantities
package import Schema
import Text
package import Warehouse

/// Makes parts of a policy of what ``PolicyKeys`` describe, and notes what their shape cannot say.
package struct PolicyReader {
  /// What is wrong, and where.
  package private(set) var notes: [(message: String, value: CheckedValue)] = []
  /// The values of the policy's tags, in its order: whoever reads tags adds them.
  package var tags: [CheckedValue] = []
  /// The values of its zones, of their limits, and of its duty list.
  private var zones: [CheckedValue] = []
  private var limits: [[CheckedValue]] = []
  private var duty: CheckedValue?

  /// Creates a reader that has noted nothing.
  package init() {}

  /// The period of a tag whose file says none, in nanoseconds.
  package static let usualPeriod: Int64 = 60_000_000_000

  /// How a radio listens to tags.
  package mutating func listening(_ value: CheckedValue?) -> ListeningTimes {
    var times = ListeningTimes()
    func time(_ key: String) -> Int64? {
      guard let found = value?[key], let time = found.nanoseconds else { return nil }
      if !(100_000_000...86_400_000_000_000).contains(time) {
        notes.append(("link: '\(key)' is 100ms to 24h", found))
      }
      return time
    }
    (times.scan, times.patience) = (time("scan"), time("patience"))
    (times.late, times.longestWait) = (time("late"), time("longest_wait"))
    return times
  }

  /// A zone with its limits.
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
    // Of a limit that is written wrongly nothing follows.
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

  /// The address of a tag, in capital letters.
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
          "address: '\(address)' is none; it has six pairs of hexadecimal digits, "
            + "\"A4:DA:32:00:00:01\"", value
        ))
    }
    return address
  }

  /// Who is told.
  package mutating func duty(_ value: CheckedValue?) -> DutyList {
    self.duty = value
    let people = value?["people"]?.list ?? []
    for name in Self.repeated(people) {
      notes.append(("duty: '\((name.text ?? "").clipped)' is on the list twice", name))
    }
    var duty = DutyList(people.compactMap(\.text).map { DutyList.Person($0) })
    if let escalate = value?["escalate"]?.nanoseconds { duty.escalateAfter = escalate }
    if let quiet = value?["quiet"]?.nanoseconds { duty.quiet = max(quiet, 0) }
    return duty
  }

  /// How fast the air can change in a minute.
  mutating func fastest(
    _ value: CheckedValue?, usually: PerQuantity<Double>
  ) -> PerQuantity<Double> {
    var fastest = usually
    for quantity in Quantity.allCases {
      guard let given = value?["\(quantity)"], let number = given.number else { continue }
      if !(number > 0) { notes.append(("fastest: '\(quantity)' is more than nothing", given)) }
      fastest[quantity] = number
    }
    return fastest
  }

  /// The texts of a list that stand in it before.
  static func repeated(_ list: [CheckedValue]) -> [CheckedValue] {
    var seen: Set<String> = []
    return list.filter { $0.text.map { !seen.insert($0).inserted } ?? false }
  }

  /// The value of a part of the policy that was read; `nil` where the part is the whole of it.
  package func value(of place: PolicyMistake.Place) -> CheckedValue? {
    func part(_ values: [CheckedValue], _ index: Int, _ key: String) -> CheckedValue? {
      guard values.indices.contains(index) else { return nil }
      return values[index][key] ?? values[index]
    }
    switch place {
    case .whole: return nil
    case .zone(let index): return part(zones, index, "name")
    case .rule(let index, let zone):
      guard limits.indices.contains(zone), limits[zone].indices.contains(index) else { return nil }
      return limits[zone][index]
    case .address(let tag): return part(tags, tag, "address")
    case .nameOf(let tag): return part(tags, tag, "name")
    case .zoneOf(let tag): return part(tags, tag, "zone")
    case .period(let tag): return part(tags, tag, "period")
    case .escalation: return duty?["escalate"] ?? duty
    }
  }
}
