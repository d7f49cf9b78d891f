import Foundation
import TestSupport
import Testing

/// Defects smaller than the differences between correct formulas, found by the least significant
/// digits on all benches.
struct SmallDefectTests {
  private static let scenarios = ["packed-h5", "negative-h5", "frost", "heat", "calm"].flatMap {
    ["--scenario", $0]
  }

  private static func mutant(_ id: String) throws -> [String] {
    let mutant = try #require(
      Mutants.of("reader.py").first { $0.classID == id && $0.title.hasSuffix("that tell") })
    return ["/usr/bin/python3", try Mutants.written(mutant.source, name: "small-\(id).py")]
  }

  @Test("the defect 16384.8 instead of 16384.0 is reported as small in every format")
  func forms() throws {
    let program = try Self.mutant("B15")
    let folder = FileManager.default.temporaryDirectory
    let (junit, table) = (
      folder.appending(path: "\(UUID()).xml").path, folder.appending(path: "\(UUID()).md").path
    )
    let text = try AuditTests.audit(
      Self.scenarios + ["--junit", junit, "--markdown", table], program)
    #expect(text.status == 1, "\(text.output)\(text.errors)")
    #expect(text.output.contains("likely B15 the constant 16384.8"))
    #expect(text.output.contains("small     negative-h5  37.40"))
    #expect(text.output.contains("its last digits match a known defect"))
    #expect(text.output.contains("5 scenarios: 4 small, 1 right"))
    #expect(try String(contentsOfFile: junit, encoding: .utf8).contains("failures=\"4\""))
    #expect(try String(contentsOfFile: table, encoding: .utf8).contains("| **small** |"))
    let json = try AuditTests.audit(Self.scenarios + ["--format", "json"], program)
    #expect(json.output.contains("\"verdict\":\"small\""), "\(json.output)")
    try CommandLineTool.withFile(json.output, suffix: ".json") { baseline in
      let known = try AuditTests.audit(Self.scenarios + ["--baseline", baseline], program)
      #expect(known.status == 0 && known.output.contains("0 new"))
    }
  }

  @Test("a correct reader that displays as many digits is right")
  func right() throws {
    let source = try Fixtures.text("Tests/Peers/audit/reader.py")
      .replacing("{humidity:.2f}", with: "{humidity:.9f}")
      .replacing("{temperature:.2f}", with: "{temperature:.9f}")
      .replacing("{pressure / 100:.2f}", with: "{pressure / 100:.9f}")
    let path = try Mutants.written(source, name: "digits.py")
    let result = try AuditTests.audit([], ["/usr/bin/python3", path])
    #expect(result.status == 0, "\(result.output)")
    #expect(result.output.contains("65 scenarios: 6 reported, 59 right"))
  }

  @Test("the least significant digits from one scenario are not enough evidence")
  func one() throws {
    let result = try AuditTests.audit(
      ["--scenario", "negative-h5", "--scenario", "calm"], Self.mutant("B15"))
    #expect(result.status == 0, "\(result.output)")
  }

  @Test("a small defect is reported along with another error, by the last digits")
  func alsoLikely() throws {
    let source = try String(contentsOfFile: Self.mutant("B41")[1], encoding: .utf8)
      .replacing("max(value, 0), 100)", with: "max(value, 0), 100) * 1.024")
    let path = try Mutants.written(source, name: "both.py")
    // Few findings, so that each is listed with all its lines.
    let few = ["calm", "frost", "heat"].flatMap { ["--scenario", $0] }
    let result = try AuditTests.audit(few, ["/usr/bin/python3", path])
    #expect(result.output.contains("likely B38"), "\(result.output)")
    #expect(result.output.contains("also, by the last digits, B41"), "\(result.output)")
  }
}
