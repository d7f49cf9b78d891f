public import Quantities
import Support

/// The configuration that a hub evaluates readings against: zones with limits, expected tags and the on-call roster.
public struct WarehousePolicy: Hashable, Sendable {
  /// A part of the warehouse in which the same limits apply.
  public struct Zone: Hashable, Sendable {
    /// The name of the zone.
    public var name: String
    /// The limits for the air in the zone, at most one for each cause and level.
    public var rules: [AlarmRule]
    /// The rule for the conditions over the whole storage time; `nil` for none.
    public var storage: StorageRule?

    /// Creates a zone.
    public init(_ name: String, rules: [AlarmRule], storage: StorageRule? = nil) {
      (self.name, self.rules, self.storage) = (name, rules, storage)
    }
  }

  /// A tag that the hub expects.
  public struct ExpectedTag: Hashable, Sendable {
    /// The address, such as `A4:DA:32:00:00:01`.
    public var address: String
    /// The display name.
    public var name: String
    /// The name of the zone of the tag.
    public var zone: String
    /// The maximum expected time between two readings in nanoseconds: the interval at which the tag
    /// notifies, plus, if tags take turns because the hub cannot connect to all of them at once,
    /// the duration of a round of turns.
    public var period: Int64

    /// Creates an expected tag.
    public init(_ address: String, name: String, zone: String, period: Int64) {
      (self.address, self.name, self.zone, self.period) = (address, name, zone, period)
    }

    /// Returns `true` if a text is a Bluetooth address in upper case: six pairs of hexadecimal digits, separated by colons.
    public static func isAddress(_ text: String) -> Bool {
      let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
      return pairs.count == 6
        && pairs.allSatisfy { pair in
          pair.utf8.count == 2
            && pair.utf8.allSatisfy { (48...57).contains($0) || (65...70).contains($0) }
        }
    }
  }

  /// The name of the hub in its records.
  public var hub: String
  /// The zones.
  public var zones: [Zone]
  /// The tags that the hub expects.
  public var tags: [ExpectedTag]
  /// The people to notify.
  public var onCall: OnCallRoster
  /// The number of periods without data after which a tag counts as lost, at least 3.
  ///
  /// Default: 3.
  public var missingPeriods = 3.0
  /// The duration in nanoseconds for which readings must be invalid before an alarm is raised.
  ///
  /// Default: 0.
  public var faultDelay: Int64 = 0
  /// The battery level in percent below which a warning is raised; the hysteresis is 5 percent.
  ///
  /// Default: 10.
  public var batteryLimit = 10.0
  /// The maximum duration of a silence or an acknowledgement in nanoseconds.
  ///
  /// Default: 8 hours.
  public var longestSilence: Int64 = 8 * 3_600_000_000_000
  /// The maximum plausible change of a quantity per minute.
  ///
  /// Default: 20 °C, 60 % and 2000 Pa.
  public var fastest = Self.usualFastest
  /// The default of `fastest`.
  package static let usualFastest = PerQuantity<Double>(
    temperature: 20, pressure: 2000, humidity: 60)

  /// Creates a policy with default thresholds.
  public init(hub: String, zones: [Zone], tags: [ExpectedTag], onCall: OnCallRoster) {
    (self.hub, self.zones, self.tags, self.onCall) = (hub, zones, tags, onCall)
  }
}

extension WarehousePolicy.Zone {
  /// The zone name as an MQTT topic level, which uses only characters that Home Assistant's
  /// discovery accepts.
  ///
  /// These are ASCII letters, digits, `-` and `_`. A space becomes `_`, and any other character
  /// becomes `_` and two hexadecimal digits per UTF-8 byte: `K_c3_a4se` for Käse.
  public var topic: String {
    name.utf8.reduce(into: "") { topic, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
        topic.unicodeScalars.append(Unicode.Scalar(byte))
      case UInt8(ascii: " "): topic += "_"
      default: topic += (byte < 16 ? "_0" : "_") + String(byte, radix: 16)
      }
    }
  }
}

extension WarehousePolicy {
  /// Returns the minimum distance between two limits of a quantity: 0.5 °C, 1 % or 50 Pa.
  public static func smallestDistance(_ quantity: Quantity) -> Double {
    switch quantity {
    case .temperature: 0.5
    case .humidity: 1
    case .pressure: 50
    }
  }

  /// The errors of the policy; empty if it is valid.
  public var errors: [PolicyError] {
    var errors = zones.indices.flatMap(errors(ofZone:))
    let zoneNames = zones.map(\.name)
    for (index, name) in zoneNames.enumerated() where zoneNames[..<index].contains(name) {
      errors.append(PolicyError("there are two zones '\(name)'", at: .zone(index)))
    }
    let topics = zones.map(\.topic)
    for (index, topic) in topics.enumerated() {
      guard let other = topics[..<index].firstIndex(of: topic), zoneNames[other] != zoneNames[index]
      else { continue }
      errors.append(
        PolicyError(
          "the zones '\(zoneNames[other])' and '\(zoneNames[index])' would share the topic zone/\(topic)",
          at: .zone(index)))
    }
    errors += errorsOfTags(zoneNames)
    if !(missingPeriods >= 3) {
      errors.append(
        PolicyError(
          "a tag counts as lost after at least 3 periods, not \(missingPeriods)", at: .whole)
      )
    }
    if onCall.escalateAfter <= 0 {
      errors.append(PolicyError("'escalate' must be greater than 0", at: .escalation))
    }
    return errors
  }

  private func errorsOfTags(_ zoneNames: [String]) -> [PolicyError] {
    var errors: [PolicyError] = []
    var names: [String: String] = [:]
    var seen: Set<String> = []
    for (index, tag) in tags.enumerated() {
      if !seen.insert(tag.name).inserted {
        errors.append(
          PolicyError("there are two tags '\(tag.name)'", at: .nameOf(tag: index)))
      }
      if let other = names[tag.address] {
        errors.append(
          PolicyError(
            "there are two tags with the address \(tag.address): '\(other)' and '\(tag.name)'",
            at: .address(tag: index)))
      }
      names[tag.address] = names[tag.address] ?? tag.name
      if !zoneNames.contains(tag.zone) {
        errors.append(
          PolicyError(
            "the tag '\(tag.name)' is in the unknown zone '\(tag.zone)'"
              + NearestWord.hint(tag.zone, among: zoneNames), at: .zoneOf(tag: index)))
      }
      if tag.period <= 0 {
        errors.append(
          PolicyError("the tag '\(tag.name)' has no period", at: .period(tag: index)))
      }
    }
    return errors
  }

  private func errors(ofZone zoneIndex: Int) -> [PolicyError] {
    let zone = zones[zoneIndex]
    var errors: [PolicyError] = []
    for (index, rule) in zone.rules.enumerated() {
      func note(_ reason: String) {
        errors.append(
          PolicyError(
            "the zone '\(zone.name)': \(rule.title) \(reason)", at: .rule(index, zone: zoneIndex)))
      }
      if zone.rules[..<index].contains(where: { ($0.cause, $0.level) == (rule.cause, rule.level) })
      {
        note("is given twice")
      }
      if rule.cause.quantity == nil { note("is not a limit of the air") }
      if !rule.limit.isFinite || !(rule.hysteresis >= 0) || rule.onDelay < 0 {
        note("has an invalid limit, hysteresis or delay")
      }
    }
    for quantity in Quantity.allCases { errors += order(of: quantity, inZone: zoneIndex) }
    return errors
  }

  /// Checks that low alarm, low warning, high warning and high alarm are in ascending order and far
  /// enough apart.
  private func order(of quantity: Quantity, inZone zoneIndex: Int) -> [PolicyError] {
    let zone = zones[zoneIndex]
    let sides: [(isHigh: Bool, level: AlarmLevel)] = [
      (false, .alarm), (false, .warning), (true, .warning), (true, .alarm),
    ]
    let indices = sides.compactMap { side in
      zone.rules.firstIndex {
        $0.cause == AlarmCause(quantity, isHigh: side.isHigh) && $0.level == side.level
      }
    }
    let least = Self.smallestDistance(quantity)
    return zip(indices, indices.dropFirst()).compactMap { one, other in
      let (low, high) = (zone.rules[one], zone.rules[other])
      let bands = low.cause == high.cause ? 0 : low.hysteresis + high.hysteresis
      let needed = max(least, bands)
      guard high.limit - low.limit < needed else { return nil }
      let reason: String
      if high.limit - low.limit >= 0 {
        reason =
          "\(low.title) and \(high.title) are less than \(Decimal.shortest(needed)) apart"
      } else if low.cause == high.cause {
        // On either side, the warning must be reached before the alarm.
        let (warning, alarm) = low.level == .warning ? (low, high) : (high, low)
        reason =
          "\(warning.title) must be \(low.cause.isHigh ? "below" : "above") \(alarm.title), so that the warning comes first"
      } else {
        reason = "\(low.title) must be below \(high.title); they seem to be exchanged"
      }
      let message = "the zone '\(zone.name)': \(reason)"
      // The error is reported at the rule that comes last in the file.
      return PolicyError(message, at: .rule(max(one, other), zone: zoneIndex))
    }
  }
}

extension AlarmRule {
  /// The rule's cause, level and limit, such as `humidity-high alarm 65`.
  var title: String { "\(cause.rawValue) \(level.rawValue) \(Decimal.shortest(limit))" }
}

/// An error in a policy, with the part of the policy that contains it.
public struct PolicyError: Hashable, Sendable {
  /// A part of a policy; indices start at 0.
  public enum Location: Hashable, Sendable {
    /// The policy as a whole.
    case whole
    /// The name of a zone, given by the index of the zone.
    case zone(Int)
    /// A limit of a zone, given by the indices of the limit and the zone.
    case rule(Int, zone: Int)
    /// The address, name, zone or period of a tag, given by the index of the tag.
    case address(tag: Int), nameOf(tag: Int), zoneOf(tag: Int), period(tag: Int)
    /// The escalation time.
    case escalation
  }

  /// The error as a sentence.
  public let message: String
  /// The part of the policy that contains the error.
  public let location: Location

  init(_ message: String, at location: Location) {
    (self.message, self.location) = (message, location)
  }
}

/// The people to notify of alarms, in order of escalation.
public struct OnCallRoster: Hashable, Sendable {
  /// A person on the roster.
  public struct Person: Hashable, Sendable {
    /// The name of the person.
    public let name: String
    /// The on-call hours in minutes of the UTC day, excluding the end; `nil` for all day.
    ///
    /// The hours extend past midnight if the start is later than the end.
    public let hours: (from: Int, to: Int)?

    /// Creates a person.
    public init(_ name: String, hours: (from: Int, to: Int)? = nil) {
      (self.name, self.hours) = (name, hours)
    }

    /// Returns `true` if the person is on call at a time in nanoseconds since 1970.
    public func isOnDuty(at time: Int64) -> Bool {
      guard let hours else { return true }
      let minute = Int(time / 60_000_000_000 % 1440)
      return hours.from <= hours.to
        ? (hours.from..<hours.to).contains(minute) : minute >= hours.from || minute < hours.to
    }

    /// `true` if two people have the same name and hours.
    public static func == (one: Person, other: Person) -> Bool {
      one.name == other.name && one.hours?.from == other.hours?.from
        && one.hours?.to == other.hours?.to
    }

    /// Hashes the name and hours.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(name)
      hasher.combine(hours?.from)
      hasher.combine(hours?.to)
    }
  }

  /// The people in order of escalation.
  public var people: [Person]
  /// The time in nanoseconds after which an unacknowledged alarm escalates to the next person.
  ///
  /// Default: 15 minutes.
  public var escalateAfter: Int64
  /// The time in nanoseconds for which people are not notified again of an alarm that recurs before
  /// it is acknowledged.
  ///
  /// Default: 5 minutes.
  public var quiet: Int64 = 5 * 60_000_000_000

  /// Creates a roster.
  public init(_ people: [Person], escalateAfter: Int64 = 15 * 60_000_000_000) {
    (self.people, self.escalateAfter) = (people, escalateAfter)
  }

  /// Returns the person to notify after `count` notifications; `nil` if the roster is empty.
  ///
  /// After the last person, escalation starts again with the first, so people are notified until
  /// one acknowledges. People who are off duty are skipped unless all of them are off duty.
  public func person(afterNotifying count: Int, at time: Int64) -> String? {
    let onDuty = people.filter { $0.isOnDuty(at: time) }
    let list = onDuty.isEmpty ? people : onDuty
    return list.isEmpty ? nil : list[count % list.count].name
  }
}
