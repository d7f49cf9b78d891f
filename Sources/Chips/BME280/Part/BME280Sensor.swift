package import BME280
import BME280Driver
package import I2C
package import Parts
import Quantities

/// The BME280's driver as every part's driver is used.
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
    do throws(BME280DriverError) {
      try driver.start(settings.measurement)
      if settings.usesNormalMode { try driver.startNormalMode() }
    } catch {
      throw SensorFailure(error)
    }
  }

  package func sample() throws(SensorFailure) -> Sample {
    do throws(BME280DriverError) {
      return Sample(
        settings.usesNormalMode ? try driver.readMeasurement() : try driver.measure())
    } catch {
      throw SensorFailure(error)
    }
  }
}

extension Sample {
  /// What a measurement says.
  fileprivate init(_ measurement: Measurement) {
    let raw = measurement.raw
    self.init(
      celsius: measurement.celsius,
      // Near vacuum the data sheet's arithmetic, which has no sign, gives 2^32 for what lies below 0.
      pascals: measurement.pascals.map { $0 < 8_388_608 ? max($0, 0) : 0 },
      relativeHumidity: measurement.relativeHumidity,
      codes: Codes(
        temperature: raw.temperature, pressure: raw.pressure, humidity: raw.humidity))
  }
}

extension RawMeasurement {
  /// The register values behind a result of such a part.
  package init(_ codes: Sample.Codes) {
    self.init(
      temperature: codes.temperature ?? 0, pressure: codes.pressure ?? 0,
      humidity: codes.humidity ?? 0)
  }
}

extension SensorFailure {
  /// The error of the BME280's driver.
  fileprivate init(_ error: BME280DriverError) {
    let kind: Kind =
      switch error.cause {
      case .bus(let error): .wire(error)
      case .stranger: .stranger
      case .notReady, .blankCalibration: .unready
      case .settingsLost: .settingsLost
      case .stillMeasuring, .burstTooLong, .notStarted: .other
      }
    self.init(kind, step: error.step.description, cause: error.cause.description)
  }
}
