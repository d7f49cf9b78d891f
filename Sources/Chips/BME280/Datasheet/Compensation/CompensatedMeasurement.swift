/// A measurement in physical quantities, with the fine temperature it was computed from.
public struct CompensatedMeasurement: Hashable, Sendable {
  /// The fine temperature in 1/5120 C; of the double variants its whole part.
  public var fineTemperature: Int32
  /// The temperature.
  public var temperature: Double
  /// The pressure.
  public var pressure: Double
  /// The relative humidity.
  public var humidity: Double

  /// Creates a measurement.
  @inlinable
  public init(fineTemperature: Int32, temperature: Double, pressure: Double, humidity: Double) {
    self.fineTemperature = fineTemperature
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
  }

  /// The same measurement in C, Pa and %RH, from the native units of a variant.
  @inlinable
  public func converted(from variant: CompensationVariant) -> CompensatedMeasurement {
    CompensatedMeasurement(
      fineTemperature: fineTemperature,
      temperature: temperature / variant.temperatureScale,
      pressure: pressure / variant.pressureScale,
      humidity: humidity / variant.humidityScale)
  }
}
