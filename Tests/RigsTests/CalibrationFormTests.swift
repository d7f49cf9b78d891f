import BME280
import Chips
import Foundation
import Parts
import Rigs
import Support
import TestSupport
import Testing

/// A calibration is accepted in any common format.
struct CalibrationFormTests {
  static let lower = "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b"
  static let upper = "6e01001305001e"
  static let expected = TestSupport.bytes(lower + upper)

  /// The output of `i2cdump -y 1 0x76 b` for a part.
  static func dump(range: ClosedRange<Int> = 0...255) -> String {
    var registers = [UInt8](repeating: 0, count: 256)
    for (index, byte) in expected.enumerated() {
      registers[Calibration.register(ofByte: index)] = byte
    }
    registers[0xD0] = 0x60
    var text = "     0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f    0123456789abcdef\n"
    for row in stride(from: range.lowerBound & 0xF0, through: range.upperBound, by: 16) {
      text += (row < 16 ? "0" : "") + String(row, radix: 16) + ": "
      for register in row..<row + 16 {
        let digits = String(registers[register], radix: 16)
        text += range.contains(register) ? (digits.count < 2 ? "0" : "") + digits + " " : "   "
      }
      text += "   ................\n"
    }
    return text
  }

  /// The first line of a trace without reads.
  static let header =
    (try? Fixtures.text("fixtures/traces/periph-i2c.i2ctrace").prefix { $0 != "\n" } + "\n") ?? ""

  static func spaced(_ separator: String, prefix: String = "") -> String {
    TestSupport.bytes(lower + upper).map { byte in
      let digits = String(byte, radix: 16)
      return prefix + (digits.count < 2 ? "0" : "") + digits
    }.joined(separator: separator)
  }

  static let words = """
    dig_T1: 28176
    dig_T2: 26220
    dig_T3: 50
    dig_P1: 38237
    dig_P2: -10824
    dig_P3: 3024
    dig_P4: 7799
    dig_P5: -99
    dig_P6: -7
    dig_P7: 9900
    dig_P8: -10230
    dig_P9: 4285
    dig_H1: 75
    dig_H2: 366
    dig_H3: 0
    dig_H4: 309
    dig_H5: 0
    dig_H6: 30
    """

  static let forms: [(name: String, text: String)] = [
    ("digits end to end", lower + upper),
    ("spaces", spaced(" ")), ("colons", spaced(":")), ("commas", spaced(", ", prefix: "0x")),
    ("lines", spaced("\n")), ("a list of C", "{" + spaced(", ", prefix: "0x") + "};"),
    ("bytes of Python", "b'" + spaced("", prefix: "\\x") + "'"),
    ("decimal numbers", "[" + expected.map { String($0) }.joined(separator: ", ") + "]"),
    ("two lines with a remark", "\(lower)  # 0x88\n\(upper)  # 0xE1\n"),
    ("32 bytes, without 0xA0", String(lower.dropLast(4)) + String(lower.suffix(2)) + upper),
    ("i2cdump", dump()), ("words", words),
    (
      "words of C",
      words.replacingOccurrences(of: ": ", with: " = ").replacingOccurrences(of: "\n", with: ";\n")
    ),
    (
      "words of Python",
      "{"
        + words.split(separator: "\n").map { "'" + $0.replacingOccurrences(of: ":", with: "':") }
        .joined(separator: ", ") + "}"
    ),
    ("words without dig", words.replacingOccurrences(of: "dig_", with: "")),
  ]

  private static func bytes(_ file: CalibrationFile) -> [UInt8] {
    file.nvm.indices.map { file.nvm[$0] }
  }

  @Test("a calibration file gives the same bytes in each format", arguments: forms)
  func files(_ name: String, _ text: String) throws {
    let part = try CalibrationFile(text: text, file: "some/dump.txt")
    #expect(Self.bytes(part) == Self.expected)
    #expect(part.chip == .bme280 && part.device == "dump")
    #expect(part.provenance == "read from some/dump.txt")
  }

  @Test("two register dumps of different address ranges in one file form one calibration")
  func ranges() throws {
    let text = Self.dump(range: 0x88...0xA1) + "\n" + Self.dump(range: 0xE1...0xE7)
    let part = try CalibrationFile(text: text, file: "x")
    #expect(Self.bytes(part) == Self.expected)
  }

  @Test("a trace that contains the reads of the calibration is accepted as a calibration")
  func trace() throws {
    let part = try CalibrationFile(
      text: Fixtures.text("fixtures/traces/periph-i2c.i2ctrace"), file: "t")
    let known = try CalibrationFile(path: NamedInput("periph-i2c", .calibration).path)
    #expect(part.chip == .bme280 && Self.bytes(part) == Self.bytes(known))
    let other = try CalibrationFile(
      text: Fixtures.text("fixtures/traces/bmp-orangepi.i2ctrace"), file: "t")
    #expect(other.chip == .bmp280)
  }

  @Test(
    "each built-in calibration, printed as YAML, is read back with the same bytes",
    arguments: BuiltInFile.names(.calibration))
  func printed(_ name: String) throws {
    let part = try CalibrationFile(path: NamedInput(name, .calibration).path)
    let again = try CalibrationFile(text: part.yaml, file: "again.yaml")
    #expect(Self.bytes(again) == Self.bytes(part) && again.chip == part.chip)
    #expect(again.device == part.device && again.provenance == part.provenance)
  }

  @Test(
    "a calibration word may be repeated with the same value and may end in '.0'",
    arguments: [[words, words], [words.replacingOccurrences(of: "28176", with: "28176.0")]])
  func again(_ texts: [String]) throws {
    let text = texts.joined(separator: "\n")
    #expect(Self.bytes(try CalibrationFile(text: text, file: "x.txt")) == Self.expected)
  }

  @Test(
    "an error message does not quote the contents of the file",
    arguments: [
      ("106e6c6632", "5 bytes are not a valid calibration (accepted: 33 bytes"),
      (lower + upper + "ff", "34 bytes are not a valid calibration"),
      ("10", "1 byte is not a valid calibration"),
      ("106e6c663", "the group 1 of 1 has 9 hexadecimal digits, which are not whole bytes"),
      (String(repeating: "ff ", count: 33), "all bytes are 0xff: no part responded"),
      (
        words.replacingOccurrences(of: "dig_P7: 9900\n", with: ""),
        "the calibration is missing dig_P7"
      ),
      (
        words.replacingOccurrences(of: "-10824", with: "54712"),
        "dig_P2 takes -32768 to 32767, not 54712"
      ),
      (
        dump(range: 0x88...0xA1).replacingOccurrences(of: "106e".prefix(2) + " ", with: "XX "),
        "the register 0x88 of the bmp280 is missing"
      ),
      ("00: 6e6c 0000 0000 0000 0000 0000 0000 0000\n", "this is a table of words"),
      (header, "the trace has no read from 0x88"),
      ("root:x:0:0:secret", "this is not a calibration file"),
    ])
  func wrong(_ text: String, _ message: String) {
    let failure = #expect(throws: Failure.self) { try CalibrationFile(text: text, file: "x.txt") }
    #expect(failure?.kind == .badContent)
    #expect(failure?.description.contains(message) == true, "\(failure?.messages ?? [])")
    #expect(failure?.description.contains("secret") == false)
  }

  @Test(
    "a calibration word that is not a whole number is rejected",
    arguments: ["28,176", "28176.5", "28176/2", "28176e0", "28176L"])
  func broken(_ number: String) {
    let text = Self.words.replacingOccurrences(of: "28176", with: number)
    let failure = #expect(throws: Failure.self) { try CalibrationFile(text: text, file: "x.txt") }
    #expect(failure?.kind == .badContent)
    #expect(
      failure?.description.contains("the value of dig_T1 is not a whole number") == true,
      "\(failure?.messages ?? [])")
  }

  @Test("a calibration word with two different values is an error")
  func twice() {
    let text = Self.words + "\ndig_T1: 28177"
    let failure = #expect(throws: Failure.self) { try CalibrationFile(text: text, file: "x.txt") }
    #expect(failure?.description.contains("dig_T1 appears twice") == true)
  }

  /// The calibration of the first device of a rig with a calibration in YAML.
  private static func inRig(_ yaml: String, model: String = "bme280") throws -> String? {
    let text = SampleRig.changed("calibration: ../fixtures/calibrations/periph-i2c.yaml", to: yaml)
      .replacingOccurrences(of: "model: bme280", with: "model: \(model)")
    return try Rig(text: text, file: SampleRig.file).buses[0].devices[0].part.calibration
  }

  @Test(
    "a rig accepts a calibration in each format, inline or by name",
    arguments: [
      ("calibration: \"\(spaced(" "))\"", "calibration in the rig"),
      ("calibration: [\(spaced(", ", prefix: "0x"))]", "calibration in the rig"),
      (
        "calibration: {0x88: \"\(lower)\", 0xE1: \"6e 01 00 13 05 00 1e\"}",
        "registers in the rig"
      ),
      (
        "calibration: {\(words.replacingOccurrences(of: "\n", with: ", "))}",
        "registers in the rig"
      ),
      (
        "calibration: |\n              "
          + dump().drop { $0 != "\n" }.dropFirst().replacingOccurrences(
            of: "\n", with: "\n              "),
        "calibration in the rig"
      ),
      ("calibration: xft", "xft"), ("calibration: ../fixtures/calibrations/xft.yaml", "xft"),
      ("noise: off", "periph-i2c"),
    ])
  func inPlace(_ yaml: String, _ device: String) throws {
    #expect(try Self.inRig(yaml) == device)
  }

  @Test("a BMP280 without a calibration in the rig gets that of a typical part")
  func typical() throws {
    #expect(try Self.inRig("noise: off", model: "bmp280") == "bmp-orangepi")
  }

  @Test(
    "an error in an inline calibration is reported with its position",
    arguments: [
      (
        "calibration: \"\(lower)\"",
        "11:22: error: 26 bytes are an incomplete calibration of a bme280"
      ),
      ("calibration: [1, 2, 3]", "11:22: error: 3 bytes are not a valid calibration"),
      (
        "calibration: [1, 2, 300]",
        "11:29: error: an entry of calibration: '300' is not a whole number"
      ),
      ("calibration: {dig_T1: 27504}", "11:22: error: calibration lacks 'dig_T2'"),
      (
        "calibration: bmp-rscs",
        "11:22: error: the calibration is that of a bmp280, the model is a bme280"
      ),
    ])
  func misplaced(_ yaml: String, _ message: String) {
    let failure = #expect(throws: Failure.self) { try Self.inRig(yaml) }
    #expect(failure?.kind == .badRig)
    #expect(failure?.description.contains(message) == true, "\(failure?.messages ?? [])")
  }
}
