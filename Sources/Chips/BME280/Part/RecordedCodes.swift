package import BME280
import BME280Model
package import DriverDefects
package import I2CTrace

/// The raw values of a recorded part, each from the time of the reading before it on.
package final class RecordedCodes: CodeSource {
  private let readings: [RecordedPart.Reading]
  private let pace: Replay.Pace
  private var next = 0

  package init(_ readings: [RecordedPart.Reading], pace: Replay.Pace) {
    self.readings = readings
    self.pace = pace
  }

  /// What was read first at or after a time; the last reading holds for ever.
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
