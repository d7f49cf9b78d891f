/// The scales of temperature.
public enum TemperatureUnit: UInt8, Hashable, Sendable, CaseIterable {
  /// Degree Celsius.
  case celsius
  /// Degree Fahrenheit.
  case fahrenheit
  /// Kelvin.
  case kelvin

  /// The unit, with its conversion.
  @inlinable public var unit: QuantityUnit {
    switch self {
    case .celsius: QuantityUnit(symbol)
    case .fahrenheit: QuantityUnit(symbol, dividedBy: 1.8, from: 32)
    case .kelvin: QuantityUnit(symbol, from: 273.15)
    }
  }

  /// The symbol as written behind a number.
  @inlinable public var symbol: StaticString {
    switch self {
    case .celsius: "C"
    case .fahrenheit: "F"
    case .kelvin: "K"
    }
  }
}
