import Chips
import Parts
import Rigs
import Testing

/// The address of a device.
struct DeviceAddressTests {
  private static func devices(_ keys: String) throws -> [Rig.Device] {
    let text = "name: bench\nduration: 1s\nbuses: [{number: 1, devices: [\(keys)]}]\n"
    return try Rig(text: text, file: "bench.yaml").buses[0].devices
  }

  @Test(
    "the default address of a device is the first address of its part",
    arguments: Catalogue.models.map(\.name))
  func first(name: String) throws {
    let model = try #require(Catalogue.model(named: name))
    #expect(try Self.devices("{model: \(name)}").map(\.address) == [model.addresses[0]])
  }

  @Test("a device can have any address of its part", arguments: Catalogue.models.map(\.name))
  func given(name: String) throws {
    let model = try #require(Catalogue.model(named: name))
    for address in model.addresses {
      let found = try Self.devices("{model: \(name), address: \(address)}").map(\.address)
      #expect(found == [address])
    }
  }
}
