package import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import Support
import VirtualI2C

/// Describes the BMP180 or BMP085 to the test bench: its name, addresses, configuration keys, virtual part and driver.
package struct BMP180Part: PartModel {
  package let name: String

  /// Creates the model of a BMP180.
  package init() { self.init(name: "bmp180") }

  private init(name: String) { self.name = name }

  /// The BMP085, which preceded the BMP180 and has the same registers, formulas and conversion times.
  ///
  /// The two chips cannot be distinguished over the bus. The BMP085's pins EOC and XCLR are not modelled.
  package static var bmp085: BMP180Part { BMP180Part(name: "bmp085") }

  package var family: String { "bmp180" }

  package var addresses: [I2CAddress] {
    [BMP180Figures.address].compactMap(I2CAddress.init(rawValue:))
  }

  package var addressSummary: String { "0x77" }

  package var identifyingRegisters: [UInt8] { [BMP180Register.id] }

  // Operating ranges, DS table 1.
  package var ranges: SampleRanges {
    SampleRanges(temperature: -40...85, pressure: 30_000...110_000)
  }

  package var startTime: UInt64 { BMP180Figures.startTime }

  package var keys: [Section.Field] { BMP180Keys.device(of: name).fields }

  package var driverKeys: [Section.Field] { BMP180Keys.driver }

  package var usualSettings: any DriverSettings { BMP180Settings() }

  package var finestSettings: any DriverSettings { BMP180Settings(oversampling: .x8) }

  package func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver {
    BMP180Sensor(settings as? BMP180Settings ?? BMP180Settings(), adapter, clock, at: address)
  }

  package func identify(
    _ adapter: any I2CAdapter, at address: I2CAddress
  ) throws(I2CError) -> PartIdentity {
    do throws(BMP180DriverError) {
      try BMP180Driver(adapter: adapter, clock: StillClock(), address: address).identify()
      return .itself
    } catch {
      if case .bus(let error) = error.cause { throw error }
      return .other("\(error.cause)")
    }
  }

  package func listener(longestRead: Int) -> (any PartListener)? { BMP180Listener() }

  package var text: any TransferText { BMP180Text() }

  package var fidelity: String { BMP180Fidelity.ledger.page }

  package func shortcoming(of sample: Sample) -> String? {
    sample.codes.temperature == 0x8000 && sample.codes.pressure == 0x8000
      ? "these are power-on values, nothing was measured" : nil
  }
}

/// A BMP180 as configured by a rig, the YAML file that describes a test bench.
package struct ConfiguredBMP180: ConfiguredPart {
  /// The calibration and the deviations from the ideal part.
  package let options: BMP180Options

  /// The part model, either BMP180 or BMP085.
  let part: BMP180Part

  package var model: any PartModel { part }

  package var calibration: String? {
    guard options.calibration != .example else { return "the data sheet's example" }
    return (0..<BMP180Calibration.byteCount).map {
      Hexadecimal.digits(options.calibration.byte($0))
    }.joined()
  }

  package var details: [String] { [options.noise.summary, options.timing.summary] }

  package var excesses: [PartExcess] {
    let drift = options.driftPerYear.pressure
    guard abs(drift) > BMP180Figures.pressurePerYear else { return [] }
    return [
      PartExcess(
        key: "drift_per_year", quantity: "pressure", asked: drift,
        allowed: BMP180Figures.pressurePerYear)
    ]
  }

  package func poweredOn(
    at address: I2CAddress, in air: any AirSource, seed: UInt64
  ) -> any VirtualPart {
    VirtualBMP180(address: address, air: air, options: options, seed: seed)
  }
}

extension VirtualBMP180: VirtualPart {}

extension BMP180Part {
  package func configured(
    _ value: CheckedValue, _ reader: inout PartReader
  ) -> (any ConfiguredPart)? {
    BMP180Keys.device(of: name).options(value, &reader).map {
      ConfiguredBMP180(options: $0, part: self)
    }
  }
}

/// The YAML keys that a rig accepts for a BMP180 (`device`) and for its driver (`driver`).
enum BMP180Keys {
  static func device(of name: String) -> KeyGroup<BMP180Options> {
    KeyGroup("The keys of a \(name).", BMP180Options()) {
      [
        Key(
          "calibration", \.calibration, calibration(of: name),
          "the 22 bytes of 0xAA to 0xBF, 44 digits",
          default: "those of the data sheet's example"
        ).example("\"0198ffb8c7d17fe57ff55a71182e00048000ddf90b34\"")
      ] + Key.deviations + [.unknown(unknown)]
    }
  }

  private static func calibration(of name: String) -> KeyFormat<BMP180Calibration> {
    KeyFormat(.hexadecimal, text: { _ in nil }) { value throws(QuantityKind.FormatError) in
      guard let digits = value.text else { return nil }
      let bytes = Hexadecimal.bytes(digits)
      guard bytes.count == BMP180Calibration.byteCount else {
        throw QuantityKind.FormatError(
          message:
            "the calibration of a \(name) has 22 bytes (44 digits), not \(digits.count) digits")
      }
      let calibration = BMP180Calibration(bytes: bytes.span)
      guard calibration.isSound else {
        throw QuantityKind.FormatError(
          message: "a word of the \(name)'s calibration is 0 or 0xFFFF, which no part has")
      }
      return calibration
    }
  }

  static let driver: [Section.Field] = [
    .optional(
      "oversampling",
      .section(
        Section(
          "The oversampling of the pressure.",
          [.optional("pressure", .choice([1, 2, 4, 8]), "default: 1")])),
      "default: x1")
  ]

  /// The keys that select the undocumented behavior.
  static let unknown = KeyGroup.unknown(
    BMP180UndocumentedBehavior(), BMP180UndocumentedBehavior.assumptions)
}

extension BMP180Part {
  /// Converts the calibration in a register dump of a BMP180 to the YAML lines that give a device of a rig this
  /// calibration.
  ///
  /// - Throws: `CalibrationFormatError` if a calibration register is missing, or a word is 0x0000 or 0xFFFF.
  static func calibration(
    in table: RegisterTable
  ) throws(CalibrationFormatError) -> String {
    var bytes: [UInt8] = []
    for index in 0..<BMP180Calibration.byteCount {
      let register = Int(BMP180Register.calibration) + index
      guard let byte = table.bytes[register] else {
        let digits = Hexadecimal.digits(UInt8(register)).uppercased()
        throw CalibrationFormatError("the register 0x\(digits) of the bmp180 is missing")
      }
      bytes.append(byte)
    }
    let calibration = BMP180Calibration(bytes: bytes.span)
    guard calibration.isSound else {
      throw CalibrationFormatError(
        "a word of the bmp180's calibration is 0x0000 or 0xFFFF, which no part has")
    }
    let words = [
      Int(calibration.ac1), Int(calibration.ac2), Int(calibration.ac3), Int(calibration.ac4),
      Int(calibration.ac5), Int(calibration.ac6), Int(calibration.b1), Int(calibration.b2),
      Int(calibration.mb), Int(calibration.mc), Int(calibration.md),
    ]
    return """
      # a BMP180, since 0xD0 reads 0x55: add these two lines to a device of a rig
      # AC1 to AC6, B1, B2, MB, MC, MD: \(words.map(String.init).joined(separator: " "))
      model: bmp180
      calibration: "\(bytes.map { Hexadecimal.digits($0) }.joined())"

      """
  }
}

extension BMP180Options: PartOptions {}

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
