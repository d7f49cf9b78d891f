package import I2C
package import Parts
import Quantities
package import Schema

/// Adapts the BMP180's driver to the interface that the drivers of all parts share.
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
    try SensorFailure.converting { () throws(BMP180DriverError) in
      try driver.start()
    }
  }

  package func sample() throws(SensorFailure) -> Sample {
    try SensorFailure.converting { () throws(BMP180DriverError) in
      let measurement = try driver.measure(settings.oversampling)
      return Sample(
        celsius: measurement.celsius, pascals: max(measurement.pascals, 0),
        codes: Sample.Codes(
          temperature: measurement.rawTemperature, pressure: measurement.rawPressure))
    }
  }
}

extension BMP180DriverCause: SensorCause {
  package var kind: SensorFailure.Kind {
    switch self {
    case .bus(let error): .wire(error)
    case .unexpectedDevice: .unexpectedDevice
    case .unsoundCalibration: .unready
    case .stillConverting: .other
    }
  }
}

/// The settings of the BMP180's driver in a pipeline, read from the driver's keys.
package struct BMP180Settings: DriverSettings {
  /// The oversampling of the pressure.
  package var oversampling = BMP180Oversampling.x1

  package var measuresPressure: Bool { true }

  package var measurementTime: UInt64 {
    BMP180Conversion.temperature.longestTime + BMP180Conversion.pressure(oversampling).longestTime
  }
}

extension BMP180Part {
  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    var settings = BMP180Settings()
    guard let requested = value["oversampling"] else { return settings }
    let number = requested["pressure"]?.integer ?? 1
    guard let oversampling = BMP180Oversampling.allCases.first(where: { $0.samples == number })
    else {
      checker.note(
        "a bmp180 supports an oversampling of the pressure of 1, 2, 4 or 8", at: requested.position)
      return settings
    }
    settings.oversampling = oversampling
    return settings
  }
}
