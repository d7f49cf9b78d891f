package import Environment
package import I2C
package import Parts
import Quantities
package import Schema
import Text
import VirtualParts

/// A BMP180 as a rig describes it.
package struct ConfiguredBMP180: ConfiguredPart {
  /// How it deviates from the ideal part.
  package let options: BMP180Options

  /// Whether it is a BMP180 or a BMP085.
  let part: BMP180Part

  package var model: any PartModel { part }

  package var calibration: String? {
    guard options.calibration != .example else { return "the data sheet's example" }
    return (0..<BMP180Calibration.byteCount).map {
      Hexadecimal.digits(options.calibration.byte($0))
    }.joined()
  }

  package var remarks: [String] { [options.noise.remark, options.timing.remark] }

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
    var options = BMP180Options(
      noise: PartNoise(value["noise"]), timing: PartTiming(value["timing"]))
    options.offset = PartDeviation(value["offset"])
    options.driftPerYear = PartDeviation(value["drift_per_year"])
    options.unknown = AssumptionKey.behaviour(BMP180Keys.unknown, value["unknown"])
    if let calibration = value["calibration"], let digits = calibration.text {
      let bytes = Hexadecimal.bytes(digits)
      guard bytes.count == BMP180Calibration.byteCount else {
        reader.checker.note(
          "the calibration of a \(name) has 22 bytes (44 digits), not \(digits.count) digits",
          at: calibration.position)
        return nil
      }
      options.calibration = BMP180Calibration(bytes: bytes.span)
      guard options.calibration.isSound else {
        reader.checker.note(
          "no word of a \(name)'s calibration is 0 or 0xFFFF", at: calibration.position)
        return nil
      }
    }
    return ConfiguredBMP180(options: options, part: self)
  }
}
