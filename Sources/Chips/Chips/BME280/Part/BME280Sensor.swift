package import BME280
package import I2C
package import Parts
import Quantities
package import Schema

/// The BME280 driver, wrapped in the interface that the drivers of all parts share.
package final class BME280Sensor: SensorDriver, CalibratedDriver {
  private let driver: BME280Driver
  private let settings: BME280Settings

  init(
    _ settings: BME280Settings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) {
    driver = BME280Driver(
      adapter: adapter, clock: clock, address: address, variant: settings.variant)
    self.settings = settings
  }

  package var address: I2CAddress { driver.address }

  package var calibration: Calibration? { driver.calibration }

  package func start() throws(SensorFailure) {
    try SensorFailure.converting { () throws(BME280DriverError) in
      try driver.start(settings.measurement)
      if settings.usesNormalMode { try driver.startNormalMode() }
    }
  }

  package func sample() throws(SensorFailure) -> Sample {
    try SensorFailure.converting { () throws(BME280DriverError) in
      return Sample(
        settings.usesNormalMode ? try driver.readMeasurement() : try driver.measure())
    }
  }
}

extension Sample {
  /// Creates a sample from a measurement.
  fileprivate init(_ measurement: Measurement) {
    let raw = measurement.raw
    self.init(
      celsius: measurement.celsius,
      // Near vacuum, the datasheet's unsigned arithmetic wraps values below 0 to values near 2^32.
      pascals: measurement.pascals.map { $0 < 8_388_608 ? max($0, 0) : 0 },
      relativeHumidity: measurement.relativeHumidity,
      codes: Codes(
        temperature: raw.temperature, pressure: raw.pressure, humidity: raw.humidity))
  }
}

extension RawMeasurement {
  /// Creates the register values from the codes of a sample; a missing code becomes 0.
  package init(_ codes: Sample.Codes) {
    self.init(
      temperature: codes.temperature ?? 0, pressure: codes.pressure ?? 0,
      humidity: codes.humidity ?? 0)
  }
}

extension Sample {
  /// Returns the codes with the calibration that their driver has read.
  ///
  /// - Parameter driver: the driver that read the sample.
  /// - Returns: the codes and the calibration, or `nil` if the driver has not read the calibration of a BME280 or BMP280.
  package func withCalibration(
    of driver: any SensorDriver
  ) -> (raw: RawMeasurement, calibration: Calibration)? {
    (driver as? any CalibratedDriver)?.calibration.map { (RawMeasurement(codes), $0) }
  }
}

extension BME280DriverCause: SensorCause {
  package var kind: SensorFailure.Kind {
    switch self {
    case .bus(let error): .wire(error)
    case .unexpectedDevice: .unexpectedDevice
    case .notReady, .blankCalibration: .unready
    case .settingsLost: .settingsLost
    case .stillMeasuring, .burstTooLong, .notStarted: .other
    }
  }
}

/// The settings of the BME280 driver in a pipeline, read from the driver's keys.
package struct BME280Settings: DriverSettings {
  /// The oversampling of each channel, the filter and the standby time.
  package var measurement = MeasurementSettings()
  /// `true` for normal mode, `false` for forced mode.
  package var usesNormalMode = false
  /// The variant of the compensation formulas that the driver uses.
  package var variant = CompensationVariant.datasheetInt64

  /// Creates settings.
  ///
  /// Default: one sample of each channel in forced mode.
  package init(measurement: MeasurementSettings = MeasurementSettings()) {
    self.measurement = measurement
  }

  package var measurementTime: UInt64 { measurement.maximumMeasurementTime(on: .bme280) }

  package var measuresTemperature: Bool { measurement.temperature != .skipped }

  package var measuresPressure: Bool { measuresTemperature && measurement.pressure != .skipped }

  package var filterCoefficient: Int { measurement.filter.coefficient }

  package var isContinuous: Bool { usesNormalMode }
}

extension BME280Part {
  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    var settings = BME280Settings()
    BME280Keys.driver.read(value, into: &settings, &checker)
    return settings
  }
}
