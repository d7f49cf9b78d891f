/// One thing for each quantity.
public struct PerQuantity<Value> {
  /// That of the temperature, of the pressure and of the relative humidity.
  public var temperature, pressure, humidity: Value

  /// Creates all three.
  @inlinable
  public init(temperature: Value, pressure: Value, humidity: Value) {
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
  }

  /// That of a quantity.
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
  /// Creates those that are given; the others are `nil`.
  @inlinable
  public init(
    temperature: Value = nil, pressure: Value = nil, humidity: Value = nil
  ) {
    (self.temperature, self.pressure, self.humidity) = (temperature, pressure, humidity)
  }
}

extension PerQuantity where Value == Double {
  /// Creates those that are given; the others are 0.
  @inlinable
  public init(temperature: Double = 0, pressure: Double = 0, humidity: Double = 0) {
    (self.temperature, self.pressure, self.humidity) = (temperature, pressure, humidity)
  }
}

/// What a sensor, or a program, says of the air: °C, Pa and %; `nil` where it says nothing.
public typealias AirReading = PerQuantity<Double?>

extension PerQuantity: Equatable where Value: Equatable {}
extension PerQuantity: Hashable where Value: Hashable {}
extension PerQuantity: Sendable where Value: Sendable {}
