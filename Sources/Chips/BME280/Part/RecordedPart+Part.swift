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
    if missing > 0 {
      return
        "\("byte".counted(missing)) of the calibration of \(address) \(missing == 1 ? "is" : "are") not in it"
    }
    return readings.isEmpty
      ? "no measurement of \(address) is in it" : "\(address) is neither a BME280 nor a BMP280"
  }

  /// By how much the results differ, reading by reading, each with its own calibration.
  package func difference(from other: any PartRecord) -> RecordDifference? {
    guard let other = other as? RecordedPart, let first = calibration,
      let second = other.calibration, let chip
    else { return nil }
    var largest = PerQuantity(temperature: 0.0, pressure: 0.0, humidity: 0.0)
    let count = min(readings.count, other.readings.count)
    for index in 0..<count {
      let a = first.compensateSI(readings[index].raw, variant: .datasheetDouble)
      let b = second.compensateSI(other.readings[index].raw, variant: .datasheetDouble)
      largest.pressure = max(largest.pressure, abs(a.pressure - b.pressure))
      largest.temperature = max(largest.temperature, abs(a.temperature - b.temperature))
      largest.humidity = max(largest.humidity, abs(a.humidity - b.humidity))
    }
    return RecordDifference(
      first: readings.count, second: other.readings.count,
      largest: PerQuantity(
        temperature: largest.temperature, pressure: largest.pressure,
        humidity: chip.measuresHumidity ? largest.humidity : nil))
  }
}
