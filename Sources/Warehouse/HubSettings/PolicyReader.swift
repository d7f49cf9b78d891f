import Quantities
package import Schema
package import Warehouse

/// Makes parts of a policy of what ``PolicyKeys`` describe, and notes what their shape cannot say.
package struct PolicyReader {
  /// What is wrong, and where.
  package private(set) var notes: [(message: String, value: CheckedValue)] = []

  /// Creates a reader that has noted nothing.
  package init() {}

  /// The period of a tag whose file says none, in nanoseconds.
  package static let usualPeriod: Int64 = 60_000_000_000

  /// A zone with its limits.
  package mutating func zone(_ value: CheckedValue) -> WarehousePolicy.Zone {
    let rules = (value["limits"]?.list ?? []).flatMap { self.rules(of: $0) }
    let storage = value["storage"]?.text.flatMap { name in
      StorageRule.all.first { $0.name == name }
    }
    return WarehousePolicy.Zone(value["name"]?.text ?? "", rules: rules, storage: storage)
  }

  private mutating func rules(of value: CheckedValue) -> [AlarmRule] {
    let quantity = Quantity.allCases.first { "\($0)" == value["of"]?.text } ?? .temperature
    let level = AlarmLevel(rawValue: value["level"]?.text ?? "") ?? .alarm
    if value["low"] == nil, value["high"] == nil {
      notes.append(("a limit needs 'low', 'high' or both", value))
    }
    return [("low", false), ("high", true)].compactMap { key, isHigh in
      value[key]?.number.map { limit in
        AlarmRule(
          AlarmCause(quantity, isHigh: isHigh), level, limit: limit,
          onDelay: value["delay"]?.nanoseconds ?? 0, hysteresis: value["hysteresis"]?.number ?? 0)
      }
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
  package func duty(_ value: CheckedValue?) -> DutyList {
    var duty = DutyList(
      (value?["people"]?.list ?? []).compactMap(\.text).map { DutyList.Person($0) })
    if let escalate = value?["escalate"]?.nanoseconds { duty.escalateAfter = escalate }
    return duty
  }
}
