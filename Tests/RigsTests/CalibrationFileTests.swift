import BME280
import Chips
import Foundation
import Rigs
import Support
import TestSupport
import Testing

/// Calibration files: those of the repository are valid, and invalid files are rejected.
struct CalibrationFileTests {
  static let files: [String] = {
    let folder = Fixtures.root.appending(path: "fixtures/calibrations").path
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted()
  }()

  @Test("the repository has at least 20 calibrations of real parts, of both BME280 and BMP280")
  func count() throws {
    #expect(Self.files.count >= 20)
    let chips = try Self.files.map { try CalibrationFile(path: Self.path($0)).chip }
    #expect(Set(chips) == Set(Chip.allCases))
  }

  static func path(_ name: String) -> String {
    Fixtures.root.appending(path: "fixtures/calibrations/\(name)").path
  }

  @Test(
    "each calibration has the name of its file, names its source, and is not blank",
    arguments: files)
  func file(_ name: String) throws {
    let part = try CalibrationFile(path: Self.path(name))
    #expect(part.device + ".yaml" == name)
    #expect(part.provenance.count > 20)
    let bytes = part.nvm.indices.prefix(24).map { part.nvm[$0] }
    #expect(Set(bytes).count > 10)
  }

  static let good = """
    device: x
    chip: bmp280
    provenance: a test
    registers: {0x88: "\(String(repeating: "5a", count: 24))"}
    """

  @Test(
    "errors are reported with their position",
    arguments: [
      ("chip: bmp280", "chip: bmp180", "2:7: error: chip: 'bmp180' is not one of bme280, bmp280"),
      ("5a\"}", "5\"}", "4:19: error: 0x88: 47 hexadecimal digits are not a whole number of bytes"),
      ("5a\"}", "5x\"}", "4:19: error: 0x88: 'x' at digit 48 is not a hexadecimal digit"),
      ("5a\"}", "\"}", "4:19: error: 0x88 of a bmp280 takes 24 bytes (48 digits), not 46 digits"),
      ("5a\"}", "5a\", 0xE1: \"00\"}", "4:77: error: a bmp280 has no registers at 0xE1"),
      (
        "chip: bmp280", "chip: bme280",
        "4:12: error: the registers of a bme280 require '0xE1' (7 bytes)"
      ),
      ("provenance: a test\n", "", "1:1: error: the calibration lacks 'provenance'"),
      (
        "device: x", "devise: x",
        "1:1: error: unknown key 'devise' in the calibration; did you mean 'device'?"
      ),
    ])
  func mistakes(_ old: String, _ new: String, _ message: String) {
    let text = Self.good.replacingOccurrences(of: old, with: new)
    let failure = #expect(throws: Failure.self) {
      try CalibrationFile(text: text, file: "part.yaml")
    }
    #expect(failure?.kind == .badContent)
    #expect(
      failure?.messages.contains { $0.hasPrefix("part.yaml:" + message) } == true,
      "\(failure?.messages ?? [])")
  }
}
