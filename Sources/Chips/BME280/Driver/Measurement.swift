public import BME280

/// One result of a driver: the register values and what they mean.
public struct Measurement: Hashable, Sendable {
  /// The register values.
  public let raw: RawMeasurement
  /// The channels that were measured; humidity is skipped on a BMP280.
  public let settings: MeasurementSettings
  /// All channels in C, Pa and %RH, also those that were skipped and therefore mean nothing.
  public let compensated: CompensatedMeasurement

  /// Creates a measurement.
  public init(
    raw: RawMeasurement, settings: MeasurementSettings, compensated: CompensatedMeasurement
  ) {
    self.raw = raw
    self.settings = settings
    self.compensated = compensated
  }

  /// The temperature in C, or `nil` when it was skipped.
  public var celsius: Double? {
    settings.temperature == .skipped ? nil : compensated.temperature
  }

  /// The pressure in Pa, or `nil` when it or temperature, on which it depends, was skipped.
  public var pascals: Double? {
    settings.pressure == .skipped || settings.temperature == .skipped ? nil : compensated.pressure
  }

  /// The relative humidity in %, or `nil` when it or temperature was skipped.
  public var relativeHumidity: Double? {
    settings.humidity == .skipped || settings.temperature == .skipped ? nil : compensated.humidity
  }
}
