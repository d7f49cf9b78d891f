import BME280
import Environment

extension Air {
  /// Air whose codes lie where the highest byte of temperature and pressure changes.
  static let aroundBoundary: Air = {
    let value = Part.packed.calibration.compensateSI(
      RawMeasurement(temperature: 0x7D000, pressure: 0x50000, humidity: 0x7000))
    return Air(
      pressure: value.pressure, temperature: value.temperature, humidity: value.humidity)
  }()
}
