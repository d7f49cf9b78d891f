import Foundation
import TestSupport
import Testing

/// Unmodified third-party drivers of the BMP180 and BMP085, and our own driver.
struct BarometerDriverTests {
  static let rig = """
    name: barometer
    buses: [{number: 1, devices: [{address: 0x77, model: bmp180}]}]
    environment: {constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}}
    """

  @Test(
    "the drivers bmp180 1.0.0 and Adafruit-BMP 1.5.4 read 21.3 °C and 1005 hPa without warnings",
    arguments: [
      ("bmp180", "from bmp180.bmp180 import BMP180; part = BMP180(1)"),
      ("adafruit_bmp", "from Adafruit_BMP.BMP085 import BMP085; part = BMP085(0, busnum=1)"),
      ("adafruit_bmp", "from Adafruit_BMP.BMP085 import BMP085; part = BMP085(1, busnum=1)"),
      ("adafruit_bmp", "from Adafruit_BMP.BMP085 import BMP085; part = BMP085(2, busnum=1)"),
      ("adafruit_bmp", "from Adafruit_BMP.BMP085 import BMP085; part = BMP085(3, busnum=1)"),
    ])
  func drivers(_ folder: String, _ part: String) throws {
    try CommandLineTool.withFile(Self.rig, suffix: ".yaml") { rig in
      let script = "\(part); print(part.read_temperature(), part.read_pressure())"
      let result = try VirtualBusBench.exec(
        ["\(VirtualBusBench.peers)/bin/python", "-W", "ignore", "-c", script],
        options: ["--rig", rig, "--clock", "virtual"],
        environment: ["PYTHONPATH": "\(VirtualBusBench.peers)/drivers/\(folder)"])
      let line = try #require(result.outputLines.last, "\(result.errors)")
      let values = line.split(separator: " ").compactMap { Double($0) }
      try #require(values.count == 2)
      #expect(values[0] == 21.3)
      #expect(abs(values[1] - 100_500) <= 3)
      #expect(result.errors == "")
    }
  }

  @Test(
    "'doctor' identifies the BMP180, 'read' reads it, and a strict replay gives the same reading")
  func own() throws {
    try CommandLineTool.withFile(Self.rig, suffix: ".yaml") { rig in
      let doctor = try CommandLineTool.run("doctor", "--bus", "rig:\(rig)")
      #expect(doctor.output.contains("0x77: a BMP180 responds"), "\(doctor.output)")
      let trace = "\(rig).i2ctrace"
      defer { unlink(trace) }
      let read = ["read", "--address", "0x77", "--format", "csv"]
      let first = try CommandLineTool.run(
        CommandLineTool.path, read + ["--bus", "rig:\(rig)", "--trace", trace])
      #expect(first.status == 0 && first.output.contains("1005"), "\(first.output)\(first.errors)")
      let replayed = try CommandLineTool.run(
        CommandLineTool.path, read + ["--bus", "trace:\(trace)", "--replay", "strict"])
      #expect(replayed.output == first.output, "\(replayed.errors)")
      let shown = try CommandLineTool.run("trace", "show", trace)
      #expect(shown.output.contains("id; -> 0x55") && shown.output.contains("UP "))
    }
  }
}
