public import Quantities

/// A limit, and the conditions under which a breach of the limit becomes an alarm.
///
/// Every alarm stores its rule, so later changes of the policy do not affect existing records.
public struct AlarmRule: Hashable, Sendable {
  /// The cause of the alarms that this rule raises.
  public var cause: AlarmCause
  /// The severity of the alarms that this rule raises.
  public var level: AlarmLevel
  /// The limit in °C, %, Pa, percent of battery capacity, or periods without data; 0 for faults.
  public var limit: Double
  /// The duration in nanoseconds for which a breach must persist, measured from its first to its
  /// last reading.
  ///
  /// Default: 0.
  public var onDelay: Int64
  /// The distance inside the limit that a value must reach to end the alarm.
  ///
  /// Default: 0.
  public var hysteresis: Double

  /// Creates a rule.
  public init(
    _ cause: AlarmCause, _ level: AlarmLevel, limit: Double, onDelay: Int64 = 0,
    hysteresis: Double = 0
  ) {
    (self.cause, self.level, self.limit) = (cause, level, limit)
    (self.onDelay, self.hysteresis) = (onDelay, hysteresis)
  }

  /// `true` if a value exceeds the limit.
  ///
  /// A value equal to the limit does not exceed it.
  public func isBreached(by value: Double) -> Bool { cause.isHigh ? value > limit : value < limit }

  /// `true` if a value ends the alarm, that is, if it is inside the limit by at least the
  /// hysteresis.
  public func isOver(at value: Double) -> Bool {
    cause.isHigh ? value <= limit - hysteresis : value >= limit + hysteresis
  }

  /// `true` if a value is farther beyond the limit than another value.
  public func isWorse(_ value: Double, than other: Double) -> Bool {
    cause.isHigh ? value > other : value < other
  }
}

/// The cause of an alarm.
public enum AlarmCause: String, Hashable, Sendable, CaseIterable {
  case temperatureLow = "temperature-low"
  case temperatureHigh = "temperature-high"
  case humidityLow = "humidity-low"
  case humidityHigh = "humidity-high"
  case pressureLow = "pressure-low"
  case pressureHigh = "pressure-high"
  /// The tag sent no reading for the number of periods that the policy sets (at least 3).
  case missing = "no-data"
  /// The readings of the tag are invalid.
  case sensorFault = "sensor-fault"
  /// The battery level is below the limit that the policy sets.
  case batteryLow = "battery-low"

  /// Creates the cause for a quantity above its high limit or below its low limit.
  public init(_ quantity: Quantity, isHigh: Bool) {
    switch quantity {
    case .temperature: self = isHigh ? .temperatureHigh : .temperatureLow
    case .humidity: self = isHigh ? .humidityHigh : .humidityLow
    case .pressure: self = isHigh ? .pressureHigh : .pressureLow
    }
  }

  /// The quantity that the limit applies to; `nil` for causes that concern the tag itself.
  public var quantity: Quantity? {
    switch self {
    case .temperatureLow, .temperatureHigh: .temperature
    case .humidityLow, .humidityHigh: .humidity
    case .pressureLow, .pressureHigh: .pressure
    case .missing, .sensorFault, .batteryLow: nil
    }
  }

  /// `true` if values above the limit are a breach; `false` if values below the limit are.
  public var isHigh: Bool {
    switch self {
    case .temperatureHigh, .humidityHigh, .pressureHigh: true
    default: false
    }
  }
}

/// The severity of an alarm.
public enum AlarmLevel: String, Hashable, Sendable, CaseIterable, Comparable {
  /// A condition that needs attention: only the first person on call is notified, and only once.
  case warning
  /// A condition that needs action: the people on call are notified in turn until one of them
  /// acknowledges the alarm.
  case alarm

  /// `true` if the first level is less severe than the second.
  public static func < (one: AlarmLevel, other: AlarmLevel) -> Bool {
    one == .warning && other == .alarm
  }
}

/// The identity of an alarm: at most one alarm is open for each tag, cause and level.
public struct AlarmKey: Hashable, Sendable {
  /// The address of the tag.
  public let tag: String
  /// The cause.
  public let cause: AlarmCause
  /// The severity.
  public let level: AlarmLevel

  /// Creates a key.
  public init(tag: String, cause: AlarmCause, level: AlarmLevel) {
    (self.tag, self.cause, self.level) = (tag, cause, level)
  }
}
