import Chips
package import I2C
package import I2CTrace
package import Parts
package import Support
package import VirtualI2C

/// A bus with virtual sensors that use the calibration and the raw values found in a trace.
///
/// It responds to any request.
package struct TraceModel {
  /// A virtual sensor created from recorded transfers, with the sensor model that it simulates.
  package typealias Sensor = (model: any PartModel, part: any VirtualPart)

  package let adapter: VirtualAdapter
  package let sensors: [Sensor]

  /// Reads a trace to its end and creates its parts.
  ///
  /// - Throws: `Failure` if the input is not a valid trace, or does not contain the whole
  ///   calibration of any part.
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

  /// Returns the recorded data of each part on a bus, from which models can be created.
  ///
  /// - Throws: `Failure` with the line number of an error.
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
      return "it has no transfers with a sensor at \(known)"
    }
    return part.shortcoming(at: address)
  }
}

/// The identification of a part in a trace, for addresses that several sensor families share.
package enum TracedPart {
  /// Returns the part whose protocol matches the transfers with an address.
  ///
  /// The part is not identified by reads on the replayed bus, because that bus responds only to
  /// recorded requests.
  ///
  /// - Parameters:
  ///   - address: the address of the part.
  ///   - file: the path of the trace. Standard input is not read, because it can be read only once.
  ///   - bus: the number of the bus in the trace, which is the N in /dev/i2c-N.
  /// - Returns: the part; `nil` if only one family uses this address, or the transfers match no
  ///   family.
  /// - Throws: `Failure` if the trace does not exist, or with the line number of an error.
  package static func model(
    at address: I2CAddress, in file: String, bus: Int
  ) throws(Failure) -> (any PartModel)? {
    guard Catalogue.families(at: address).count > 1, file != "-" else { return nil }
    var input = try TraceInput(file)
    var text = RegisterText()
    _ = try TraceCommands.each(&input) { _, transfer in
      guard transfer.bus == bus, transfer.messages.first?.segment.address == address else { return }
      _ = text.meaning(of: transfer)
    }
    return text.model(at: address, on: bus)
  }
}

/// Explains the transfers in a trace, according to the part at their address.
///
/// A trace does not name the parts on its bus. If several sensor families share an address, the
/// family is used for which the number of explained transfers minus the number of transfers that do
/// not fit is highest so far. Ties are resolved by the order of the catalogue.
package struct RegisterText {
  /// A part that may be at an address.
  private struct Candidate {
    let model: any PartModel
    var text: any TransferText
    /// The number of transfers that the part has explained.
    var known = 0

    /// The number of explained transfers minus the number of transfers that do not fit the part.
    var belief: Int { known - text.doubts }
  }

  private struct BusAddress: Hashable {
    let bus: Int
    let address: I2CAddress
  }

  private var candidates: [BusAddress: [Candidate]] = [:]

  package init() {}

  /// Returns the meaning of the trace's next transfer; `nil` if the most likely part does not
  /// explain it.
  package mutating func meaning(of transfer: TracedTransfer) -> String? {
    guard let address = transfer.messages.first?.segment.address else { return nil }
    let key = BusAddress(bus: transfer.bus, address: address)
    var candidates = candidates.removeValue(forKey: key) ?? Self.candidates(at: address)
    defer { self.candidates[key] = candidates }
    var best: (belief: Int, meaning: String?)?
    for index in candidates.indices {
      let meaning = candidates[index].text.meaning(of: transfer)
      if meaning != nil { candidates[index].known += 1 }
      if best.map({ candidates[index].belief > $0.belief }) ?? true {
        best = (candidates[index].belief, meaning)
      }
    }
    return best?.meaning
  }

  /// Returns the most likely part at an address; `nil` if the transfers match no part.
  package func model(at address: I2CAddress, on bus: Int) -> (any PartModel)? {
    let believed =
      candidates[BusAddress(bus: bus, address: address)]?.filter { $0.belief > 0 } ?? []
    return believed.reduce(nil as Candidate?) { best, next in
      best.map { $0.belief >= next.belief } == true ? best : next
    }?.model
  }

  /// Returns one part for each family that uses an address.
  private static func candidates(at address: I2CAddress) -> [Candidate] {
    Catalogue.families(at: address).map { Candidate(model: $0, text: $0.text) }
  }
}
