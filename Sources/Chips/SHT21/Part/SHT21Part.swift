package import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import Text
import VirtualParts

/// Describes the SHT21 to the test bench: its name, address, configuration keys, virtual part and
/// driver.
package struct SHT21Part: PartModel {
  package init() {}

  package var name: String { "sht21" }

  package var addresses: [I2CAddress] { [0x40] }

  package var addressSummary: String { "0x40" }

  // Operating ranges, DS "Sensor performance".
  package var ranges: SampleRanges { SampleRanges(temperature: -40...125, humidity: 0...100) }

  package var startTime: UInt64 { SHT21Figures.startTime }

  package var keys: [Section.Field] { SHT21Keys.device }

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
    var options = SHT21Options(
      noise: PartNoise(value["noise"]), timing: PartTiming(value["timing"]))
    options.offset = PartDeviation(value["offset"])
    options.driftPerYear = PartDeviation(value["drift_per_year"])
    options.supply = value["supply"]?.number ?? options.supply
    options.unknown = AssumptionKey.behaviour(SHT21Keys.unknown, value["unknown"])
    if let serial = value["serial"], let digits = serial.text {
      guard digits.count == 16, let number = UInt64(digits, radix: 16) else {
        reader.checker.note("a serial number takes 16 digits", at: serial.position)
        return nil
      }
      options.serialNumber = SHT21SerialNumber(rawValue: number)
    }
    return ConfiguredSHT21(options: options)
  }
}

/// The YAML keys that a rig accepts for an SHT21 (`device`) and for its driver (`driver`).
enum SHT21Keys {
  static let device: [Section.Field] = [
    PartKeys.noise, PartKeys.timing, PartKeys.offset, PartKeys.drift,
    .optional("supply", .number(0...6), "the supply voltage in V; default: 3"),
    .optional(
      "serial", .hexadecimal, "the serial number, 16 digits; default: generated from the seed"
    ).example("\"0123456789abcdef\""),
    .optional(
      "unknown", .section(AssumptionKey.section(unknown)),
      "undocumented behavior of the chip and the default we assume"),
  ]

  static let driver: [Section.Field] = [
    PartKeys.resolution,
    .optional(
      "hold", .boolean,
      "true for hold master mode: the part stretches the clock during a measurement, which not every adapter supports; default: false"
    ),
  ]

  /// The keys that select the assumptions about undocumented behavior.
  static var unknown: [AssumptionKey<SHT21UndocumentedBehavior>] {
    [
      .time("start_time", \.startTime, "the start-up time after power-on"),
      .time("reset_time", \.resetTime, "the duration of a soft reset"),
      .word(
        "access_during_start", \.accessDuringStart, "the response to an access during start-up"),
      .word(
        "unknown_command", \.unknownCommand, "the response to an unknown command"),
      .word("read_without_command", \.idleRead, "the response to a read without a command"),
      .word("second_read", \.secondRead, "the response to a second read of a result"),
      .word(
        "command_while_measuring", \.commandWhileMeasuring,
        "the response to a command during a measurement"),
      .word("reserved_bits", \.reservedBits, "the reserved bits of the user register"),
      .word("reserved_bits_written", \.reservedWrite, "the effect of a write on the reserved bits"),
      .word("unused_bits", \.unusedBits, "the bits of a result below its resolution"),
      .word("reload_bit", \.reloadBit, "the reload bit after a reload"),
      .word("past_end", \.pastEnd, "the value of bytes after the last one"),
      .word(
        "serial_checksum", \.serialChecksum, "the data that a checksum of the serial number covers"),
      .number(
        "heater_rise", .quantity(.temperatureDifference), \.heaterRise,
        "the temperature rise caused by the heater", unit: "C"),
      .time("heater_time_constant", \.heaterTimeConstant, "the time constant of the heater"),
    ]
  }
}

extension SHT21UndocumentedBehavior: AssumedBehaviour {}
