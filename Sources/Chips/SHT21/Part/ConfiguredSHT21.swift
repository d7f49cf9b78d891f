package import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import Text
import VirtualParts

/// An SHT21 as a rig describes it.
package struct ConfiguredSHT21: ConfiguredPart {
  /// How it deviates from the ideal part.
  package let options: SHT21Options

  package var model: any PartModel { SHT21Part() }

  package var remarks: [String] { [options.noise.remark, options.timing.remark] }

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
        reader.checker.note("a serial number has 16 digits", at: serial.position)
        return nil
      }
      options.serialNumber = SHT21SerialNumber(rawValue: number)
    }
    return ConfiguredSHT21(options: options)
  }
}
