import Foundation
import TestSupport
import Testing

/// Static, multithreaded, interrupted and hostile clients.
struct ExecClientTests {
  typealias User = VirtualBusBench.User

  @Test(
    "a static binary, libi2c, a Go program and sixteen threads read the sensor",
    arguments: [
      ("raw", "2 60 1 1 60"), ("libi2c", "60 6e10 8 10 6e 6c 66 32 00 5d 95"),
      ("reader", "listed: 1 device: true right: 400"), ("threads", "wrong: 0 of 4800"),
    ], User.allCases)
  func client(_ client: (name: String, output: String), _ user: User) throws {
    let result = try VirtualBusBench.exec([VirtualBusBench.client(client.name)], as: user)
    #expect(result.output == client.output + "\n")
    #expect(result.errors.isEmpty)
    #expect(result.status == 0)
  }

  @Test("while a timer signal arrives every 100 us, no transfer is repeated or lost")
  func storm() throws {
    let result = try VirtualBusBench.exec(
      [VirtualBusBench.client("storm"), "20000"], options: ["--log"])
    #expect(result.output == "failed: 0, interrupted: often\n")
    let writes = result.errors.split(separator: "\n").filter { $0.contains("w f2 0") }
    #expect(writes.count == 20_000)
    // The counter increments each time, so a duplicate cannot hide a loss.
    let values = writes.compactMap { $0.split(separator: "w f2 0").last?.first?.wholeNumberValue }
    #expect(values == (0..<20_000).map { $0 & 7 })
  }

  @Test("after many calls of a hostile client, the bus still works")
  func hostile() throws {
    let calls = Repetitions.count(200_000, long: 1_000_000)
    let seed = Seeded("hostile client").seed
    let result = try VirtualBusBench.run(
      [
        "exec", "--clock", "virtual", "--", VirtualBusBench.client("hostile"), "\(calls)",
        "\(seed)",
      ],
      seconds: 240)
    #expect(result.output == "calls: \(calls), seed: \(seed), then: 2 60\n")
    #expect(result.status == 0)
  }

  @Test("hostile clients leak no descriptors and no memory")
  func leaks() throws {
    let hostile = VirtualBusBench.client("hostile")
    // The parent of the shell is the guard, and the guard's parent the supervisor.
    let script = """
      supervisor=$(cut -d' ' -f4 /proc/$PPID/stat)
      look() { ls /proc/$supervisor/fd | wc -l; grep VmRSS /proc/$supervisor/status | tr -dc 0-9; echo; }
      \(hostile) 20000 1 >/dev/null; look; \(hostile) 200000 2 >/dev/null; look
      """
    let numbers = try VirtualBusBench.shell(script).outputLines.compactMap(Int.init)
    try #require(numbers.count == 4)
    #expect(numbers[2] == numbers[0])
    #expect(numbers[3] < numbers[1] + 4096, "kB before and after: \(numbers[1]), \(numbers[3])")
  }

  @Test("with 32 concurrent clients no transfer is lost or torn")
  func many() throws {
    let program = VirtualBusBench.client("libi2c")
    let result = try VirtualBusBench.shell(
      "for i in $(seq 32); do (for j in $(seq 10); do \(program); done) & done; wait")
    let lines = result.outputLines
    #expect(lines.count == 320)
    #expect(Set(lines) == ["60 6e10 8 10 6e 6c 66 32 00 5d 95"])
  }

  @Test("'aneroid read' gives the same values from the virtual node as from the rig")
  func ourselves() throws {
    let tool = CommandLineTool.path.path
    for rig in ["rigs/thesis.yaml", "rigs/many-sensors.yaml"] {
      let bus = rig == "rigs/thesis.yaml" ? 1 : 2
      let inside = try VirtualBusBench.exec(
        [tool, "read", "--bus", "/dev/i2c-\(bus)", "--format", "jsonl"],
        options: ["--rig", rig])
      let outside = try CommandLineTool.run(
        "read", "--bus", "rig:\(rig)#\(bus)", "--format", "jsonl")
      func withoutTime(_ text: String) -> String {
        text.replacing(/"t":[0-9.e-]+,/, with: "")
      }
      #expect(inside.status == 0, "\(inside.errors)")
      #expect(withoutTime(inside.output).hasPrefix("{\"event\":\"reading\",\"bus\":\(bus)"))
      #expect(withoutTime(inside.output) == withoutTime(outside.output))
    }
  }

  @Test("a rig can use a hardware adapter, here a virtual /dev/i2c-1")
  func physical() throws {
    let rig = """
      name: physical
      clock: real
      duration: 1s
      buses: [{number: 1, physical: /dev/i2c-1}]
      pipeline: {bus: 1, samples: 2, sample_every: 100ms, cycle: 500ms, forecast: none}
      environment: {constant: {pressure: 1013.25hPa, temperature: 21C, humidity: 50%}}
      expect: [{that: readings, count: 4}, {that: pressure, within: 5Pa, of: environment}]
      """
    try CommandLineTool.withFile(rig) { path in
      let result = try VirtualBusBench.exec([CommandLineTool.path.path, "run", path])
      #expect(result.status == 0, "\(result.output)\(result.errors)")
      let alone = try CommandLineTool.run("run", path)
      #expect(alone.status == 69)
      #expect(alone.errors.contains("/dev/i2c-1: cannot be opened: the node does not exist"))
    }
  }

  @Test("--log prints one line per transfer")
  func log() throws {
    let result = try VirtualBusBench.shell(
      "i2cget -y 1 0x76 0xd0; i2cget -y 1 0x77 0xd0", options: ["--log"])
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0].contains(/^aneroid: \d+\.\d{6} i2c-1 0x76  w d0  r 60   [\d.]+ us$/))
    #expect(
      lines[1].hasSuffix(
        "i2c-1 0x77  w d0  r [1]   failed: address not acknowledged (message 0, ENXIO)"))
  }
}
