package import I2C
package import Parts
import Quantities

/// The BMP180's driver as every part's driver is used.
package final class BMP180Sensor: SensorDriver {
  private let driver: BMP180Driver
  private let settings: BMP180Settings

  init(
    _ settings: BMP180Settings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) {
    driver = BMP180Driver(adapter: adapter, clock: clock, address: address)
    self.settings = settings
  }

  package var address: I2CAddress { driver.address }

  package func start() throws(SensorFailure) {
    do throws(BMP180DriverError) {
      try driver.start()
    } catch {
      throw SensorFailure(error)
    }
  }

  package func sample() throws(SensorFailure) -> Sample {
    do throws(BMP180DriverError) {
      let measurement = try driver.measure(settings.oversampling)
      return Sample(
        celsius: measurement.celsius, pascals: max(measurement.pascals, 0),
        codes: Sample.Codes(
          temperature: measurement.rawTemperature, pressure: measurement.rawPressure))
    } catch {
      throw SensorFailure(error)
    }
  }
}

extension SensorFailure {
  /// The error of the BMP180's driver.
  fileprivate init(_ error: BMP180DriverError) {
    let kind: Kind =
      switch error.cause {
      case .bus(let error): .wire(error)
      case .stranger: .stranger
      case .unsoundCalibration: .unready
      case .stillConverting: .other
      }
    self.init(kind, step: error.step.description, cause: error.cause.description)
  }
}
