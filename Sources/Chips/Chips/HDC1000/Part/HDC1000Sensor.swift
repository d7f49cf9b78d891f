package import I2C
package import Parts
import Quantities
package import Schema

/// Adapts the HDC1000's driver to the interface that the drivers of all parts share.
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
    try SensorFailure.converting { () throws(HDC1000DriverError) in
      try driver.start(settings.configuration)
    }
  }

  package func sample() throws(SensorFailure) -> Sample {
    try SensorFailure.converting { () throws(HDC1000DriverError) in
      let measurement = try driver.measure()
      return Sample(
        celsius: measurement.celsius, relativeHumidity: measurement.relativeHumidity,
        codes: Sample.Codes(
          temperature: Int32(measurement.rawTemperature),
          humidity: Int32(measurement.rawHumidity)))
    }
  }
}

extension HDC1000DriverCause: SensorCause {
  package var kind: SensorFailure.Kind {
    switch self {
    case .bus(let error): .wire(error)
    case .unexpectedDevice: .unexpectedDevice
    case .stillMeasuring, .settingsRefused: .other
    }
  }
}

/// The settings of the HDC1000's driver in a pipeline, read from the driver's keys.
package struct HDC1000Settings: DriverSettings {
  /// The value of the configuration register, which selects the resolutions and the mode that measures both
  /// quantities.
  package var configuration = HDC1000Configuration()

  package var measurementTime: UInt64 {
    HDC1000Quantity.allCases.reduce(0) {
      $0 + configuration.resolution(of: $1).time(of: $1) * 9 / 8
    }
  }
}

extension HDC1000Part {
  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    var settings = HDC1000Settings()
    guard let requested = value["resolution"] else { return settings }
    let temperature = resolution(requested["temperature"], [.bits14, .bits11])
    let humidity = resolution(requested["humidity"], [.bits14, .bits11, .bits8])
    if let temperature, let humidity {
      settings.configuration.temperatureResolution = temperature
      settings.configuration.humidityResolution = humidity
    } else {
      checker.note(
        "an hdc1000 supports 14 or 11 bits of temperature and 14, 11 or 8 bits of humidity",
        at: requested.position)
    }
    return settings
  }

  /// Returns the resolution that the value of a key selects, or `nil` if it is not one of the `known` resolutions.
  ///
  /// Default: 14 bits.
  private func resolution(
    _ value: CheckedValue?, _ known: [HDC1000Resolution]
  ) -> HDC1000Resolution? {
    known.first { $0.bits == value?.integer ?? 14 }
  }
}
