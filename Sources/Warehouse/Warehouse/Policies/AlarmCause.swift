public import Quantities

/// What an alarm is about.
public enum AlarmCause: String, Hashable, Sendable, CaseIterable {
  case temperatureLow = "temperature-low"
  case temperatureHigh = "temperature-high"
  case humidityLow = "humidity-low"
  case humidityHigh = "humidity-high"
  case pressureLow = "pressure-low"
  case pressureHigh = "pressure-high"
  /// Nothing was heard of the tag for as many of its periods as the policy says, three or more.
  case missing = "no-data"
  /// The tag notifies, and what it says is not to be believed.
  case sensorFault = "sensor-fault"
  /// The battery is nearly empty.
  case batteryLow = "battery-low"

  /// The cause of a quantity on one side of its limits.
  public init(_ quantity: Quantity, isHigh: Bool) {
    switch quantity {
    case .temperature: self = isHigh ? .temperatureHigh : .temperatureLow
    case .humidity: self = isHigh ? .humidityHigh : .humidityLow
    case .pressure: self = isHigh ? .pressureHigh : .pressureLow
    }
  }

  /// The quantity whose limits it is about; `nil` for what is about the tag itself.
  public var quantity: Quantity? {
    switch self {
    case .temperatureLow, .temperatureHigh: .temperature
    case .humidityLow, .humidityHigh: .humidity
    case .pressureLow, .pressureHigh: .pressure
    case .missing, .sensorFault, .batteryLow: nil
    }
  }

  /// Whether values above a limit breach it; those below it otherwise.
  public var isHigh: Bool {
    switch self {
    case .temperatureHigh, .humidityHigh, .pressureHigh: true
    default: false
    }
  }
}

/// How grave an alarm is.
public enum AlarmLevel: String, Hashable, Sendable, CaseIterable, Comparable {
  /// Something is on its way: the first on duty is told, and nobody else.
  case warning
  /// Somebody must act: who is on duty is told one after the other, until one acknowledges.
  case alarm

  /// Whether one is less grave than another.
  public static func < (one: AlarmLevel, other: AlarmLevel) -> Bool {
    one == .warning && other == .alarm
  }
}

/// What can be wrong with a tag at most once at a time: one alarm stands for it.
public struct AlarmKey: Hashable, Sendable {
  /// The address of the tag.
  public let tag: String
  /// What it is about.
  public let cause: AlarmCause
  /// How grave it is.
  public let level: AlarmLevel

  /// Creates one of its parts.
  public init(tag: String, cause: AlarmCause, level: AlarmLevel) {
    (self.tag, self.cause, self.level) = (tag, cause, level)
  }
}
