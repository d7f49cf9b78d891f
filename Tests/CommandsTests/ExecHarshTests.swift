import Foundation
import TestSupport
import Testing

/// `exec --harsh` and `harsh: true` answer what data sheets leave open against the program.
struct ExecHarshTests {
  /// Writes config in normal mode, which some parts ignore, and a read-only register.
  static let program = [
    "sh", "-c",
    """
    i2cset -y 1 0x76 0xf4 0x27; i2cset -y 1 0x76 0xf5 0x90; i2cget -y 1 0x76 0xf5
    i2cset -y 1 0x76 0xd0 0x01 && echo acknowledged || echo not acknowledged
    """,
  ]

  @Test(
    "a harsh part ignores config in normal mode and does not acknowledge a write of a read-only register"
  )
  func option() throws {
    let usual = try VirtualBusBench.exec(Self.program)
    #expect(usual.outputLines == ["0x90", "acknowledged"], "\(usual)")
    let harsh = try VirtualBusBench.exec(Self.program, options: ["--harsh"])
    #expect(harsh.outputLines == ["0x00", "not acknowledged"], "\(harsh)")
  }

  @Test(
    "'harsh' of a device overrules that of the rig and --harsh, and 'unknown' overrules both",
    arguments: [
      ("harsh: true\n", "", [], ["0x00", "not acknowledged"]),
      ("", ", harsh: true", [], ["0x00", "not acknowledged"]),
      ("harsh: true\n", ", harsh: false", [], ["0x90", "acknowledged"]),
      ("", ", harsh: false", ["--harsh"], ["0x90", "acknowledged"]),
      ("", ", unknown: {config_in_normal_mode: taken}", ["--harsh"], ["0x90", "not acknowledged"]),
    ] as [(String, String, [String], [String])])
  func keys(_ top: String, _ device: String, _ options: [String], _ output: [String]) throws {
    try CommandLineTool.withFile(
      "name: harsh\n\(top)buses: [{number: 1, devices: [{model: bme280\(device)}]}]\n"
    ) { rig in
      let result = try VirtualBusBench.exec(Self.program, options: ["--rig", rig] + options)
      #expect(result.outputLines == output, "\(result)")
    }
  }

  @Test("a harsh part that a file describes takes its longest time")
  func described() throws {
    let wait = { (options: [String]) in
      try VirtualBusBench.exec(
        ["sh", "-c", "i2ctransfer -y 1 w1@0x44 0xFD; sleep 0.0075; i2ctransfer -y 1 r6@0x44"],
        options: ["--part", "sht4x", "--clock", "virtual"] + options)
    }
    #expect(try wait([]).status == 0)
    #expect(try wait(["--harsh"]).status != 0)
  }

  @Test("a correct driver reads the right values of a harsh part")
  func driver() throws {
    let peers = "\(VirtualBusBench.peers)/drivers"
    let result = try VirtualBusBench.exec(
      ["\(VirtualBusBench.peers)/bin/python", "Tests/Peers/read_driver.py", "rpi_bme280"],
      options: ["--harsh", "--clock", "virtual"],
      environment: ["PYTHONPATH": "\(peers)/rpi_bme280:\(peers)/smbus2"])
    #expect(result.output.contains("\"temperature\": 21.0"), "\(result)")
  }

  @Test("--harsh is for virtual parts only")
  func refused() throws {
    let result = try VirtualBusBench.exec(["true"], options: ["--harsh", "--bus", "/dev/i2c-9"])
    #expect(result.status == 64 && result.errors.contains("only for virtual parts"), "\(result)")
  }
}
