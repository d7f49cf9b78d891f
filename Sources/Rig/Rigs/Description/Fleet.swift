package import I2C
package import Parts
import Text

/// Many identical parts, on additional buses.
///
/// The buses have consecutive numbers; each of them uses the same addresses in the same order until all parts are
/// placed. Number, name and seed of a part follow from its location, so that a run is a function of rig and seed.
package struct Fleet: Sendable {
  /// The prefix of the names of its parts.
  package let name: String
  /// The number of parts.
  package let count: Int
  /// The number of its first bus.
  package let firstBus: Int
  /// The addresses used on each bus, in order.
  package let addresses: [I2CAddress]
  /// The configuration of its parts.
  package let part: any ConfiguredPart
  /// The module of a cabin that they are in; `nil` for the first.
  package let module: String?

  /// Creates a fleet.
  package init(
    name: String, count: Int, firstBus: Int, addresses: [I2CAddress], part: any ConfiguredPart,
    module: String?
  ) {
    precondition(!addresses.isEmpty, "a fleet needs an address")
    (self.name, self.count, self.firstBus) = (name, count, firstBus)
    (self.addresses, self.part, self.module) = (addresses, part, module)
  }

  /// The number of buses.
  package var busCount: Int { (count + addresses.count - 1) / addresses.count }

  /// The numbers of its buses.
  package var buses: Range<Int> { firstBus..<firstBus + busCount }

  /// The addresses used on one of its buses; the last bus may have fewer than the others.
  package func addresses(on bus: Int) -> ArraySlice<I2CAddress> {
    guard buses.contains(bus) else { return [] }
    return addresses.prefix(count - (bus - firstBus) * addresses.count)
  }

  /// The numbers of its buses, for messages: `1` or `1 to 50000`.
  package var busText: String {
    busCount == 1 ? "\(firstBus)" : "\(firstBus) to \(buses.upperBound - 1)"
  }

  /// The addresses on each bus, for messages.
  package var addressText: String { addresses.prefix(count).lazy.map { "\($0)" }.shortened }

  /// The name of the part at a location, `part-1` for the first; `nil` if none of its parts is there.
  package func partName(at sensorID: Rig.SensorID) -> String? {
    partNumber(at: sensorID).map { "\(name)-\($0)" }
  }

  /// Adds the name of the part to a location if it belongs to the fleet.
  package func named(_ sensorID: Rig.SensorID) -> Rig.SensorID {
    Rig.SensorID(bus: sensorID.bus, address: sensorID.address, part: partName(at: sensorID))
  }

  /// The number of the part at a location, from 1; `nil` if none of its parts is there.
  package func partNumber(at sensorID: Rig.SensorID) -> Int? {
    addresses(on: sensorID.bus).firstIndex(of: sensorID.address).map {
      (sensorID.bus - firstBus) * addresses.count + $0 + 1
    }
  }
}

extension Rig {
  /// The buses that the file lists individually.
  package var describedBuses: ArraySlice<Bus> { buses.dropLast(fleet?.busCount ?? 0) }
}
