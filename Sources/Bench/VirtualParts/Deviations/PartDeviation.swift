/// A constant error of each quantity of a part, or its change in a year, in Pa, °C and %RH.
public struct PartDeviation: Hashable, Sendable {
  /// Of pressure in Pa.
  public var pressure = 0.0
  /// Of temperature in °C.
  public var temperature = 0.0
  /// Of relative humidity in %.
  public var humidity = 0.0

  /// Creates a deviation, none unless said.
  public init(pressure: Double = 0, temperature: Double = 0, humidity: Double = 0) {
    self.pressure = pressure
    self.temperature = temperature
    self.humidity = humidity
  }
}
