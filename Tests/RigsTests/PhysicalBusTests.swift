import Bench
import I2C
import Rigs
import Support
import Testing

/// Physical buses: real adapters in a rig.
struct PhysicalBusTests {
  static func rig(_ bus: String, clock: String = "real", more: String = "") throws -> Rig {
    try Rig(
      text: """
        name: physical
        clock: \(clock)
        duration: 1s
        buses:
          - {number: 1, \(bus)}
        \(more)
        """, file: "rig.yaml")
  }

  @Test("on a physical bus, the sensor has the address given in the pipeline")
  func read() throws {
    let rig = try Self.rig(
      "physical: /dev/i2c-7",
      more: "pipeline: {bus: 1, address: 0x77, samples: 1, cycle: 500ms, forecast: none}")
    #expect(rig.buses[0].source == .physical("/dev/i2c-7"))
    #expect(rig.buses[0].devices.isEmpty)
    #expect(rig.pipeline?.sensors == [Rig.SensorID(bus: 1, address: 0x77)])
  }

  @Test(
    "a bus is either virtual or physical, and a physical bus needs real time",
    arguments: [
      (
        "adapter: {}", "real",
        "a bus needs 'devices', or 'physical' for a real bus, or 'trace' for a replayed bus"
      ),
      (
        "physical: /dev/i2c-1, devices: [{address: 0x76, model: bme280, calibration: none.yaml}]",
        "real", "'devices' is not allowed on a physical bus"
      ),
      ("physical: /dev/i2c-1, adapter: {}", "real", "'adapter' is not allowed on a physical bus"),
      ("physical: /dev/i2c-1", "virtual", "a physical bus needs 'clock: real'"),
    ])
  func mistakes(_ bus: String, _ clock: String, _ message: String) {
    let failure = #expect(throws: Failure.self) { try Self.rig(bus, clock: clock) }
    #expect(failure?.kind == .badRig)
    #expect(
      failure?.messages.contains { $0.hasSuffix(message) } == true, "\(failure?.messages ?? [])")
  }

  @Test("a missing adapter of a physical bus is reported before the run starts")
  func absent() throws {
    let rig = try Self.rig("physical: /dev/i2c-250")
    let failure = #expect(throws: Failure.self) { try Bench(rig) }
    #expect(failure?.kind == .unavailable)
  }
}
