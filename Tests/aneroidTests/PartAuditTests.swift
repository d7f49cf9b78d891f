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
    #expect(status == 0 && verdicts.count == 21, "\(verdicts)")
    #expect(verdicts.values.allSatisfy { ["right", "reported"].contains($0) }, "\(verdicts)")
    #expect(verdicts["no-device"] == "reported" && verdicts["unplugged"] == "reported")
  }

  @Test(
    "each defect of a reader is exposed by the scenarios for it, and only by those",
    arguments: [
      ("sign", ["between-minus-one-and-zero"]), ("tenths", ["tenths", "weather"]),
      ("early", ["longest-time"]),
      ("crc", ["flipped-bit", "wrong-device"]), ("stale", ["failures-in-weather", "unplugged"]),
    ])
  func defects(_ defect: String, _ exposed: [String]) throws {
    let (status, verdicts) = try Self.verdicts(
      "sht4x", ["python3", "Tests/Peers/audit/part_reader.py", defect])
    #expect(status == 1)
    let found = verdicts.filter { !["right", "reported"].contains($0.value) }.keys.sorted()
    #expect(found == exposed, "\(verdicts)")
  }

  @Test("a part file of one's own has the same scenarios; a part without air is refused")
  func files() throws {
    let list = try CommandLineTool.run(
      "audit", "--part", "fixtures/parts/my-sensor.yaml", "--list")
    #expect(
      list.status == 0 && list.output.contains("between-minus-one-and-zero"), "\(list.errors)")
    let rig = try CommandLineTool.run(
      "audit", "--part", "fixtures/parts/my-sensor.yaml", "--show", "below-zero")
    #expect(
      rig.output.contains("my-sensor.yaml\"") && rig.output.contains("-12.37"), "\(rig.output)")
    let light = try CommandLineTool.run("audit", "--part", "bh1750", "--list")
    #expect(
      light.status == 69 && light.errors.contains("does not measure the air"), "\(light.errors)")
    let unknown = try CommandLineTool.run("audit", "--part", "sht", "--", "true")
    #expect(unknown.status == 66, "\(unknown.errors)")
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
