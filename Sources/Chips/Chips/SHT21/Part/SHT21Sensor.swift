package import I2C
package import Parts
import Quantities
package import Schema

/// The SHT21 driver, wrapped in the interface that the drivers of all parts share.
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
    try SensorFailure.converting { () throws(SHT21DriverError) in
      try driver.start(settings.resolution)
    }
  }

  package func sample() throws(SensorFailure) -> Sample {
    try SensorFailure.converting { () throws(SHT21DriverError) in
      let measurement = try driver.measure()
      return Sample(
        celsius: measurement.celsius, relativeHumidity: measurement.relativeHumidity,
        codes: Sample.Codes(
          temperature: Int32(measurement.rawTemperature),
          humidity: Int32(measurement.rawHumidity)))
    }
  }
}

extension SHT21DriverCause: SensorCause {
  package var kind: SensorFailure.Kind {
    switch self {
    case .bus(let error), .holdTimedOut(let error): .wire(error)
    case .checksum, .stillMeasuring, .settingsRefused: .other
    }
  }
}

/// The settings of the SHT21 driver in a pipeline, read from the driver's keys.
package struct SHT21Settings: DriverSettings {
  package var resolution = SHT21Resolution.humidity12Temperature14
  /// The way in which the driver waits for a result.
  package var waiting = SHT21Driver.Waiting.noHold

  package var measurementTime: UInt64 {
    resolution.longestTime(of: .temperature) + resolution.longestTime(of: .humidity)
  }
}

extension SHT21Part {
  package func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings {
    var settings = SHT21Settings()
    if value["hold"]?.boolean == true { settings.waiting = .hold }
    guard let requested = value["resolution"] else { return settings }
    let (temperature, humidity) = (
      requested["temperature"]?.integer, requested["humidity"]?.integer
    )
    let found = SHT21Resolution.allCases.first {
      temperature ?? $0.bits(of: .temperature) == $0.bits(of: .temperature)
        && humidity ?? $0.bits(of: .humidity) == $0.bits(of: .humidity)
    }
    if let found {
      settings.resolution = found
    } else {
      checker.note(
        "an sht21 supports 14 and 12 bits of temperature and humidity, 13 and 10, 12 and 8, or 11 and 11",
        at: requested.position)
    }
    return settings
  }
}
