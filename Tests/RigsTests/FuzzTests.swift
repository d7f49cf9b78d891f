import BME280
import Foundation
import Rigs
import TestSupport
import Testing

/// Mutated files end in a failure or a result, never in a crash or a hang.
struct FuzzTests {
  /// Bytes of a good file with a few of them changed.
  static func mutated(_ good: [UInt8], using generator: inout Seeded) -> [UInt8] {
    var bytes = good
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let place = Int.random(in: 0..<max(bytes.count, 1), using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
      case 3:
        let token = tokens.randomElement(using: &generator) ?? ""
        bytes.insert(contentsOf: token.utf8, at: place)
      case 4: bytes.removeSubrange(place..<min(place + 20, bytes.count))
      default:
        let end = min(place + Int.random(in: 1...40, using: &generator), bytes.count)
        bytes.insert(contentsOf: bytes[place..<end], at: place)
      }
      if bytes.isEmpty { bytes = [10] }
    }
    return bytes
  }

  static let tokens = [
    ": ", "- ", "{", "}", "[", "]", "\"", "'", "\n", "#", "&a ", "*a ", "!!int ", "|\n", "? ", "0x",
    "-1", "1e999", "nan", "99999999999999999999", "\0", "\u{FEFF}", ",", ",,", "\r\n", "NA",
  ]

  @Test("100,000 mutated rigs")
  func rigs() {
    var generator = Seeded("mutated rigs")
    let good = Array(SampleRig.text.utf8)
    var accepted = 0
    for _ in 0..<100_000 {
      let bytes = Self.mutated(good, using: &generator)
      let text = String(decoding: bytes, as: UTF8.self)
      do throws(BenchFailure) {
        _ = try Rig(text: text, file: SampleRig.file)
        accepted += 1
      } catch {
        if error.messages.isEmpty { Issue.record("no message, seed \(generator.seed)") }
      }
    }
    #expect((1..<100_000).contains(accepted))
  }

  @Test("100,000 mutated calibrations")
  func calibrations() throws {
    var generator = Seeded("mutated calibrations")
    let good = Array(try Fixtures.text("fixtures/calibrations/periph-i2c.yaml").utf8)
    var accepted = 0
    for _ in 0..<100_000 {
      let bytes = Self.mutated(good, using: &generator)
      let text = String(decoding: bytes, as: UTF8.self)
      if (try? CalibrationFile(text: text, file: "mutated.yaml")) != nil { accepted += 1 }
    }
    #expect((1..<100_000).contains(accepted))
  }

  @Test("100,000 mutated tables of raw values, in chunks of any size")
  func tables() {
    var generator = Seeded("mutated tables")
    let calibration = "106e6c6632005d95b8d5d00b771e9dfff9ffac260ad8bd10004b6e01001305001e"
    let rows = [
      "note,calib,adc_T,adc_P,adc_H",
      #""a, ""b""",\#(calibration),526700,304428,31350"#,
      ",\(calibration.prefix(48)),526700,304428,",
    ]
    let good = Array((rows.joined(separator: "\n") + "\n").utf8)
    var accepted = 0
    for _ in 0..<100_000 {
      let bytes = Self.mutated(good, using: &generator)
      var rest = bytes[...]
      let size = Int.random(in: 1...64, using: &generator)
      let table = CompensationTable(
        variant: CompensationVariant.allCases.randomElement(using: &generator) ?? .boschInt32,
        units: .native)
      let source: () throws(BenchFailure) -> [UInt8]? = {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(size) }
        return Array(rest.prefix(size))
      }
      do {
        try table.compensate("mutated.csv", from: source, to: { _ in })
        accepted += 1
      } catch {
        if error.kind != .badContent { Issue.record("\(error), seed \(generator.seed)") }
      }
    }
    #expect((1..<100_000).contains(accepted))
  }
}
