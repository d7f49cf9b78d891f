package import I2C
package import Parts
import Text

/// Many parts that are alike, on buses of their own.
///
/// The buses have numbers in a row; on each of them the same addresses are taken in the same order until all parts
/// have a place. A part's number, name and seed follow from its place, so that a run is a function of rig and seed.
package struct Fleet: Sendable {
  /// What its parts are called, before their numbers.
  package let name: String
  /// How many parts there are.
  package let count: Int
  /// The number of its first bus.
  package let firstBus: Int
  /// The addresses that are taken on each bus, in order.
  package let addresses: [I2CAddress]
  /// What each of them is.
  package let part: any ConfiguredPart
  /// In which module of a cabin they are; the first one where this is `nil`.
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

  /// How many buses it needs.
  package var busCount: Int { (count + addresses.count - 1) / addresses.count }

  /// The numbers of its buses.
  package var buses: Range<Int> { firstBus..<firstBus + busCount }

  /// The addresses that are taken on one of its buses; the last bus may have fewer than the others.
  package func addresses(on bus: Int) -> ArraySlice<I2CAddress> {
    guard buses.contains(bus) else { return [] }
    return addresses.prefix(count - (bus - firstBus) * addresses.count)
  }

  /// The numbers of its buses, as people read them: `1` or `1 to 50000`.
  package var busText: String {
    busCount == 1 ? "\(firstBus)" : "\(firstBus) to \(buses.upperBound - 1)"
  }

  /// The addresses on each bus, as people read them.
  package var addressText: String { addresses.prefix(count).lazy.map { "\($0)" }.shortened }

  /// The name of the part at a place, `part-1` for the first; `nil` where none of its parts is.
  package func partName(at place: Rig.SensorID) -> String? {
    partNumber(at: place).map { "\(name)-\($0)" }
  }

  /// The place of a part, with its name where it is one of the fleet's.
  package func named(_ place: Rig.SensorID) -> Rig.SensorID {
    Rig.SensorID(bus: place.bus, address: place.address, part: partName(at: place))
  }

  /// The number of the part at a place, from 1 on; `nil` where none of its parts is.
  package func partNumber(at place: Rig.SensorID) -> Int? {
    addresses(on: place.bus).firstIndex(of: place.address).map {
      (place.bus - firstBus) * addresses.count + $0 + 1
    }
  }
}

extension Rig {
  /// The buses that the file describes one by one.
  package var describedBuses: ArraySlice<Bus> { buses.dropLast(fleet?.busCount ?? 0) }
}
