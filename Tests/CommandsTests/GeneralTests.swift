import Foundation
import TestSupport
import Testing

/// Common behaviour of all commands: help, version, usage errors, completions.
struct GeneralTests {
  @Test("--version prints a version")
  func version() throws {
    let result = try CommandLineTool.run("--version")
    #expect(result.status == 0)
    #expect(result.output.firstMatch(of: /^\d+\.\d+\.\d+\n$/) != nil)
  }

  @Test(
    "help contains examples with existing commands",
    arguments: [
      [], ["run"], ["read"], ["compensate"], ["rig", "check"], ["rig", "schema"],
      ["rig", "reference"], ["doctor"],
    ])
  func help(_ command: [String]) throws {
    let result = try CommandLineTool.run(CommandLineTool.path, ["help"] + command)
    #expect(result.status == 0)
    #expect(result.output.contains("EXAMPLES"))
    #expect(result.output.contains("aneroid \(command.first ?? "run")"))
  }

  @Test(
    "wrong usage is exit status 64, with a hint on standard error and no standard output",
    arguments: [
      ["run"], ["runn", "x"], ["run", "rigs/thesis.yaml", "--format", "xml"], ["read"],
      ["read", "--bus", "rig:rigs/thesis.yaml", "--count", "0"],
      ["read", "--bus", "rig:rigs/thesis.yaml", "--count", "1000", "--every", "3650d"],
      ["read", "--bus", "rig:rigs/thesis.yaml", "--every", "10"],
      ["read", "--bus", "rig:rigs/thesis.yaml", "--address", "0x78"],
      ["compensate", "--variant", "float"], ["compensate", "--variant", "0"],
      ["diagnose", "--chip", "0", "x"], ["rig", "check"],
      ["audit", "--readings", "9223372036854775807", "--", "true"],
      ["audit", "--readings", "0", "--", "true"],
      ["audit", "--jobs", "9223372036854775807", "--", "true"],
    ])
  func usage(_ arguments: [String]) throws {
    let result = try CommandLineTool.run(CommandLineTool.path, arguments)
    #expect(result.status == 64)
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("Error:"))
  }

  @Test("completions exist for each shell", arguments: ["bash", "zsh", "fish"])
  func completions(_ shell: String) throws {
    let result = try CommandLineTool.run("--generate-completion-script", shell)
    #expect(result.status == 0)
    for word in ["compensate", "doctor", "datasheet-int64"] {
      #expect(result.output.contains(word), "\(word)")
    }
  }

  @Test(
    "'doctor' checks a bus for responses, data and plausible values",
    arguments: [
      ("rig:rigs/thesis-automat.yaml", 0, "0x76: a BME280 responds", "0x77: no response"),
      ("trace:fixtures/traces/bmp-grovepi.i2ctrace", 0, "0x76: a BMP280 responds", "958.66 hPa"),
      (
        "trace:fixtures/traces/bmp-orangepi.i2ctrace", 1, "is not plausible",
        "these are power-on values"
      ),
      ("/dev/i2c-250", 1, "bus: ", "check: the name"),
    ])
  func doctorOfBus(_ bus: String, _ status: Int, _ one: String, _ other: String) throws {
    let result = try CommandLineTool.run("doctor", "--bus", bus)
    #expect(result.status == Int32(status), "\(result.output)")
    #expect(result.output.contains(one) && result.output.contains(other), "\(result.output)")
  }

  @Test("'doctor' reports a working bench as ok")
  func doctor() throws {
    let result = try CommandLineTool.run("doctor")
    #expect(result.status == 0)
    #expect(result.output.contains("ok    virtual bench: "))
    #expect(result.output.contains("ok    compensation: "))
    #expect(result.output.contains("/dev/i2c-"))
  }
}
