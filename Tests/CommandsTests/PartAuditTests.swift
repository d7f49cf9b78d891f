import Foundation
import Support
import TestSupport
import Testing

/// `audit --part` finds defects of programs for any part, from its description alone.
struct PartAuditTests {
  /// The verdict of each scenario for a program that reads a part.
  static func verdicts(
    _ part: String, _ program: [String], environment: [String: String] = [:]
  ) throws -> (status: Int32, verdicts: [String: String]) {
    let result = try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      environment.map { "\($0)=\($1)" } + [CommandLineTool.path.path]
        + ["audit", "--part", part, "--format", "json", "--"] + program)
    let report = try #require(JSONValue(reading: Array(result.output.utf8)), "\(result.errors)")
    var verdicts: [String: String] = [:]
    for scenario in report["scenarios"]?.array ?? [] {
      verdicts[scenario["scenario"]?.text ?? ""] = scenario["verdict"]?.text
    }
    return (result.status, verdicts)
  }

  @Test("a correct program has no finding, and each of its errors is reported")
  func correct() throws {
    let (status, verdicts) = try Self.verdicts(
      "sht4x", ["python3", "Tests/Peers/audit/part_reader.py"])
    #expect(status == 0 && verdicts.count == 28, "\(verdicts)")
    #expect(verdicts.values.allSatisfy { ["right", "reported"].contains($0) }, "\(verdicts)")
    #expect(verdicts["no-device"] == "reported" && verdicts["unplugged"] == "reported")
    #expect(verdicts["lost-in-reading"] == "reported")
  }

  @Test(
    "each defect of a reader is exposed by the scenarios for it, and only by those",
    arguments: [
      ("sign", ["between-minus-one-and-zero"]), ("tenths", ["clock-step", "tenths", "weather"]),
      ("early", ["fast-bus", "longest-time"]),
      ("crc", ["flipped-bit", "wrong-device"]), ("unsigned", ["over-dry"]),
      (
        "stale", ["failures-in-weather", "lost-in-reading", "unplugged"]
      ),
    ])
  func defects(_ defect: String, _ exposed: [String]) throws {
    let (status, verdicts) = try Self.verdicts(
      "sht4x", ["python3", "Tests/Peers/audit/part_reader.py", defect])
    #expect(status == 1)
    let found = verdicts.filter { !["right", "reported"].contains($0.value) }.keys.sorted()
    #expect(found == exposed, "\(verdicts)")
  }

  @Test(
    "a reset that is not acknowledged by a part left measuring is exposed, and stopping it is right"
  )
  func left() throws {
    for (words, expected) in [([], "failed"), (["stop"], "right")] {
      let (_, verdicts) = try Self.verdicts(
        "sht3x", ["python3", "Tests/Peers/audit/reset_reader.py"] + words)
      #expect(verdicts["calm"] == "right" && verdicts["left-measuring"] == expected, "\(verdicts)")
    }
  }

  @Test(
    "values of a part with another id are a finding if the program reads the id and does not compare it",
    arguments: [("check", "reported"), ("read", "wrong"), ("", "not run")])
  func identity(_ mode: String, _ expected: String) throws {
    let program = ["python3", "Tests/Peers/audit/id_reader.py", mode].filter { !$0.isEmpty }
    let (status, verdicts) = try Self.verdicts("mcp9808", program)
    #expect(verdicts["wrong-id"] == expected, "\(verdicts)")
    #expect(mode.isEmpty || status == (expected == "wrong" ? 1 : 0))
    // Without the id, the first transfer is the read of a result that a part just powered does not have.
    let found = verdicts.filter { !["right", "reported", "not run"].contains($0.value) }.keys
    let others = Set(found).subtracting(mode.isEmpty ? ["just-powered"] : [])
    #expect(others == (expected == "wrong" ? ["wrong-id"] : []), "\(verdicts)")
  }

  @Test(
    "firmware that reads a described part is audited on the same benches, from power-on",
    arguments: [
      ([], 0, "6 scenarios: 1 reported, 5 right"), (["-DUNSIGNED"], 1, "likely P03"),
      (["-DEARLY"], 1, "as on the calm bench, the first reading is wrong"),
    ] as [([String], Int32, String)])
  func firmware(_ flags: [String], _ status: Int32, _ finding: String) throws {
    let image = try FirmwareBuild.arm("lm75", flags: flags).path
    let names = ["calm", "below-zero", "hot-end", "nack", "unplugged", "long-outage"]
    let result = try CommandLineTool.run(
      CommandLineTool.path,
      ["audit", "--part", "lm75", "--firmware", image] + names.flatMap { ["--scenario", $0] })
    #expect(result.status == status && result.output.contains(finding), "\(result)")
    #expect(!result.output.contains("everywhere"), "\(result.output)")
  }

  @Test("a part file of one's own has the same scenarios")
  func files() throws {
    let list = try CommandLineTool.run(
      "audit", "--part", "fixtures/parts/my-sensor.yaml", "--list")
    #expect(
      list.status == 0 && list.output.contains("between-minus-one-and-zero"), "\(list.errors)")
    let rig = try CommandLineTool.run(
      "audit", "--part", "fixtures/parts/my-sensor.yaml", "--show", "below-zero")
    #expect(
      rig.output.contains("my-sensor.yaml\"") && rig.output.contains("-12.37"), "\(rig.output)")
    let unknown = try CommandLineTool.run("audit", "--part", "sht", "--", "true")
    #expect(unknown.status == 66, "\(unknown.errors)")
  }

  @Test(
    "readers of voltages, currents and light are right, and their defects are exposed",
    arguments: [
      ("ads1115", "", []), ("ina219", "", []), ("bh1750", "", []),
      ("ads1115", "channel", ["calm", "changing", "weather"]),
      ("ina219", "sign", ["negative-inputs", "low-inputs"]), ("ina219", "shift", ["calm"]),
      ("ina219", "once", ["brief-power-loss"]), ("bh1750", "early", ["longest-time"]),
    ])
  func inputs(_ part: String, _ defect: String, _ exposed: [String]) throws {
    let program = ["python3", "Tests/Peers/audit/input_reader.py", part, defect]
    let (status, verdicts) = try Self.verdicts(part, program.filter { !$0.isEmpty })
    #expect(status == (defect.isEmpty ? 0 : 1), "\(verdicts)")
    let found = verdicts.filter { !["right", "reported"].contains($0.value) }.keys
    #expect(found.isEmpty == exposed.isEmpty && Set(exposed).isSubset(of: found), "\(verdicts)")
  }

  @Test(
    "a value that a program does not display is a failure, unless it is one of several channels")
  func missing() throws {
    func audit(_ part: String, _ line: String, _ more: [String] = []) throws -> Int32 {
      let script = """
        import fcntl, os, time
        bus = os.open("/dev/i2c-1", os.O_RDWR)
        \(line)
        """
      return try CommandLineTool.run(
        CommandLineTool.path,
        ["audit", "--part", part, "--scenario", "calm"] + more + ["--", "python3", "-c", script]
      ).status
    }
    let light = """
      fcntl.ioctl(bus, 0x0703, 0x62)
      os.write(bus, bytes([0x21, 0xB1]))
      while True:
          time.sleep(5.1)
          os.write(bus, bytes([0xEC, 0x05]))
          time.sleep(0.001)
          word = os.read(bus, 9)
          print("CO2:", word[0] << 8 | word[1], "ppm", flush=True)
      """
    #expect(try audit("scd4x", light) == 1)
    #expect(try audit("scd4x", light, ["--ignore", "temperature", "--ignore", "humidity"]) == 0)
    #expect(try audit("scd4x", light, ["--ignore", "temprature"]) == 64)
    let channel = """
      fcntl.ioctl(bus, 0x0703, 0x48)
      while True:
          os.write(bus, bytes([1, 0xC3, 0x83]))
          time.sleep(0.02)
          os.write(bus, bytes([0]))
          word = os.read(bus, 2)
          print("A0: %.4f V" % ((word[0] << 8 | word[1]) * 4.096 / 32768), flush=True)
          time.sleep(1)
      """
    #expect(try audit("ads1115", channel) == 0)
  }

  @Test("an input is set on the command line; a mistake in it names the known ones")
  func given() throws {
    let reader = ["python3", "Tests/Peers/audit/input_reader.py", "ads1115"]
    let result = try CommandLineTool.run(
      CommandLineTool.path,
      [
        "exec", "--part", "ads1115", "--input", "ain0=0.5", "--clock", "virtual", "--for", "3s",
        "--",
      ]
        + reader)
    #expect(result.output.hasPrefix("A0: 0.5000 V  A1: 1.0000 V"), "\(result)")
    for (input, message) in [
      ("ain9=1", "did you mean 'ain0'?"), ("ain0", "not NAME=VALUE"),
      ("ain0-ain1=1", "follows from 'ain0' and 'ain1'"),
    ] {
      let wrong = try CommandLineTool.run(
        "exec", "--part", "ads1115", "--input", input, "--", "true")
      #expect(wrong.status != 0 && wrong.errors.contains(message), "\(wrong)")
    }
  }

  @Test("exec reports results that are read too early, and commands that the part file lacks")
  func report() throws {
    func errors(_ part: String, _ program: [String]) throws -> String {
      try CommandLineTool.run(
        CommandLineTool.path,
        ["exec", "--part", part, "--clock", "virtual", "--for", "3s", "--"] + program
      ).errors
    }
    let reader = ["python3", "Tests/Peers/audit/input_reader.py", "ads1115"]
    #expect(try errors("ads1115", reader) == "")
    let early = try errors("ads1115", reader + ["channel"])
    #expect(
      early.contains("after the start of the measurement, which takes up to 8.71 ms"), "\(early)")
    #expect(early.contains("A real part behaves the same way"), "\(early)")
    let unknown = try errors("bh1750", ["i2ctransfer", "-y", "1", "w1@0x23", "0x4a"])
    #expect(unknown.contains("0x4a is not acknowledged: the part file has no such command (once)"))
    #expect(unknown.contains("A real part may have this command"), "\(unknown)")
  }

  @Test("read --part reads a described part, and replays its trace")
  func reading() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "read-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (rig, trace) = (folder.appending(path: "frost.yaml").path, folder.path + "/frost.i2ctrace")
    try """
    name: frost
    buses: [{number: 1, devices: [{model: sht4x}]}]
    environment: {constant: {temperature: -12.34C, humidity: 43%}}
    """.write(toFile: rig, atomically: true, encoding: .utf8)
    let live = try CommandLineTool.run(
      "read", "--bus", rig, "--part", "sht4x", "--count", "2", "--trace", trace)
    #expect(live.status == 0 && live.output.contains("-12.34"), "\(live)")
    let replayed = try CommandLineTool.run(
      "read", "--bus", trace, "--part", "sht4x", "--count", "2")
    #expect(replayed.status == 0 && replayed.output == live.output, "\(replayed)")
    #expect(try CommandLineTool.run("read", "--bus", trace, "--part", "sht44").status == 66)
  }

  @Test("sht20 0.1.4, a driver of the SHT21 from PyPI, displays data with a wrong checksum")
  func shelf() throws {
    let script = """
      import time
      from sht20 import SHT20
      part = SHT20(1, SHT20.TEMP_RES_14bit)
      while True:
          try:
              print("temperature", part.read_temp(), "humidity", part.read_humid(), flush=True)
          except OSError as error:
              print("error", error, flush=True)
          time.sleep(1)
      """
    let (status, verdicts) = try Self.verdicts(
      "sht21", ["\(VirtualBusBench.peers)/bin/python", "-c", script],
      environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/sht20"])
    #expect(status == 1 && verdicts["flipped-bit"] == "wrong", "\(verdicts)")
    #expect(verdicts["calm"] == "right" && verdicts["below-zero"] == "right", "\(verdicts)")
  }
}
