public import Quantities

/// The air around a sensor.
public struct Air: Hashable, Sendable {
  /// The pressure in Pa.
  public var pressure: Double
  /// The temperature in C.
  public var temperature: Double
  /// The relative humidity in %.
  public var humidity: Double

  /// Creates some air.
  public init(pressure: Double, temperature: Double, humidity: Double) {
    self.pressure = pressure
    self.temperature = temperature
    self.humidity = humidity
  }

  /// What it has of a quantity, in Pa, °C or %.
  public subscript(_ quantity: Quantity) -> Double {
    switch quantity {
    case .temperature: temperature
    case .pressure: pressure
    case .humidity: humidity
    }
  }

  /// The standard atmosphere at sea level, at 21 C and half saturated.
  public static var standard: Air { Air(pressure: 101_325, temperature: 21, humidity: 50) }
}

/// Where the air of a bench comes from: a pure function of time.
public protocol AirSource: AnyObject {
  /// The air at a time in nanoseconds since the start of the run.
  func air(at time: UInt64) -> Air
}
