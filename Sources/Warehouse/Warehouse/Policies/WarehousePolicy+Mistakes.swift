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

  /// What is wrong with it; nothing where it can be used.
  public var mistakes: [PolicyMistake] {
    var mistakes = zones.indices.flatMap(mistakes(ofZone:))
    let zoneNames = zones.map(\.name)
    for (index, name) in zoneNames.enumerated() where zoneNames[..<index].contains(name) {
      mistakes.append(PolicyMistake("there are two zones '\(name)'", at: .zone(index)))
    }
    let topics = zones.map(\.topic)
    for (index, topic) in topics.enumerated() {
      guard let other = topics[..<index].firstIndex(of: topic), zoneNames[other] != zoneNames[index]
      else { continue }
      mistakes.append(
        PolicyMistake(
          "the zones '\(zoneNames[other])' and '\(zoneNames[index])' would share the topic zone/\(topic)",
          at: .zone(index)))
    }
    mistakes += mistakesOfTags(zoneNames)
    if !(missingPeriods >= 3) {
      mistakes.append(
        PolicyMistake(
          "a tag counts as lost after 3 periods at the earliest, not \(missingPeriods)", at: .whole)
      )
    }
    if duty.escalateAfter <= 0 {
      mistakes.append(PolicyMistake("'escalate' must be longer than nothing", at: .escalation))
    }
    return mistakes
  }

  private func mistakesOfTags(_ zoneNames: [String]) -> [PolicyMistake] {
    var mistakes: [PolicyMistake] = []
    var names: [String: String] = [:]
    var seen: Set<String> = []
    for (index, tag) in tags.enumerated() {
      if !seen.insert(tag.name).inserted {
        mistakes.append(
          PolicyMistake("there are two tags '\(tag.name)'", at: .nameOf(tag: index)))
      }
      if let other = names[tag.address] {
        mistakes.append(
          PolicyMistake(
            "there are two tags with the address \(tag.address): '\(other)' and '\(tag.name)'",
            at: .address(tag: index)))
      }
      names[tag.address] = names[tag.address] ?? tag.name
      if !zoneNames.contains(tag.zone) {
        mistakes.append(
          PolicyMistake(
            "the tag '\(tag.name)' is in the zone '\(tag.zone)', which is not there"
              + NearestWord.hint(tag.zone, among: zoneNames), at: .zoneOf(tag: index)))
      }
      if tag.period <= 0 {
        mistakes.append(
          PolicyMistake("the tag '\(tag.name)' has no period", at: .period(tag: index)))
      }
    }
    return mistakes
  }

  private func mistakes(ofZone place: Int) -> [PolicyMistake] {
    let zone = zones[place]
    var mistakes: [PolicyMistake] = []
    for (index, rule) in zone.rules.enumerated() {
      func note(_ reason: String) {
        mistakes.append(
          PolicyMistake(
            "the zone '\(zone.name)': \(rule.title) \(reason)", at: .rule(index, zone: place)))
      }
      if zone.rules[..<index].contains(where: { ($0.cause, $0.level) == (rule.cause, rule.level) })
      {
        note("stands twice")
      }
      if rule.cause.quantity == nil { note("is no limit of the air") }
      if !rule.limit.isFinite || !(rule.hysteresis >= 0) || rule.onDelay < 0 {
        note("has a limit, hysteresis or delay that is none")
      }
    }
    for quantity in Quantity.allCases { mistakes += order(of: quantity, inZone: place) }
    return mistakes
  }

  /// From low to high: low alarm, low warning, high warning, high alarm, each far enough from the next.
  private func order(of quantity: Quantity, inZone place: Int) -> [PolicyMistake] {
    let zone = zones[place]
    let places: [(isHigh: Bool, level: AlarmLevel)] = [
      (false, .alarm), (false, .warning), (true, .warning), (true, .alarm),
    ]
    let indices = places.compactMap { place in
      zone.rules.firstIndex {
        $0.cause == AlarmCause(quantity, isHigh: place.isHigh) && $0.level == place.level
      }
    }
    let least = Self.smallestDistance(quantity)
    return zip(indices, indices.dropFirst()).compactMap { one, other in
      let (low, high) = (zone.rules[one], zone.rules[other])
      let bands = low.cause == high.cause ? 0 : low.hysteresis + high.hysteresis
      let needed = max(least, bands)
      guard high.limit - low.limit < needed else { return nil }
      let message =
        "the zone '\(zone.name)': \(low.title) and \(high.title) lie less than "
        + "\(Decimal.shortest(needed)) apart"
      // Told of the one that the file says last.
      return PolicyMistake(message, at: .rule(max(one, other), zone: place))
    }
  }
}

extension AlarmRule {
  /// Its cause, level and limit: `humidity-high alarm 65`.
  var title: String { "\(cause.rawValue) \(level.rawValue) \(Decimal.shortest(limit))" }
}
