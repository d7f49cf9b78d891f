import Chips
package import Files
package import I2C
package import I2CTrace
package import Parts
import Text
package import VirtualI2C

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
      clock: clock, frequency: bus.frequency > 0 ? bus.frequency : I2CBusFrequency.standard,
      quirks: bus.quirks)
    var sensors: [Sensor] = []
    for (address, part) in parts.inOrder(by: { $0.key.rawValue < $1.key.rawValue }) {
      guard let sensor = part.part(at: address, pace: pace),
        (try? adapter.attach(sensor.part)) != nil
      else { continue }
      sensors.append(sensor)
    }
    guard !sensors.isEmpty else {
      throw Failure(.badContent, "\(input.name): \(Self.shortcoming(of: parts))")
    }
    self.sensors = sensors
  }

  /// What is told of the parts of a bus that can be made of a trace.
  ///
  /// - Throws: `Failure` that names the line that is wrong.
  package static func parts(
    of input: TraceInput, bus: Int
  ) throws(Failure) -> [I2CAddress: any PartRecord] {
    var input = input
    var parts: [I2CAddress: any PartRecord] = [:]
    _ = try TraceCommands.each(&input) { _, transfer in
      guard transfer.bus == bus, let address = transfer.messages.first?.segment.address,
        parts[address]?.take(transfer) == nil, var part = Catalogue.record(at: address)
      else { return }
      part.take(transfer)
      parts[address] = part
    }
    return parts
  }

  private static func shortcoming(of parts: [I2CAddress: any PartRecord]) -> String {
    let sorted = parts.inOrder { $0.key.rawValue < $1.key.rawValue }
    guard let (address, part) = sorted.min(by: { $0.value.missing < $1.value.missing }) else {
      let known = Catalogue.recordedAddresses.map { "\($0)" }.joined(separator: " or ")
      return "nothing of a sensor at \(known) is in it"
    }
    return part.shortcoming(at: address)
  }
}
