package import BME280
package import BME280Model
import Environment
package import I2C
package import I2CTrace
package import Parts
import Quantities
import Support

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
        "the trace lacks \("byte".counted(missing)) of the calibration of \(address)"
    }
    return readings.isEmpty
      ? "the trace contains no measurement of \(address)"
      : "\(address) is neither a BME280 nor a BMP280"
  }

  /// Returns the largest difference of each quantity between the results of two records.
  ///
  /// The records are compared reading by reading. Each is compensated with its own calibration;
  /// without both calibrations, the result is `nil`.
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

/// The recorded codes that a replayed part returns; each reading is valid from the time of the
/// previous reading to its own time.
package final class RecordedCodes: CodeSource {
  private let readings: [RecordedPart.Reading]
  private let pace: Replay.Pace
  private var next = 0

  package init(_ readings: [RecordedPart.Reading], pace: Replay.Pace) {
    self.readings = readings
    self.pace = pace
  }

  /// Returns the codes of the first reading at or after a time, or of the last reading if there is
  /// none.
  ///
  /// If the replay ignores the recorded times, each call returns the codes of the next reading.
  package func codes(at time: UInt64) -> RawMeasurement {
    if pace.factor == 0 {
      defer { next = min(next + 1, readings.count - 1) }
      return readings[next].raw
    }
    while next > 0, Double(readings[next - 1].time) * pace.factor >= Double(time) { next -= 1 }
    while next < readings.count - 1, Double(readings[next].time) * pace.factor < Double(time) {
      next += 1
    }
    return readings[next].raw
  }
}
