import Bench
import I2C
import Parts
import Rigs
import Runs
import Support
import TestSupport
import Testing

/// Fleets: many parts created from one template, each with its own location, name and noise.
struct FleetTests {
  static let head = """
    name: hall
    duration: 1h
    fleet:
      count: 5
      template: {model: bme280, calibration: ../fixtures/calibrations/periph-i2c.yaml, noise: datasheet}
    pipeline: {sensors: all, samples: 1, cycle: 30min}

    """

  static func rig(_ old: String = "", _ new: String = "") throws -> Rig {
    precondition(head.contains(old) || old.isEmpty)
    let text = old.isEmpty ? head : head.replacing(old, with: new)
    return try Rig(text: text, file: SampleRig.file)
  }

  @Test("the parts of a fleet get the addresses of their model, on as many buses as needed")
  func places() throws {
    let rig = try Self.rig()
    #expect(rig.buses.map(\.number) == [1, 2, 3])
    #expect(rig.buses.map { $0.devices.map(\.address) } == [[0x76, 0x77], [0x76, 0x77], [0x76]])
    #expect(rig.pipeline?.sensors.count == 5)
  }

  @Test(
    "the parts of a fleet get the addresses in the rig, on buses numbered after the other buses")
  func addresses() throws {
    let own = """
      buses:
        - number: 40
          devices: [{address: 0x40, model: sht21}]
      fleet:
        addresses: [0x08, 0x10, 0x77, 0x22]
        adapter: {frequency: 1MHz}
      """
    let rig = try Self.rig("fleet:", own)
    #expect(rig.buses.map(\.number) == [40, 41, 42])
    #expect(rig.buses[1].devices.map(\.address) == [0x08, 0x10, 0x77, 0x22])
    #expect(rig.buses[2].devices.map(\.address) == [0x08])
    #expect(rig.buses[2].adapter.frequency == 1_000_000)
    var readings = 0
    _ = try RigRun(rig).run { if case .reading = $0 { readings += 1 } }
    #expect(readings == 12)
  }

  @Test(
    "a part's number follows from its bus and address; an address outside the fleet has no name")
  func names() throws {
    let fleet = try #require(try Self.rig("count: 5", "count: 5\n  name: shelf").fleet)
    func name(_ bus: Int, _ address: I2CAddress) -> String? {
      fleet.partName(at: Rig.SensorID(bus: bus, address: address))
    }
    #expect(name(1, 0x76) == "shelf-1")
    #expect(name(3, 0x76) == "shelf-5")
    #expect(name(3, 0x77) == nil)
    #expect(name(4, 0x76) == nil)
    #expect(name(0, 0x76) == nil)
  }

  @Test("every event of a part contains the name of the part, in JSON and in text")
  func eventNames() throws {
    var names: [String: Set<String>] = [:]
    try RigRun(try Self.rig("count: 5", "count: 5\n  name: shelf")).run { event in
      guard case .object(let members) = event.json,
        members.contains(where: { $0.key == "address" })
      else { return }
      let kind = members.first { $0.key == "event" }.map { "\($0.value)" } ?? ""
      let name = members.first { $0.key == "part" }.map { "\($0.value)" } ?? "none"
      names[kind, default: []].insert(name)
    }
    #expect(names.count >= 2)
    for (kind, found) in names { #expect(found.count == 5, "\(kind): \(found)") }
  }

  @Test("a part outside a fleet has no name in its events")
  func alone() throws {
    let place = Rig.SensorID(bus: 1, address: 0x76)
    let reading = RunEvent.Reading(time: 0, sensorID: place, sample: Sample(celsius: 20))
    #expect(!reading.json(.reading).compact.contains("part"))
    #expect(place == Rig.SensorID(bus: 1, address: 0x76, part: "part-1"))
  }

  @Test("each part has its own noise, which follows from the seed alone")
  func seeds() throws {
    func pressures(seed: UInt64) throws -> [Double] {
      var rig = try Self.rig()
      rig.seed = seed
      var found: [Double] = []
      try RigRun(rig).run {
        if case .reading(let reading) = $0, let pascals = reading.sample.pascals {
          found.append(pascals)
        }
      }
      return found
    }
    let first = try pressures(seed: 1)
    // Two of five may be equal, because the steps of the ADC are coarse.
    #expect(Set(first.prefix(5)).count > 2)
    #expect(try pressures(seed: 1) == first)
    #expect(try pressures(seed: 2) != first)
  }

  struct ErrorCase: CustomTestStringConvertible {
    let old, new, message: String
    var testDescription: String { new }
  }

  @Test(
    "an error in a fleet is reported once, at its position",
    arguments: [
      ErrorCase(
        old: "count: 5", new: "count: 0",
        message: "4:10: error: count: '0' is not a whole number from 1 to 100000"),
      ErrorCase(
        old: "count: 5", new: "count: 100001",
        message: "4:10: error: count: '100001' is not a whole number from 1 to 100000"),
      ErrorCase(
        old: "  count: 5\n", new: "",
        message: "4:3: error: fleet lacks 'count': the number of parts"),
      ErrorCase(
        old: "count: 5", new: "count: 5\n  addresses: [0x20, 0x21, 0x20]",
        message: "5:27: error: duplicate address 0x20"),
      ErrorCase(
        old: "count: 5", new: "count: 5\n  addresses: [0x78]",
        message: "5:15: error: an entry of addresses: '0x78' is not an address from 0x08 to 0x77"),
      ErrorCase(
        old: "noise: datasheet", new: "nois: datasheet",
        message: "5:84: error: unknown key 'nois' in template; did you mean 'noise'?"),
      ErrorCase(
        old: "noise: datasheet", new: "address: 0x76",
        message: "5:84: error: unknown key 'address' in template"),
      ErrorCase(
        old: "../fixtures/calibrations/periph-i2c.yaml",
        new: "{0x88: \"00\", 0xE1: \"6e01001305001e\"}",
        message: "5:49: error: 0x88 of a bme280 takes 26 bytes (52 digits), not 2 digits"),
      ErrorCase(
        old: "fleet:",
        new:
          "buses: [{number: 4, devices: [{address: 0x40, model: sht21}]}]\nfleet:\n  first_bus: 2",
        message: "5:14: error: duplicate bus number 4: the fleet uses 2 to 4"),
      ErrorCase(
        old: "count: 5", new: "count: 5\n  first_bus: 1048575",
        message:
          "5:14: error: 5 parts need 3 buses from number 1048575, but the largest bus number is 1048575"
      ),
      ErrorCase(
        old: "cycle: 30min", new: "cycle: 30ms",
        message: "6:11: error: 5 sensors, one after the other, take"),
      ErrorCase(
        old: "sensors: all", new: "bus: 1",
        message: "6:17: error: several sensors match: 0x76 on bus 1, 0x77 on bus 1; set"),
      ErrorCase(
        old: "duration: 1h",
        new: "duration: 1h\nenvironment: {constant: {}}\nfaults: [{kind: frozen}]",
        message: "4:10: error: 'bus' is missing (accepted: 1, 2, 3"),
    ])
  func mistakes(_ errorCase: ErrorCase) throws {
    let error = #expect(throws: Failure.self) { try Self.rig(errorCase.old, errorCase.new) }
    let messages = try #require(error).messages
    #expect(messages.count == 1)
    #expect(
      messages.first?.hasPrefix("\(SampleRig.file):\(errorCase.message)") == true, "\(messages)")
  }
}
