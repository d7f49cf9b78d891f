import BME280
import BME280Model
package import DriverDefects
import Environment
package import I2C
package import I2CTrace
package import Parts
import Quantities
import Text

extension RecordedPart: PartRecord {
  package var missing: Int { missingCalibration }

  package func part(
    at address: I2CAddress, pace: Replay.Pace
  ) -> (model: any PartModel, part: any VirtualPart)? {
    guard let chip, let nvm, !readings.isEmpty else { return nil }
    let sensor = VirtualBME280(
      chip: chip, nvm: nvm, address: address, air: ScriptedAir(constant: .standard),
      codes: RecordedCodes(readings, pace: pace))
    return (BME280Part(chip), sensor)
  }

  package func shortcoming(at address: I2CAddress) -> String {
    if missing > 0 { return "\(missing) bytes of the calibration of \(address) are not in it" }
    return readings.isEmpty
      ? "no measurement of \(address) is in it" : "\(address) is neither a BME280 nor a BMP280"
  }

  /// By how much the results differ, reading by reading, each with its own calibration.
  package func difference(from other: any PartRecord) -> String? {
    guard let other = other as? RecordedPart, let first = calibration,
      let second = other.calibration, let chip
    else { return nil }
    var largest = (pascals: 0.0, celsius: 0.0, percent: 0.0)
    let count = min(readings.count, other.readings.count)
    guard count > 0 else { return nil }
    for index in 0..<count {
      let a = first.compensateSI(readings[index].raw, variant: .datasheetDouble)
      let b = second.compensateSI(other.readings[index].raw, variant: .datasheetDouble)
      largest.pascals = max(largest.pascals, abs(a.pressure - b.pressure))
      largest.celsius = max(largest.celsius, abs(a.temperature - b.temperature))
      largest.percent = max(largest.percent, abs(a.humidity - b.humidity))
    }
    let humidity = chip.measuresHumidity ? ", \(Decimal.fixed(largest.percent, 2)) %RH" : ""
    return
      "\(count) readings, differing by \(Decimal.fixed(Quantity.pressure.shown(largest.pascals), 3)) hPa, "
      + "\(Decimal.fixed(largest.celsius, 3)) C\(humidity) at most"
  }
}
