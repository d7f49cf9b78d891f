import TestSupport
import Testing

/// Programs that use the sensor at another address than the default.
struct ExecAddressTests {
  private static let readID = ["--", "i2cget", "-y", "1", "0x77", "0xd0"]
  private static let silent =
    "no device answered on bus 1 at 0x77, and the program used no other address"

  private static func run(_ arguments: [String]) throws -> CommandLineTool.Result {
    try CommandLineTool.run(CommandLineTool.path, arguments)
  }

  @Test("a program that uses only 0x77 gets a hint that the sensor is at 0x76 and how to move it")
  func hint() throws {
    let lost = try Self.run(["exec"] + Self.readID)
    #expect(lost.status != 0)
    #expect(
      lost.errors.contains(
        "aneroid: \(Self.silent); on the bus: BME280 at 0x76; change the address in the program, or that of the part: "
          + "--address 0x77\n"), "\(lost)")
    let found = try Self.run(["exec", "--address", "0x77"] + Self.readID)
    #expect(found.status == 0 && found.output == "0x60\n" && found.errors.isEmpty, "\(found)")
  }

  @Test("with a rig, the hint names the key in the rig that sets the address")
  func rig() throws {
    let lost = try Self.run(["exec", "--rig", "weather-station"] + Self.readID)
    #expect(lost.errors.contains(Self.silent), "\(lost)")
    #expect(lost.errors.contains("or that of the part: 'address: 0x77' in the rig\n"), "\(lost)")
  }

  @Test("the hint does not mention --address if no sensor of the bus can have the address")
  func other() throws {
    let lost = try CommandLineTool.run("exec", "--", "i2cget", "-y", "1", "0x40", "0xe7")
    #expect(lost.errors.contains("or add a part at this address: --rig FILE\n"), "\(lost)")
  }

  @Test("the hint about the address is written as an event")
  func event() throws {
    let lost = try Self.run(
      ["exec", "--silent", "--events", "/dev/stdout", "--", "sh", "-c"]
        + ["i2cget -y 1 0x77 0xd0 2> /dev/null"])
    #expect(lost.output.contains(#""event":"notice""#), "\(lost)")
    #expect(lost.output.contains(#""subject":"address""#), "\(lost)")
  }

  @Test(
    "there is no hint for a scan, for a sensor that is found, or for a sensor that does not answer",
    arguments: [
      ["--", "i2cdetect", "-y", "1"],
      ["--", "sh", "-c", "i2cget -y 1 0x77 0xd0; i2cget -y 1 0x76 0xd0"],
      ["--fault", "kind: nack-address, count: 100", "--", "i2cget", "-y", "1", "0x76", "0xd0"],
      ["--quiet", "--", "i2cget", "-y", "1", "0x77", "0xd0"], ["--", "true"],
    ])
  func quiet(_ arguments: [String]) throws {
    let result = try Self.run(["exec"] + arguments)
    #expect(!result.errors.contains("no device answered"), "\(result)")
  }

  @Test(
    "--address is rejected with a rig or a bus, and for an address that the sensor cannot have",
    arguments: [
      (
        ["--address", "0x77", "--rig", "weather-station"], "combined with a rig or a bus"
      ),
      (
        ["--address", "0x77", "--bus", "trace:x.i2ctrace"], "cannot be combined with a rig or a bus"
      ),
      (["--address", "0x40"], "--address must be 0x76 or 0x77"),
    ])
  func rejected(_ options: [String], _ words: String) throws {
    let result = try Self.run(["exec"] + options + ["--", "true"])
    #expect(result.status == 64 && result.errors.contains(words), "\(result)")
  }
}
