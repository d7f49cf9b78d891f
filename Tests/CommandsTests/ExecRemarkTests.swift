import Foundation
import TestSupport
import Testing

/// On exit `aneroid exec` reports in one line what a real sensor would not have tolerated.
struct ExecRemarkTests {
  static func driver(
    _ name: String, options: [String] = [], rig: String
  ) throws -> CommandLineTool.Result {
    try CommandLineTool.withFile(rig) { rig in
      try VirtualBusBench.exec(
        [
          "\(VirtualBusBench.peers)/bin/python", "-W", "ignore", "Tests/Peers/read_driver.py", name,
        ],
        options: ["--rig", rig, "--clock", "virtual"] + options,
        environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/\(name)"])
    }
  }

  static func remarks(_ result: CommandLineTool.Result) -> [Substring] {
    result.errors.split(separator: "\n").filter { $0.hasPrefix("aneroid: 0x76 on i2c-1: ") }
  }

  @Test(
    "correct drivers get no warnings", arguments: ["rpi_bme280", "bme280pi"])
  func right(_ name: String) throws {
    let result = try Self.driver(name, rig: ExecDriverTests.rig())
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
  }

  @Test(
    "the most severe error of a driver is reported with its explanation",
    arguments: [
      ("pimoroni_bme280", "nothing was measured (once)"),
      ("adafruit", "nothing was measured (once)"),
      ("bme280_0_7", "config (0xF5) is written in normal mode (once)"),
    ])
  func wrong(_ name: String, _ sentence: String) throws {
    let rig = try ExecDriverTests.rig("unknown: {measuring_delay: 2ms}")
    let result = try Self.driver(name, rig: rig)
    #expect(result.status == 0)
    let remarks = Self.remarks(result)
    #expect(remarks.count == 1 && remarks[0].contains(sentence), "\(result.errors)")
    let next = "repeat with --trace t.i2ctrace, then aneroid diagnose t.i2ctrace"
    #expect(remarks.first?.hasSuffix("explained by: \(next)") == true)
    #expect(try Self.driver(name, options: ["--quiet"], rig: rig).errors.isEmpty)
  }

  /// Python code that accesses the sensor through its node.
  static let node = """
    import fcntl, os, time
    bus = os.open('/dev/i2c-1', os.O_RDWR); fcntl.ioctl(bus, 0x703, 0x76)
    def write(*bytes_): os.write(bus, bytes(bytes_))
    def read(place, count): write(place); return os.read(bus, count)

    """

  @Test(
    "data without a measurement, a calibration read too early, and lost settings are reported",
    arguments: [
      ("write(0xF4, 0x25); read(0xF7, 8)", "data are read without waiting"),
      ("write(0xE0, 0xB6); read(0x88, 24)", "the calibration is read"),
      ("read(0xF7, 8)", "data are read although no mode was ever set: nothing is measured (once)"),
      (
        "read(0xFA, 3); read(0xFA, 3)",
        "data are read although no mode was ever set: nothing is measured (2 times)"
      ),
      (
        "read(0xF7, 8); write(0xF2, 1); write(0xF4, 0x25); time.sleep(1); read(0xF7, 8)",
        "data are read although no mode was ever set: nothing is measured (once)"
      ),
      (
        "write(0xF4, 0x25); read(0xF7, 8)",
        "data are read without waiting for the measurement (once), and 1 more kind of error"
      ),
      (
        "write(0xF4, 0x27); time.sleep(1); write(0xF2, 1); time.sleep(1); read(0xF7, 8)",
        "ctrl_hum (0xF2) is written but ctrl_meas"
      ),
      (
        "write(0xF2, 1); write(0xF4, 0x27); write(0xF5, 0xA0); time.sleep(1); read(0xF7, 8)",
        "config (0xF5) is written in normal mode"
      ),
      (
        "read(0xD0, 1); read(0x88, 26); read(0xE1, 7); write(0xF4, 0x25); time.sleep(1); read(0xF7, 8)",
        "humidity is skipped: ctrl_hum (0xF2) has not been written, and its registers are read (once)"
      ),
    ])
  func mistakes(_ talk: String, _ sentence: String) throws {
    let trace = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: trace) }
    let result = try VirtualBusBench.exec(
      ["/usr/bin/python3", "-c", Self.node + talk],
      options: ["--clock", "virtual", "--trace", trace])
    let remarks = Self.remarks(result)
    #expect(remarks.count == 1 && remarks[0].contains(sentence), "\(result.errors)")
    #expect(remarks.first?.hasSuffix("explained by: aneroid diagnose \(trace)") == true)
  }

  @Test("i2cdetect, i2cget and i2cdump get no warnings")
  func tools() throws {
    let result = try VirtualBusBench.shell(
      "i2cdetect -y 1 >/dev/null; i2cget -y 1 0x76 0xd0; i2cdump -y 1 0x76 b >/dev/null 2>&1")
    #expect(result.output == "0x60\n" && result.errors.isEmpty, "\(result.errors)")
  }

  @Test("for a sensor that audit and diagnose do not support, neither is suggested")
  func unexplained() throws {
    let rig = """
      name: old
      buses: [{number: 1, devices: [{address: 0x77, model: bmp180}]}]
      """
    let talk = "i2cset -y 1 0x77 0xf4 0x34; i2cget -y 1 0x77 0xf6; i2cget -y 1 0x77 0xf7"
    try CommandLineTool.withFile(rig) { path in
      let result = try CommandLineTool.run(
        "exec", "--rig", path, "--clock", "virtual", "--", "sh", "-c", talk)
      #expect(result.errors.contains("the result is read"), "\(result)")
      #expect(!result.errors.contains("audit") && !result.errors.contains("diagnose"), "\(result)")
      #expect(result.errors.contains("aneroid trace show FILE"), "\(result)")
    }
  }
}
