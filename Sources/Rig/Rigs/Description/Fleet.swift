package import I2C
package import Parts
import Support

/// Many identical parts, on additional buses.
///
/// The buses have consecutive numbers; each of them uses the same addresses in the same order until
/// all parts are placed. The number, name and seed of a part follow from its location, so a run
/// depends only on the rig and its seed.
package struct Fleet: Sendable {
  /// The prefix of the names of the parts.
  package let name: String
  /// The number of parts.
  package let count: Int
  /// The number of the first bus of the fleet.
  package let firstBus: Int
  /// The addresses used on each bus, in order.
  package let addresses: [I2CAddress]
  /// The configuration that all parts share.
  package let part: any ConfiguredPart
  /// The cabin module that the parts are in; `nil` for the first module.
  package let module: String?

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

  /// The numbers of the buses of the fleet.
  package var buses: Range<Int> { firstBus..<firstBus + busCount }

  /// Returns the addresses used on one bus of the fleet; the last bus may have fewer than the other
  /// buses.
  package func addresses(on bus: Int) -> ArraySlice<I2CAddress> {
    guard buses.contains(bus) else { return [] }
    return addresses.prefix(count - (bus - firstBus) * addresses.count)
  }

  /// The numbers of the buses of the fleet, for messages: `1` or `1 to 50000`.
  package var busText: String {
    busCount == 1 ? "\(firstBus)" : "\(firstBus) to \(buses.upperBound - 1)"
  }

  /// The addresses on each bus, for messages.
  package var addressText: String { addresses.prefix(count).lazy.map { "\($0)" }.shortened }

  /// Returns the name of the part at a location, such as `part-1` for the first; `nil` if the fleet
  /// has no part there.
  package func partName(at sensorID: Rig.SensorID) -> String? {
    partNumber(at: sensorID).map { "\(name)-\($0)" }
  }

  /// Adds the name of the part to a location if the location belongs to the fleet.
  package func named(_ sensorID: Rig.SensorID) -> Rig.SensorID {
    Rig.SensorID(bus: sensorID.bus, address: sensorID.address, part: partName(at: sensorID))
  }

  /// Returns the number of the part at a location, from 1; `nil` if the fleet has no part there.
  package func partNumber(at sensorID: Rig.SensorID) -> Int? {
    addresses(on: sensorID.bus).firstIndex(of: sensorID.address).map {
      (sensorID.bus - firstBus) * addresses.count + $0 + 1
    }
  }
}

extension Rig {
  /// The buses that the rig file lists individually, without those of the fleet.
  package var describedBuses: ArraySlice<Bus> { buses.dropLast(fleet?.busCount ?? 0) }
}
