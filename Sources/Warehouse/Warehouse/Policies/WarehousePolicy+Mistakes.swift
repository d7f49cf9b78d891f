public import Quantities
import Text

extension WarehousePolicy {
  /// How far limits of one quantity must lie apart at least: °C, %, Pa.
  public static func smallestDistance(_ quantity: Quantity) -> Double {
    switch quantity {
    case .temperature: 0.5
    case .humidity: 1
    case .pressure: 50
    }
  }

  /// What is wrong with it, in sentences; none where it can be used.
  public var mistakes: [String] {
    var mistakes = zones.flatMap(Self.mistakes)
    let zoneNames = zones.map(\.name)
    for (index, name) in zoneNames.enumerated() where zoneNames[..<index].contains(name) {
      mistakes.append("there are two zones '\(name)'")
    }
    var addresses: Set<String> = []
    for tag in tags {
      if !addresses.insert(tag.address).inserted {
        mistakes.append("there are two tags with the address \(tag.address)")
      }
      if !zoneNames.contains(tag.zone) {
        mistakes.append("the tag '\(tag.name)' is in the zone '\(tag.zone)', which is not there")
      }
      if tag.period <= 0 { mistakes.append("the tag '\(tag.name)' has no period") }
    }
    if !(missingPeriods >= 3) {
      mistakes.append("a tag counts as lost after 3 periods at the earliest, not \(missingPeriods)")
    }
    if duty.escalateAfter <= 0 { mistakes.append("'escalate' must be longer than nothing") }
    return mistakes
  }

  private static func mistakes(of zone: Zone) -> [String] {
    var mistakes: [String] = []
    for (index, rule) in zone.rules.enumerated() {
      let title = "the zone '\(zone.name)': \(rule.title)"
      if zone.rules[..<index].contains(where: { ($0.cause, $0.level) == (rule.cause, rule.level) })
      {
        mistakes.append("\(title) stands twice")
      }
      if rule.cause.quantity == nil { mistakes.append("\(title) is no limit of the air") }
      if !rule.limit.isFinite || !(rule.hysteresis >= 0) || rule.onDelay < 0 {
        mistakes.append("\(title) has a limit, hysteresis or delay that is none")
      }
    }
    for quantity in Quantity.allCases { mistakes += order(of: quantity, in: zone) }
    return mistakes
  }

  /// From low to high: low alarm, low warning, high warning, high alarm, each far enough from the next.
  private static func order(of quantity: Quantity, in zone: Zone) -> [String] {
    let places: [(isHigh: Bool, level: AlarmLevel)] = [
      (false, .alarm), (false, .warning), (true, .warning), (true, .alarm),
    ]
    let rules = places.compactMap { place in
      zone.rules.first {
        $0.cause == AlarmCause(quantity, isHigh: place.isHigh) && $0.level == place.level
      }
    }
    let least = smallestDistance(quantity)
    return zip(rules, rules.dropFirst()).compactMap { low, high in
      let bands = low.cause == high.cause ? 0 : low.hysteresis + high.hysteresis
      let needed = max(least, bands)
      guard high.limit - low.limit < needed else { return nil }
      return "the zone '\(zone.name)': \(low.title) and \(high.title) lie less than "
        + "\(Decimal.shortest(needed)) apart"
    }
  }
}

extension AlarmRule {
  /// Its cause, level and limit: `humidity-high alarm 65`.
  var title: String { "\(cause.rawValue) \(level.rawValue) \(Decimal.shortest(limit))" }
}
