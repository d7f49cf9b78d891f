/// What the rate of change of pressure foretells: the five classes of Freescale AN3914 table 4,
/// under the names of the thesis.
public enum PressureTrend: UInt8, Hashable, Sendable, CaseIterable {
  /// Quickly rising, 2.5 hPa/h or more: a high pressure system that is not stable.
  case notStable
  /// Slowly rising, over 0.5 hPa/h: stable good weather.
  case goodWeather
  /// Between -0.5 and 0.5 hPa/h, both included: stable.
  case stable
  /// Slowly falling, under -0.5 hPa/h: stable rainy weather.
  case rainy
  /// Quickly falling, -2.5 hPa/h or less: thunderstorm.
  case thunderStorm

  /// Classifies a rate of change in hPa/h, with the boundaries that the thesis closed.
  public init(rate: Double) {
    if rate >= 2.5 {
      self = .notStable
    } else if rate > 0.5 {
      self = .goodWeather
    } else if rate >= -0.5 {
      self = .stable
    } else if rate > -2.5 {
      self = .rainy
    } else {
      self = .thunderStorm
    }
  }

  /// The name in rigs and reports.
  public var name: StaticString {
    switch self {
    case .notStable: "notStable"
    case .goodWeather: "goodWeather"
    case .stable: "stable"
    case .rainy: "rainy"
    case .thunderStorm: "thunderStorm"
    }
  }
}
