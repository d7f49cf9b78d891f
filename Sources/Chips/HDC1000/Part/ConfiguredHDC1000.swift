package import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import VirtualParts

/// An HDC1000 as a rig describes it.
package struct ConfiguredHDC1000: ConfiguredPart {
  /// How it deviates from the ideal part.
  package let options: HDC1000Options

  package var model: any PartModel { HDC1000Part() }

  package var remarks: [String] { [options.noise.remark, options.timing.remark] }

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
        reader.checker.note("a serial number has 12 digits, and 41 bits", at: serial.position)
        return nil
      }
      options.serialNumber = HDC1000SerialNumber(rawValue: number)
    }
    return ConfiguredHDC1000(options: options)
  }
}
