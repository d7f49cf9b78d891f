package import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import Support
import VirtualI2C

/// Describes the SHT21 to the test bench: its name, address, configuration keys, virtual part and
/// driver.
package struct SHT21Part: PartModel {
  package init() {}

  package var name: String { "sht21" }

  package var addresses: [I2CAddress] { [0x40] }

  package var addressSummary: String { "0x40" }

  // Operating ranges, DS "Sensor performance".
  package var ranges: SampleRanges { SampleRanges(temperature: -40...125, humidity: 0...100) }

  package var hasChecksum: Bool { true }

  package var startTime: UInt64 { SHT21Figures.startTime }

  package var keys: [Section.Field] { SHT21Keys.device.fields }

  package var driverKeys: [Section.Field] { SHT21Keys.driver }

  package var usualSettings: any DriverSettings { SHT21Settings() }

  package func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver {
    SHT21Sensor(settings as? SHT21Settings ?? SHT21Settings(), adapter, clock, at: address)
  }

  /// Identifies an SHT21 by its serial number, because other chips do not return valid checksums.
  ///
  /// A serial number of 0 is rejected although its checksums are valid: a chip that interprets the
  /// command as a register address returns only zeros.
  package func identify(
    _ adapter: any I2CAdapter, at address: I2CAddress
  ) throws(I2CError) -> PartIdentity {
    let reason = "does not return a serial number with valid checksums, as an SHT21 does"
    do throws(SHT21DriverError) {
      let number = try SHT21Driver(adapter: adapter, clock: StillClock(), address: address)
        .readSerialNumber()
      return number.rawValue == 0 ? .other(reason) : .itself
    } catch {
      if case .bus(let error) = error.cause { throw error }
      return .other(reason)
    }
  }

  package func listener(longestRead: Int) -> (any PartListener)? { SHT21Listener() }

  package var text: any TransferText { SHT21Text() }

  package var fidelity: String { SHT21Fidelity.ledger.page }
}

/// An SHT21 as configured by a rig, the YAML file that describes a test bench.
package struct ConfiguredSHT21: ConfiguredPart {
  /// The deviations from the ideal part, the supply voltage and the serial number.
  package let options: SHT21Options

  package var model: any PartModel { SHT21Part() }

  package var details: [String] { [options.noise.summary, options.timing.summary] }

  package var excesses: [PartExcess] {
    let drift = options.driftPerYear
    return [
      ("temperature", drift.temperature, SHT21Figures.temperaturePerYear),
      ("humidity", drift.humidity, SHT21Figures.humidityPerYear),
    ].filter { abs($0.1) > $0.2 }.map {
      PartExcess(key: "drift_per_year", quantity: $0.0, asked: $0.1, allowed: $0.2)
    }
  }

  package func poweredOn(
    at address: I2CAddress, in air: any AirSource, seed: UInt64
  ) -> any VirtualPart {
    VirtualSHT21(address: address, air: air, options: options, seed: seed)
  }
}

extension VirtualSHT21: VirtualPart {}

extension SHT21Part {
  package func configured(
    _ value: CheckedValue, _ reader: inout PartReader
  ) -> (any ConfiguredPart)? {
    SHT21Keys.device.options(value, &reader).map(ConfiguredSHT21.init)
  }
}

/// The YAML keys that a rig accepts for an SHT21 (`device`) and for its driver (`driver`).
enum SHT21Keys {
  static let device = KeyGroup("The keys of an SHT21.", SHT21Options()) {
    Key.deviations + [
      Key("supply", \.supply, .number(0...6), "the supply voltage in V"),
      Key(
        "serial", \.serialNumber,
        .serialNumber(digits: 16, bits: 64, SHT21SerialNumber.init(rawValue:)),
        "the serial number, 16 digits",
        absent: "generated from the seed"
      ).example("\"0123456789abcdef\""),
      .unknown(unknown),
    ]
  }

  static let driver: [Section.Field] = [
    PartKeys.resolution,
    .optional(
      "hold", .boolean,
      "true for hold master mode: the part stretches the clock during a measurement, which not every adapter supports; default: false"
    ),
  ]

  /// The keys that select the undocumented behavior.
  static let unknown = KeyGroup.unknown(
    SHT21UndocumentedBehavior(), SHT21UndocumentedBehavior.assumptions)
}

extension SHT21Options: PartOptions {}

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
