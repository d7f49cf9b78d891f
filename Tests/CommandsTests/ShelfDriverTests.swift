import TestSupport
import Testing

/// Unmodified third-party drivers of the SHT21 and HDC1000, on the shelf of a warehouse.
struct ShelfDriverTests {
  /// The last line printed by a driver: °C and % relative humidity.
  static func read(_ folder: String, _ script: String) throws -> [Double] {
    let result = try VirtualBusBench.exec(
      ["\(VirtualBusBench.peers)/bin/python", "-W", "ignore", "-c", script],
      options: ["--rig", "rigs/warehouse-shelf.yaml", "--clock", "virtual"],
      environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/\(folder)"])
    let line = try #require(result.outputLines.last, "\(result.errors)")
    return line.split(separator: " ").compactMap { Double($0) }
  }

  @Test("sht20 0.1.4 and a driver for the HDC1000 read 18 °C and 62 % from two sensors on a bus")
  func drivers() throws {
    let readings = [
      try Self.read(
        "sht20",
        """
        from sht20 import SHT20
        part = SHT20(1, SHT20.TEMP_RES_14bit)
        print(part.read_temp(), part.read_humid())
        """),
      try Self.read(
        "hdc1080",
        """
        from adafruit_extended_bus import ExtendedI2C
        from hdc1080 import HDC1080
        part = HDC1080(ExtendedI2C(1), 0x41)
        print(part.temperature, part.humidity)
        """),
    ]
    for reading in readings {
      try #require(reading.count == 2)
      #expect(abs(reading[0] - 18) < 0.2)
      #expect(abs(reading[1] - 62) < 0.5)
    }
  }

  @Test(
    "i2cget reads the user register, and i2ctransfer a measurement with clock stretching")
  func tools() throws {
    let result = try VirtualBusBench.exec(
      [
        "sh", "-c",
        "i2cget -y 1 0x40 0xe7; i2ctransfer -y 1 w1@0x40 0xe3 r3; i2ctransfer -y 1 w1@0x41 0xff r2",
      ],
      options: ["--rig", "rigs/warehouse-shelf.yaml"])
    try #require(result.outputLines.count == 3, "\(result.errors)")
    #expect(result.outputLines[0] == "0x3a")
    #expect(result.outputLines[1].split(separator: " ").count == 3)
    #expect(result.outputLines[2] == "0x10 0x00")
  }

  @Test("'doctor' identifies the SHT21 and the HDC1000")
  func doctor() throws {
    let result = try CommandLineTool.run("doctor", "--bus", "rig:rigs/warehouse-shelf.yaml")
    #expect(result.output.contains("0x40: an SHT21 responds"), "\(result.output)")
    #expect(result.output.contains("0x41: an HDC1000 responds"), "\(result.output)")
  }
}
