import Chips
package import Parts
import BME280
package import DriverDefects
package import Files
package import I2C
package import I2CTrace
package import VirtualI2C
import BME280Model
import Environment

/// A bus whose virtual sensors have the calibration and the raw values of a trace: it answers anything.
package struct TraceModel {
  /// A sensor made of what was recorded.
  package typealias Sensor = (model: any PartModel, part: any VirtualPart)

  package let adapter: VirtualAdapter
  package let sensors: [Sensor]

  /// Reads a trace to its end and makes its parts.
  ///
  /// - Throws: `Failure` when it is no trace, or holds no part whose calibration was read whole.
  package init(
    _ input: TraceInput, bus: TraceHeader.Bus, pace: Replay.Pace, clock: any I2CClock
  ) throws(Failure) {
    let parts = try Self.parts(of: input, bus: bus.number)
    adapter = VirtualAdapter(
      clock: clock, frequency: bus.frequency > 0 ? bus.frequency : 100_000, quirks: bus.quirks)
    var sensors: [Sensor] = []
    for (address, part) in parts.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let chip = part.chip, let nvm = part.nvm, !part.readings.isEmpty else { continue }
      let sensor = VirtualBME280(
        chip: chip, nvm: nvm, address: address, air: ScriptedAir(constant: .standard),
        codes: RecordedCodes(part.readings, pace: pace))
      guard (try? adapter.attach(sensor)) != nil else { continue }
      sensors.append((BME280Part(chip), sensor))
    }
    guard !sensors.isEmpty else {
      throw Failure(.badContent, "\(input.name): \(Self.shortcoming(of: parts))")
    }
    self.sensors = sensors
  }

  /// The parts at 0x76 and 0x77 of a bus.
  ///
  /// - Throws: `Failure` that names the line that is wrong.
  package static func parts(
    of input: TraceInput, bus: Int
  ) throws(Failure) -> [I2CAddress: RecordedPart] {
    var input = input
    var parts: [I2CAddress: RecordedPart] = [:]
    _ = try TraceCommands.each(&input) { _, transfer in
      guard transfer.bus == bus, let address = transfer.messages.first?.segment.address,
        address.rawValue & 0x3FE == 0x76
      else { return }
      parts[address, default: RecordedPart()].take(transfer)
    }
    return parts
  }

  private static func shortcoming(of parts: [I2CAddress: RecordedPart]) -> String {
    guard
      let (address, part) = parts.min(by: {
        $0.value.missingCalibration < $1.value.missingCalibration
      })
    else { return "nothing of a sensor at 0x76 or 0x77 is in it" }
    if part.missingCalibration > 0 {
      return "\(part.missingCalibration) bytes of the calibration of \(address) are not in it"
    }
    return part.readings.isEmpty
      ? "no measurement of \(address) is in it" : "\(address) is neither a BME280 nor a BMP280"
  }
}
