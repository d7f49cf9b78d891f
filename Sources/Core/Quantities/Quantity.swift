/// What sensors of the air measure.
public enum Quantity: String, Hashable, Sendable, CaseIterable {
  /// Temperature, kept in °C.
  case temperature
  /// Pressure, kept in Pa.
  case pressure
  /// Relative humidity, kept in %.
  case humidity

  /// The units in which it is written.
  public var units: [QuantityUnit] {
    switch self {
    case .temperature: TemperatureUnit.allCases.map { $0.unit }
    case .pressure: PressureUnit.allCases.map { $0.unit }
    case .humidity: [QuantityUnit("%")]
    }
  }

  /// The unit in which reports show it: °C, hPa or %.
  @inlinable public var shownUnit: QuantityUnit {
    switch self {
    case .temperature: TemperatureUnit.celsius.unit
    case .pressure: PressureUnit.hectopascal.unit
    case .humidity: QuantityUnit("%")
    }
  }

  /// A kept value in the unit in which reports show it.
  @inlinable public func shown(_ kept: Double) -> Double { shownUnit.number(kept) }

  /// The symbol of the kept unit, in which errors and tolerances are told.
  public var keptSymbol: StaticString {
    switch self {
    case .temperature: "C"
    case .pressure: "Pa"
    case .humidity: "%RH"
    }
  }
}
