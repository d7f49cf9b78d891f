import Bench
import I2C
import Rigs
import Support
import Testing

/// Buses behind multiplexers in a rig.
struct MultiplexerRigTests {
  static let head = """
    name: two at one address
    buses:
      - number: 1
        adapter: {frequency: 400kHz}
        devices: [{model: tca9548a, channels: [11, none, 12]}]
      - {number: 11, devices: [{model: bme280}]}
      - {number: 12, devices: [{model: bme280}]}

    """

  @Test("a bus behind a multiplexer has the adapter of the bus above it, and its name in messages")
  func described() throws {
    let rig = try Rig(text: Self.head, file: "rig.yaml")
    #expect(rig.channels[12]?.words == "channel 2 of 0x70 on bus 1")
    #expect(rig.buses.map(\.adapter.frequency) == [400_000, 400_000, 400_000])
    #expect(rig.findings.map(\.message) == ["ok"])
  }

  @Test("parts with one address behind a multiplexer are different parts, each on its bus")
  func parts() throws {
    let bench = try Bench(try Rig(text: Self.head, file: "rig.yaml"))
    let parts = [11, 12].compactMap { bench.bus($0)?.sensors.first?.part }
    #expect(parts.count == 2 && parts[0] !== parts[1])
    for number in [11, 12] {
      let bus = try #require(bench.bus(number))
      #expect(try bus.adapter.readRegister(0xD0, at: 0x76) == 0x60)
      #expect(bus.frequency == 400_000)
    }
    let above = try #require(bench.bus(1))
    #expect(throws: I2CError.self) { try above.adapter.readRegister(0xD0, at: 0x77) }
    #expect(above.meter.transfers == 5, "two selections, two reads and one that failed")
  }

  @Test(
    "a channel that leads nowhere, to itself, twice or to a bus with an adapter is an error",
    arguments: [
      ("[11, none, 12]", "[11, 13]", "unknown bus '13'"),
      ("[11, none, 12]", "[1]", "bus 1 is the bus of the multiplexer"),
      ("[11, none, 12]", "[11, 11]", "bus 11 is already behind a multiplexer"),
      ("[11, none, 12]", "[11, soon]", "or 'none', not 'soon'"),
      (
        "{number: 12,", "{number: 12, adapter: {frequency: 1MHz},",
        "bus 12 is reached through the multiplexer, so it has no 'adapter'"
      ),
      (
        "[11, none, 12]", "[none, none, none, none, none, none, none, none, 11]",
        "a multiplexer has 8 channels"
      ),
      (
        "{model: tca9548a,", "{model: tca9548a, address: 0x78,",
        "'0x78' is not an address from 0x70 to 0x77"
      ),
      (
        "devices: [{model: bme280}]}\n  - {number: 12",
        "devices: [{model: tca9548a, channels: [12]}]}\n  - {number: 12",
        "bus 12 is already behind a multiplexer"
      ),
    ])
  func mistakes(_ old: String, _ new: String, _ message: String) throws {
    let text = Self.head.replacing(old, with: new)
    try #require(text != Self.head)
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: "rig.yaml") }
    #expect(failure?.messages.joined(separator: "\n").contains(message) == true, "\(failure!)")
  }

  @Test("two buses that are behind each other are an error, reported once")
  func circle() {
    let text = """
      name: circle
      buses:
        - {number: 1, devices: [{model: tca9548a, channels: [2]}]}
        - {number: 2, devices: [{model: tca9548a, address: 0x71, channels: [1]}]}
      """
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: "rig.yaml") }
    #expect(failure?.messages.count { $0.contains("bus 1 is behind itself") } == 1)
  }

  @Test("one address on a bus and behind it is a warning, because both parts respond")
  func collision() throws {
    let text = Self.head.replacing(
      "channels: [11, none, 12]}", with: "channels: [11, none, 12]}, {model: bme280}")
    let rig = try Rig(text: text, file: "rig.yaml")
    #expect(
      rig.findings.map(\.message).filter { $0.contains("both respond") } == [
        "0x76 is used on bus 11 and on bus 1 above it: both respond",
        "0x76 is used on bus 12 and on bus 1 above it: both respond",
      ])
  }

  @Test("a fault can act on a bus that has only a multiplexer")
  func faults() throws {
    let rig = try Rig(
      text: Self.head + "\nfaults: [{bus: 1, at: 0s, kind: nack-address}]\n", file: "rig.yaml")
    #expect(rig.faults.count == 1)
    var other = try Rig(text: Self.head, file: "rig.yaml")
    try other.plan(fault: "kind: power-loss, address: 0x70, at: 1s, bus: 1")
    #expect(other.faults.count == 1)
  }

  @Test("firmware cannot have a controller at a bus behind a multiplexer")
  func firmware() {
    let text =
      Self.head + """
        duration: 1min
        firmware: {image: image.hex, i2c: {TWI: 11}}
        """
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: "rig.yaml") }
    #expect(failure?.messages.joined().contains("bus 11 is behind a multiplexer") == true)
  }
}
