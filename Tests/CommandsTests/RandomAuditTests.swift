import Foundation
import Support
import TestSupport
import Testing

/// `audit --random` draws benches, and shrinks one that exposes a defect to the smallest that still does.
struct RandomAuditTests {
  static let peers = VirtualBusBench.peers

  /// Audits a driver from PyPI with random benches.
  static func audit(_ driver: String, _ options: [String]) throws -> CommandLineTool.Result {
    try CommandLineTool.run(
      URL(filePath: "/usr/bin/env"),
      [
        "PYTHONPATH=\(peers)/drivers/\(driver):\(peers)/drivers/smbus2", CommandLineTool.path.path,
        "audit",
      ] + options + [
        "--", "\(peers)/bin/python", "-W", "ignore", "Tests/Peers/read_driver.py", "rpi_bme280",
        "loop",
      ])
  }

  @Test(
    "a correct driver has no finding on random benches, also with other seeds", arguments: [0, 7])
  func correct(_ seed: Int) throws {
    let result = try Self.audit("rpi_bme280", ["--random", "40", "--seed", "\(seed)"])
    // The driver ends at a transfer that fails, which it reports.
    let verdicts = try #require(
      result.output.firstMatch(of: /40 scenarios: (\d+) reported, (\d+) right/))
    #expect(
      result.status == 0 && Int(verdicts.1).map { $0 + (Int(verdicts.2) ?? 0) } == 40, "\(result)")
  }

  @Test(
    "a driver with swapped nibbles of H5 is exposed, and the smallest bench has nothing that it does not need"
  )
  func shrinks() throws {
    let result = try Self.audit(
      "rpi_bme280_0_2_1", ["--random", "20", "--seed", "1", "--format", "json"])
    #expect(result.status == 1)
    let report = try #require(JSONValue(reading: Array(result.output.utf8)), "\(result)")
    let smallest = try #require(report["smallest"]?.array?.first, "\(result.output)")
    let rig = try #require(smallest["rig"]?.text)
    let keys = rig.split(separator: "\n").dropFirst().joined(separator: "\n")
    for word in ["faults", "timing", "400kHz"] { #expect(!keys.contains(word), "\(rig)") }
    #expect(rig.contains("pressure: 100937"), "\(rig)")
    // The printed rig alone shows the defect.
    try CommandLineTool.withFile(rig) { file in
      let shown = try CommandLineTool.run(
        URL(filePath: "/usr/bin/env"),
        [
          "PYTHONPATH=\(Self.peers)/drivers/rpi_bme280_0_2_1:\(Self.peers)/drivers/smbus2",
          CommandLineTool.path.path, "exec", "--rig", file, "--clock", "virtual", "--",
          "\(Self.peers)/bin/python", "-W", "ignore", "Tests/Peers/read_driver.py", "rpi_bme280",
        ])
      let values = try #require(JSONValue(reading: Array(shown.output.utf8)), "\(shown)")
      let air = try #require(rig.firstMatch(of: /humidity: ([0-9.]+)%/).flatMap { Double($0.1) })
      let humidity = try #require(values["humidity"]?.double)
      #expect(abs(humidity - air) > 0.01, "\(humidity) \(air)")
    }
  }

  @Test("the same seed gives the same benches; the first have the calibrations of real parts")
  func benches() throws {
    let list = { (seed: String) in
      try CommandLineTool.run("audit", "--random", "30", "--seed", seed, "--list").outputLines
    }
    let lines = try list("3")
    #expect(try lines.count == 30 && list("3") == lines)
    #expect(try list("4") != lines)
    #expect(lines[0].contains("calibration of arduino-28398,"), "\(lines[0])")
    #expect(
      lines.contains { $0.contains("clock-stretch") }
        && lines.contains { $0.contains("all values change") })
    let rig = try CommandLineTool.run(
      "audit", "--random", "30", "--seed", "3", "--show", "random-30")
    try CommandLineTool.withFile(rig.output) {
      let checked = try CommandLineTool.run("rig", "check", $0)
      #expect(checked.status == 0, "\(checked)")
    }
  }

  @Test("random benches of a described part expose a reader that waits too short a time")
  func part() throws {
    let program = ["python3", "Tests/Peers/audit/part_reader.py"]
    let right = try CommandLineTool.run(
      CommandLineTool.path, ["audit", "--part", "sht4x", "--random", "20", "--"] + program)
    #expect(right.status == 0, "\(right.output)")
    let early = try CommandLineTool.run(
      CommandLineTool.path,
      ["audit", "--part", "sht4x", "--random", "20", "--"] + program + ["early"])
    #expect(early.status == 1 && early.output.contains("the smallest bench for random-"))
    #expect(
      early.output.contains("timing: maximum") || early.output.contains("timing: drawn"),
      "\(early.output)")
  }

  @Test("--seed needs --random, and the number of benches has limits")
  func refused() throws {
    let seed = try CommandLineTool.run("audit", "--seed", "1", "--", "true")
    #expect(seed.status == 64 && seed.errors.contains("--seed requires --random"))
    let none = try CommandLineTool.run("audit", "--random", "0", "--", "true")
    #expect(none.status == 64 && none.errors.contains("from 1 to 100000"))
  }
}
