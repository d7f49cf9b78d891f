import Foundation
import I2C
import TestSupport
import Testing

/// The frequency of the bus that a program uses.
struct ExecFrequencyTests {
  private static func frequency(_ options: [String]) throws -> String {
    let trace = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: trace) }
    let result = try VirtualBusBench.exec(
      ["/usr/sbin/i2cget", "-y", "1", "0x76", "0xd0"],
      options: ["--clock", "virtual", "--trace", trace.path] + options)
    try #require(result.output == "0x60\n", "\(result.errors)")
    let header = try CommandLineTool.run("trace", "show", trace.path).output
    return header.matches(of: /# bus 1, ([0-9]+ kHz)/).map { String($0.1) }.joined()
  }

  /// Runs a program with a rig of the given text.
  private static func frequency(rig text: String, _ options: [String] = []) throws -> String {
    let rig = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
    defer { try? FileManager.default.removeItem(at: rig) }
    try text.write(to: rig, atomically: true, encoding: .utf8)
    return try frequency(["--rig", rig.path] + options)
  }

  @Test("without a rig, or with a rig that sets no frequency, a bus runs at the default of 100 kHz")
  func standard() throws {
    #expect(I2CBusFrequency.standard == 100_000)
    #expect(try Self.frequency([]) == "100 kHz")
    let rig =
      "name: plain\nbuses: [{number: 1, devices: [{address: 0x76, model: bme280, "
      + "calibration: periph-i2c}]}]\n"
    #expect(try Self.frequency(rig: rig) == "100 kHz")
  }

  @Test("--frequency replaces the frequency of the built-in rig and of a rig file")
  func chosen() throws {
    #expect(try Self.frequency(["--frequency", "400kHz"]) == "400 kHz")
    let rig =
      "name: fast\nbuses: [{number: 1, adapter: {frequency: 1MHz}, devices: [{address: 0x76, "
      + "model: bme280, calibration: periph-i2c}]}]\n"
    #expect(try Self.frequency(rig: rig) == "1000 kHz")
    #expect(try Self.frequency(rig: rig, ["--frequency=50kHz"]) == "50 kHz")
  }

  @Test(
    "a frequency that no virtual bus can have is rejected with status 64",
    arguments: [
      ["--frequency", "400"], ["--frequency", "9MHz"],
      ["--bus", "/dev/i2c-1", "--frequency", "400kHz"],
    ])
  func rejected(_ options: [String]) throws {
    let result = try VirtualBusBench.exec(["/bin/true"], options: options)
    #expect(result.status == 64, "\(result.errors)")
    #expect(result.errors.contains("frequency"), "\(result.errors)")
  }
}
