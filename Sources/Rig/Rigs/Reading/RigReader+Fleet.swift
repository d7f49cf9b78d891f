import Chips
import I2C
import Parts
package import Schema

extension RigReader {
  /// Creates the fleet of a rig and checks that its buses are free.
  ///
  /// The template is read once, so that a mistake in it is told once, where it stands.
  ///
  /// - Parameters:
  ///   - value: the fleet.
  ///   - taken: the numbers of the other buses.
  /// - Returns: the fleet, or `nil` where it is wrong; the mistakes have been noted.
  package mutating func fleet(_ value: CheckedValue?, after taken: [Int]) -> Fleet? {
    guard let value, value.isSound, let count = value["count"]?.integer,
      let template = value["template"],
      let model = Catalogue.model(named: template["model"]?.text ?? ""),
      let part = model.configured(template, &document),
      let addresses = fleetAddresses(value["addresses"], of: model)
    else { return nil }
    let fleet = Fleet(
      name: value["name"]?.text ?? "part", count: count,
      firstBus: value["first_bus"]?.integer ?? taken.max().map { $0 + 1 } ?? 1,
      addresses: addresses, part: part, module: template["module"]?.text)
    let position = (value["first_bus"] ?? value).position
    let (first, last) = (fleet.buses.lowerBound, fleet.buses.upperBound - 1)
    guard last <= I2CBusNumber.all.upperBound else {
      checker.note(
        "\(count) parts need \(fleet.busCount) buses from number \(first) on, "
          + "and the last number is \(I2CBusNumber.all.upperBound)", at: position)
      return nil
    }
    if let other = taken.first(where: fleet.buses.contains) {
      checker.note(
        "there is already a bus number \(other): the fleet takes \(first) to \(last)", at: position)
      return nil
    }
    return fleet
  }

  /// The buses of a fleet.
  package func buses(of fleet: Fleet, _ value: CheckedValue) -> [Rig.Bus] {
    let adapter = adapter(value["adapter"])
    let isBound = value["template"]?["bound"]?.boolean ?? false
    return fleet.buses.map { number in
      Rig.Bus(
        number: number, source: .devices, line: value.position.line, adapter: adapter,
        devices: fleet.addresses(on: number).map {
          Rig.Device(address: $0, part: fleet.part, isBound: isBound, module: fleet.module)
        },
        bridge: nil)
    }
  }

  private mutating func fleetAddresses(
    _ value: CheckedValue?, of model: any PartModel
  ) -> [I2CAddress]? {
    guard let value else { return model.addresses }
    var addresses: [I2CAddress] = []
    for entry in value.list {
      guard let number = entry.integer, let address = I2CAddress(rawValue: UInt16(number)) else {
        continue
      }
      guard !addresses.contains(address) else {
        checker.note("there is already a part at \(address) on each bus", at: entry.position)
        return nil
      }
      addresses.append(address)
    }
    return addresses
  }
}
