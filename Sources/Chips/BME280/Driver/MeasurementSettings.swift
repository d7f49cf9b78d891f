public import BME280

/// What a driver measures and how finely.
public struct MeasurementSettings: Hashable, Sendable {
  /// Oversampling of temperature; without it nothing else can be compensated.
  public var temperature: Oversampling
  /// Oversampling of pressure.
  public var pressure: Oversampling
  /// Oversampling of humidity; ignored by a BMP280.
  public var humidity: Oversampling
  /// The IIR filter on temperature and pressure.
  public var filter: Filter
  /// The standby time of normal mode.
  public var standby: Standby

  /// Creates settings; one reading of each channel without a filter unless said.
  public init(
    temperature: Oversampling = .x1, pressure: Oversampling = .x1, humidity: Oversampling = .x1,
    filter: Filter = .off, standby: Standby = Standby(rawValue: 0)
  ) {
    self.temperature = temperature
    self.pressure = pressure
    self.humidity = humidity
    self.filter = filter
    self.standby = standby
  }

  /// The longest time that one measurement takes on a chip, in nanoseconds.
  public func maximumMeasurementTime(on chip: Chip) -> UInt64 {
    MeasurementTime.maximum(
      temperature: temperature, pressure: pressure,
      humidity: chip.measuresHumidity ? humidity : .skipped)
  }
}
