package import I2C
package import Parts
import Quantities

/// The SHT21's driver as every part's driver is used.
package final class SHT21Sensor: SensorDriver {
  private let driver: SHT21Driver
  private let settings: SHT21Settings

  init(
    _ settings: SHT21Settings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) {
    driver = SHT21Driver(
      adapter: adapter, clock: clock, address: address, waiting: settings.waiting)
    self.settings = settings
  }

  package var address: I2CAddress { driver.address }

  package func start() throws(SensorFailure) {
    do throws(SHT21DriverError) {
      try driver.start(settings.resolution)
    } catch {
      throw SensorFailure(error)
    }
  }

  package func sample() throws(SensorFailure) -> Sample {
    do throws(SHT21DriverError) {
      let measurement = try driver.measure()
      return Sample(
        celsius: measurement.celsius, relativeHumidity: measurement.relativeHumidity,
        codes: Sample.Codes(
          temperature: Int32(measurement.rawTemperature),
          humidity: Int32(measurement.rawHumidity)))
    } catch {
      throw SensorFailure(error)
    }
  }
}

extension SensorFailure {
  /// The error of the SHT21's driver.
  fileprivate init(_ error: SHT21DriverError) {
    let kind: Kind =
      switch error.cause {
      case .bus(let error), .holdTimedOut(let error): .wire(error)
      case .checksum, .stillMeasuring, .settingsRefused: .other
      }
    self.init(kind, step: error.step.description, cause: error.cause.description)
  }
}
