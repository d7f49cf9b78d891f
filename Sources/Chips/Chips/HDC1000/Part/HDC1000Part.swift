package import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import VirtualI2C

/// Describes the HDC1000 to the test bench: its name, addresses, configuration keys, virtual part and driver.
package struct HDC1000Part: PartModel {
  package init() {}

  package var name: String { "hdc1000" }

  package var addresses: [I2CAddress] {
    HDC1000Figures.addresses.compactMap(I2CAddress.init(rawValue:))
  }

  package var addressSummary: String { "0x40 to 0x43 (ADR1 and ADR0)" }

  package var identifyingRegisters: [UInt8] {
    [HDC1000Register.manufacturer, HDC1000Register.device]
  }

  // Operating ranges, DS 7.3.
  package var ranges: SampleRanges { SampleRanges(temperature: -40...125, humidity: 0...100) }

  package var startTime: UInt64 { HDC1000Figures.startTime }

  package var keys: [Section.Field] { HDC1000Keys.device.fields }

  package var driverKeys: [Section.Field] { HDC1000Keys.driver }

  package var usualSettings: any DriverSettings { HDC1000Settings() }

  package func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver {
    HDC1000Sensor(settings as? HDC1000Settings ?? HDC1000Settings(), adapter, clock, at: address)
  }

  /// Reads the device id and the manufacturer id, in an order that does not reset an SHT21.
  package func identify(
    _ adapter: any I2CAdapter, at address: I2CAddress
  ) throws(I2CError) -> PartIdentity {
    do throws(HDC1000DriverError) {
      try HDC1000Driver(adapter: adapter, clock: StillClock(), address: address).identify()
      return .itself
    } catch {
      if case .bus(let error) = error.cause { throw error }
      return .other("\(error.cause)")
    }
  }

  package func listener(longestRead: Int) -> (any PartListener)? { HDC1000Listener() }

  package var text: any TransferText { HDC1000Text() }

  package var fidelity: String { HDC1000Fidelity.ledger.page }

  package func shortcoming(of sample: Sample) -> String? {
    sample.codes.temperature == 0 && sample.codes.humidity == 0
      ? "these are power-on values, nothing was measured" : nil
  }
}

/// An HDC1000 as configured by a rig, the YAML file that describes a test bench.
package struct ConfiguredHDC1000: ConfiguredPart {
  /// The supply voltage, the serial number and the deviations from the ideal part.
  package let options: HDC1000Options

  package var model: any PartModel { HDC1000Part() }

  package var details: [String] { [options.noise.summary, options.timing.summary] }

  package var excesses: [PartExcess] {
    let drift = options.driftPerYear.humidity
    guard abs(drift) > HDC1000Figures.humidityPerYear else { return [] }
    return [
      PartExcess(
        key: "drift_per_year", quantity: "humidity", asked: drift,
        allowed: HDC1000Figures.humidityPerYear)
    ]
  }

  package func poweredOn(
    at address: I2CAddress, in air: any AirSource, seed: UInt64
  ) -> any VirtualPart {
    VirtualHDC1000(address: address, air: air, options: options, seed: seed)
  }
}

extension VirtualHDC1000: VirtualPart {}

extension HDC1000Part {
  package func configured(
    _ value: CheckedValue, _ reader: inout PartReader
  ) -> (any ConfiguredPart)? {
    HDC1000Keys.device.options(value, &reader).map(ConfiguredHDC1000.init)
  }
}

/// The YAML keys that a rig accepts for an HDC1000 (`device`) and for its driver (`driver`).
enum HDC1000Keys {
  static let device = KeyGroup("The keys of an HDC1000.", HDC1000Options()) {
    Key.deviations + [
      Key("supply", \.supply, .number(0...6), "the supply voltage in V"),
      Key(
        "serial", \.serialNumber,
        .serialNumber(digits: 12, bits: 41, HDC1000SerialNumber.init(rawValue:)),
        "the serial number, 12 digits of at most 41 bits",
        absent: "generated from the seed"
      ).example("\"0123456789ab\""),
      .unknown(unknown),
    ]
  }

  static let driver: [Section.Field] = [PartKeys.resolution]

  /// The keys that select the undocumented behavior.
  static let unknown = KeyGroup.unknown(
    HDC1000UndocumentedBehavior(), HDC1000UndocumentedBehavior.assumptions)
}

extension HDC1000Options: PartOptions {}

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
