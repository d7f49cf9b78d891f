import Foundation
import TestSupport
import Testing

/// `aneroid calibration` converts all supported formats.
struct CalibrationCommandTests {
  static let bytes =
    "10 6e 6c 66 32 00 5d 95 b8 d5 d0 0b 77 1e 9d ff f9 ff ac 26 0a d8 bd 10 00 4b 6e 01 00 13 05 00 1e"

  @Test("the output of 'calibration' is valid in rigs, for input from a file and from a pipe")
  func printed() throws {
    let piped = try CommandLineTool.run("calibration", "-", input: Self.bytes)
    #expect(piped.status == 0, "\(piped)")
    try CommandLineTool.withFile(piped.output) { part in
      let rig = """
        name: own
        buses: [{number: 1, devices: [{address: 0x76, model: bme280, calibration: \(part)}]}]
        """
      try CommandLineTool.withFile(rig) { path in
        let shown = try CommandLineTool.run(
          "exec", "--rig", path, "--", "i2cget", "-y", "1", "0x76", "0x88")
        #expect(shown.output == "0x10\n", "\(shown)")
      }
    }
  }

  @Test("the output of i2cdump on a bench gives that bench's calibration")
  func dumped() throws {
    let dump = try CommandLineTool.run("exec", "--", "i2cdump", "-y", "1", "0x76", "b")
    #expect(dump.status == 0)
    let part = try CommandLineTool.run("calibration", "-", input: dump.output)
    let known = try CommandLineTool.run("calibration", "periph-i2c")
    #expect(part.output.split(separator: "\n").last == known.output.split(separator: "\n").last)
  }

  /// The table that i2cdump prints for registers from 0x80 on.
  private static func table(_ registers: [UInt8]) -> String {
    (0..<8).map { row in
      let cells = registers[16 * row..<16 * row + 16].map { String(format: "%02x", Int($0)) }
      return String(format: "%02x: ", 0x80 + 16 * row) + cells.joined(separator: " ") + "\n"
    }.joined()
  }

  @Test("the dump of a BMP180 gives a BMP180 calibration for rigs")
  func bmp180() throws {
    let rows = try Fixtures.text("fixtures/captures/bmp180-dumps.csv").split(separator: "\n")
    var registers = TestSupport.bytes(rows[1].split(separator: ",")[2])
    let printed = try CommandLineTool.run("calibration", "-", input: Self.table(registers))
    #expect(printed.status == 0, "\(printed)")
    let lines = printed.outputLines
    #expect(lines[0].contains("BMP180") && lines[2] == "model: bmp180")
    let rig = """
      name: own
      buses: [{number: 1, devices: [{address: 0x77, \(lines[2]), \(lines[3])}]}]
      """
    try CommandLineTool.withFile(rig) { path in
      let shown = try CommandLineTool.run(
        "exec", "--rig", path, "--", "i2cget", "-y", "1", "0x77", "0xaa")
      #expect(shown.output == "0x1f\n", "\(shown)")
    }
    registers[0xAA - 0x80] = 0
    registers[0xAB - 0x80] = 0
    let broken = try CommandLineTool.run("calibration", "-", input: Self.table(registers))
    #expect(broken.status == 65 && broken.errors.contains("bmp180"), "\(broken)")
    registers[0xD0 - 0x80] = 0x61
    let other = try CommandLineTool.run("calibration", "-", input: Self.table(registers))
    #expect(other.status == 65 && other.errors.contains("0xD0 reads 0x61"), "\(other)")
  }

  @Test("without an argument the built-in calibrations are listed")
  func listed() throws {
    let lines = try CommandLineTool.run("calibration").outputLines
    #expect(lines.count > 20 && lines.allSatisfy { $0.contains("280  ") })
  }

  @Test(
    "an error in 'calibration' gives the exit status for its kind of error",
    arguments: [("none", 66, "no such file"), ("README.md", 65, "README.md")])
  func wrong(_ word: String, _ status: Int32, _ message: String) throws {
    let result = try CommandLineTool.run("calibration", word)
    #expect(result.status == status && result.output.isEmpty)
    #expect(result.errors.contains(message))
  }
}
