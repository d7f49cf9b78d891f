/// The physical quantities that air sensors measure.
public enum Quantity: String, Hashable, Sendable, CaseIterable {
  /// Temperature, stored in °C.
  case temperature
  /// Pressure, stored in Pa.
  case pressure
  /// Relative humidity, stored in %.
  case humidity

  /// The units accepted for this quantity.
  public var units: [QuantityUnit] {
    switch self {
    case .temperature: TemperatureUnit.allCases.map { $0.unit }
    case .pressure: PressureUnit.allCases.map { $0.unit }
    case .humidity: [QuantityUnit("%")]
    }
  }

  /// The unit used in reports: °C, hPa or %.
  @inlinable public var shownUnit: QuantityUnit {
    switch self {
    case .temperature: TemperatureUnit.celsius.unit
    case .pressure: PressureUnit.hectopascal.unit
    case .humidity: QuantityUnit("%")
    }
  }

  /// Converts a stored value to the unit used in reports.
  @inlinable public func shown(_ kept: Double) -> Double { shownUnit.number(kept) }

  /// The symbol of the stored unit, in which errors and tolerances are reported.
  public var keptSymbol: StaticString {
    switch self {
    case .temperature: "C"
    case .pressure: "Pa"
    case .humidity: "%RH"
    }
  }
}

/// A value for each of the three quantities.
public struct PerQuantity<Value> {
  /// The values for temperature, pressure and relative humidity.
  public var temperature, pressure, humidity: Value

  /// Creates a set from the three values.
  @inlinable
  public init(temperature: Value, pressure: Value, humidity: Value) {
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
  }

  /// The value for a quantity.
  @inlinable public subscript(_ quantity: Quantity) -> Value {
    get {
      switch quantity {
      case .temperature: temperature
      case .pressure: pressure
      case .humidity: humidity
      }
    }
    set {
      switch quantity {
      case .temperature: temperature = newValue
      case .pressure: pressure = newValue
      case .humidity: humidity = newValue
      }
    }
  }
}

extension PerQuantity where Value: ExpressibleByNilLiteral {
  /// Creates a set from values for some of the quantities.
  ///
  /// Default: `nil`.
  @inlinable
  public init(
    temperature: Value = nil, pressure: Value = nil, humidity: Value = nil
  ) {
    (self.temperature, self.pressure, self.humidity) = (temperature, pressure, humidity)
  }
}

extension PerQuantity where Value == Double {
  /// Creates a set from values for some of the quantities.
  ///
  /// Default: 0.
  @inlinable
  public init(temperature: Double = 0, pressure: Double = 0, humidity: Double = 0) {
    (self.temperature, self.pressure, self.humidity) = (temperature, pressure, humidity)
  }
}

/// A reading of a sensor or a program, in °C, Pa and %; `nil` for a quantity that is not reported.
public typealias AirReading = PerQuantity<Double?>

extension PerQuantity: Equatable where Value: Equatable {}
extension PerQuantity: Hashable where Value: Hashable {}
extension PerQuantity: Sendable where Value: Sendable {}
