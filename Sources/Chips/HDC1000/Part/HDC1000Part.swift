package import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import VirtualParts

/// Describes the HDC1000 to the test bench: its name, addresses, configuration keys, virtual part and driver.
package struct HDC1000Part: PartModel {
  package init() {}

  package var name: String { "hdc1000" }

  package var addresses: [I2CAddress] {
    HDC1000Figures.addresses.compactMap(I2CAddress.init(rawValue:))
  }

  package var addressSummary: String { "0x40 to 0x43 (ADR1 and ADR0)" }

  // Operating ranges, DS 7.3.
  package var ranges: SampleRanges { SampleRanges(temperature: -40...125, humidity: 0...100) }

  package var startTime: UInt64 { HDC1000Figures.startTime }

  package var keys: [Section.Field] { HDC1000Keys.device }

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
    var options = HDC1000Options(
      noise: PartNoise(value["noise"]), timing: PartTiming(value["timing"]))
    options.offset = PartDeviation(value["offset"])
    options.driftPerYear = PartDeviation(value["drift_per_year"])
    options.supply = value["supply"]?.number ?? options.supply
    options.unknown = AssumptionKey.behaviour(HDC1000Keys.unknown, value["unknown"])
    if let serial = value["serial"], let digits = serial.text {
      guard digits.count == 12, let number = UInt64(digits, radix: 16), number >> 41 == 0 else {
        reader.checker.note(
          "a serial number takes 12 digits and at most 41 bits", at: serial.position)
        return nil
      }
      options.serialNumber = HDC1000SerialNumber(rawValue: number)
    }
    return ConfiguredHDC1000(options: options)
  }
}

/// The YAML keys that a rig accepts for an HDC1000 (`device`) and for its driver (`driver`).
enum HDC1000Keys {
  static let device: [Section.Field] = [
    PartKeys.noise, PartKeys.timing, PartKeys.offset, PartKeys.drift,
    .optional("supply", .number(0...6), "the supply voltage in V; default: 3"),
    .optional(
      "serial", .hexadecimal,
      "the serial number, 12 digits of at most 41 bits; default: generated from the seed"
    ).example("\"0123456789ab\""),
    .optional(
      "unknown", .section(AssumptionKey.section(unknown)),
      "undocumented behavior of the chip and the default we assume"),
  ]

  static let driver: [Section.Field] = [PartKeys.resolution]

  /// The rig keys that select the undocumented behavior.
  static var unknown: [AssumptionKey<HDC1000UndocumentedBehavior>] {
    [
      .time("start_time", \.startTime, "the start-up time after power-on"),
      .time("reset_time", \.resetTime, "the duration of a soft reset"),
      .word(
        "access_during_start", \.accessDuringStart,
        "the response to an access to configuration and results during start-up"),
      .word("trigger", \.trigger, "the event that starts a measurement"),
      .word("stale_read", \.staleRead, "the response to a read of a result that was already read"),
      .word(
        "write_while_measuring", \.writeWhileMeasuring,
        "the response to a write during a measurement"),
      .word(
        "humidity_pointer", \.humidityPointer,
        "the effect of the humidity pointer in the mode that measures both quantities"),
      .word("low_bits", \.lowBits, "the bits of a result below its resolution"),
      .word(
        "read_only_write", \.readOnlyWrite, "the response to data bytes for a read-only register"),
      .word("past_end", \.pastEnd, "the value of bytes after the last one"),
      .word("reserved_registers", \.reservedRegisters, "the value of reserved registers"),
      .number(
        "longest_time_factor", .number(1...10), \.longestTimeFactor,
        "the maximum conversion time as a multiple of the typical time"),
      .number(
        "heater_rise", .quantity(.temperatureDifference), \.heaterRise,
        "the temperature rise caused by the heater in continuous measurement", unit: "C"),
      .time("heater_time_constant", \.heaterTimeConstant, "the time constant of the heater"),
    ]
  }
}

extension HDC1000UndocumentedBehavior: AssumedBehaviour {}
