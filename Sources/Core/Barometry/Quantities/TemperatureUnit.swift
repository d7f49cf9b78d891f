/// The scales of temperature.
public enum TemperatureUnit: UInt8, Hashable, Sendable, CaseIterable {
  /// Degree Celsius.
  case celsius
  /// Degree Fahrenheit.
  case fahrenheit
  /// Kelvin.
  case kelvin

  /// Converts a temperature on this scale to C.
  public func celsius(_ value: Double) -> Double {
    switch self {
    case .celsius: value
    case .fahrenheit: (value - 32) / 1.8
    case .kelvin: value - 273.15
    }
  }

  /// Converts a difference of temperatures on this scale to a difference in C.
  public func celsiusDifference(_ value: Double) -> Double {
    self == .fahrenheit ? value / 1.8 : value
  }

  /// The symbol as written behind a number.
  public var symbol: StaticString {
    switch self {
    case .celsius: "C"
    case .fahrenheit: "F"
    case .kelvin: "K"
    }
  }
}
