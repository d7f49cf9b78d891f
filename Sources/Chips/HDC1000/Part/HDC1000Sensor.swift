package import I2C
package import Parts
import Quantities

/// The HDC1000's driver as every part's driver is used.
package final class HDC1000Sensor: SensorDriver {
  private let driver: HDC1000Driver
  private let settings: HDC1000Settings

  init(
    _ settings: HDC1000Settings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) {
    driver = HDC1000Driver(adapter: adapter, clock: clock, address: address)
    self.settings = settings
  }

  package var address: I2CAddress { driver.address }

  package func start() throws(SensorFailure) {
    do throws(HDC1000DriverError) {
      try driver.start(settings.configuration)
    } catch {
      throw SensorFailure(error)
    }
  }

  package func sample() throws(SensorFailure) -> Sample {
    do throws(HDC1000DriverError) {
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
  /// The error of the HDC1000's driver.
  fileprivate init(_ error: HDC1000DriverError) {
    let kind: Kind =
      switch error.cause {
      case .bus(let error): .wire(error)
      case .stranger: .stranger
      case .stillMeasuring, .settingsRefused: .other
      }
    self.init(kind, step: error.step.description, cause: error.cause.description)
  }
}
