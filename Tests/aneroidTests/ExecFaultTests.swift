import Foundation
import Testing

/// Faults injected by options of the command line.
struct ExecFaultTests {
  @Test("an injected fault affects the program and is reported at the end")
  func fires() throws {
    let flipped = try VirtualBusBench.shell(
      "i2cget -y 1 0x76 0xd0; i2cget -y 1 0x76 0xd0",
      options: ["--fault", "kind: bit-flip, register: 0xD0, mask: 2"])
    #expect(flipped.output == "0x62\n0x60\n")
    let report = "aneroid: fault bit-flip on bus 1 fired 1 of 1 times, at "
    #expect(flipped.errors.hasPrefix(report), "\(flipped.errors)")
    #expect(flipped.errors.hasSuffix(" s (transfer 1)\n"), "\(flipped.errors)")
    let late = try VirtualBusBench.shell(
      "i2cget -y 1 0x76 0xd0", options: ["--fault", "kind: nack-address, at: 1h"])
    #expect(late.errors.contains("fault nack-address on bus 1 fired 0 of 1 times"))
  }

  @Test("wire faults are injected on a replayed bus")
  func replayed() throws {
    let bus = ["--bus", "trace:fixtures/traces/saph.i2ctrace", "--replay", "model"]
    let script = "i2cget -y 1 0x76 0xd0; i2cget -y 1 0x76 0xd0; i2cget -y 1 0x76 0xd0"
    let plain = try VirtualBusBench.shell(script, options: bus)
    #expect(plain.output == "0x60\n0x60\n0x60\n")
    let faults = [
      "--fault", "kind: bit-flip, register: 0xD0, direction: read, mask: 2",
      "--fault", "kind: nack-address, after: 1", "--fault", "kind: bus-error, at: 1h",
    ]
    let faulty = try VirtualBusBench.shell(script, options: bus + faults)
    #expect(faulty.output == "0x62\n0x60\n")
    let reports = faulty.errors.split(separator: "\n").filter { $0.hasPrefix("aneroid: fault") }
    #expect(
      reports.map { $0.prefix { $0 != "," } } == [
        "aneroid: fault bit-flip on bus 1 fired 1 of 1 times",
        "aneroid: fault nack-address on bus 1 fired 1 of 1 times",
        "aneroid: fault bus-error on bus 1 fired 0 of 1 times",
      ], "\(faulty.errors)")
    #expect(reports.map { $0.hasSuffix(" (transfer 1)") } == [true, false, false])
    #expect(reports.map { $0.hasSuffix(" (transfer 2)") } == [false, true, false])
  }

  @Test("wire faults are injected on a hardware adapter, here a virtual /dev/i2c-1")
  func physical() throws {
    let tool = CommandLineTool.path.path
    let read = [tool, "read", "--bus", "/dev/i2c-1", "--format", "csv"]
    let plain = try VirtualBusBench.exec(read)
    #expect(plain.status == 0)
    let nacked = try VirtualBusBench.exec(read + ["--fault", "kind: nack-address, address: 0x76"])
    #expect(nacked.status == 69)
    #expect(nacked.errors.contains("address not acknowledged (message 0, ENXIO)"))
    #expect(nacked.errors.contains("aneroid: fault nack-address on bus 1 fired 1 of 1 times"))
    let elsewhere = try VirtualBusBench.exec(
      read + ["--fault", "kind: nack-address, address: 0x77"])
    #expect(elsewhere.status == 0)
    #expect(elsewhere.errors.contains("fired 0 of 1 times"))
    let rig = """
      name: physical
      clock: real
      duration: 1s
      buses: [{number: 1, physical: /dev/i2c-1}]
      pipeline: {bus: 1, samples: 2, sample_every: 100ms, cycle: 500ms, forecast: none}
      faults: [{kind: nack-address, register: 0xF7, count: 1}]
      expect: [{that: readings, count: 3}, {that: transfers, errors: 1}, {that: faults, all: fired}]
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try VirtualBusBench.exec([tool, "run", path])
      #expect(result.status == 0, "\(result.output)\(result.errors)")
    }
  }

  @Test(
    "without a virtual sensor, faults within a sensor are rejected; a missing adapter is reported",
    arguments: ["exec", "read"])
  func refused(_ command: String) throws {
    func run(_ bus: String, _ fault: String) throws -> CommandLineTool.Result {
      let end = command == "exec" ? ["--", "true"] : []
      return try VirtualBusBench.run([command, "--bus", bus, "--fault", fault] + end)
    }
    for kind in ["power-loss", "frozen", "wrong-calibration"] {
      let result = try run("trace:fixtures/traces/saph.i2ctrace", "kind: \(kind)")
      #expect(result.status == 78)
      #expect(
        result.errors.contains(
          "'\(kind)' acts on a virtual part, but bus 1 has none (accepted: nack-address,"
        ), "\(result.errors)")
    }
    let bridge = try run("trace:fixtures/traces/saph.i2ctrace", "kind: bridge-lost")
    #expect(bridge.status == 78)
    #expect(bridge.errors.contains("bus 1 has no bridge"))
    let absent = try run("/dev/i2c-250", "kind: nack-address")
    #expect(absent.status == 69)
    #expect(absent.errors.contains("/dev/i2c-250: cannot be opened: the node does not exist"))
  }

  @Test("faults of every kind are injected into virtual sensors")
  func read() throws {
    func read(_ fault: String) throws -> CommandLineTool.Result {
      try VirtualBusBench.run([
        "read", "--bus", "rig:rigs/thesis.yaml", "--format", "csv", "--fault", fault,
      ])
    }
    let late = try read("kind: offset, pressure: 5hPa, at: 1h")
    let off = try read("kind: offset, pressure: 5hPa")
    #expect(late.errors == "aneroid: fault offset on bus 1 fired 0 times\n")
    #expect(off.errors.hasPrefix("aneroid: fault offset on bus 1 fired once, at "))
    #expect(off.output != late.output)
  }

  @Test("an error in the value of --fault gives exit status 78 and names the wrong word")
  func mistake() throws {
    let result = try VirtualBusBench.shell("true", options: ["--fault", "kind: bit-flop"])
    #expect(result.status == 78)
    #expect(result.errors.contains("'bit-flop'") && result.errors.contains("bit-flip"))
    let part = try VirtualBusBench.shell("true", options: ["--fault", "kind: nack"])
    #expect(part.errors.contains("; did you mean 'nack-address' or 'nack-data'?"), "\(part.errors)")
  }
}
