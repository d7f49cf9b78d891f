import BME280Model
import Foundation
import TestSupport
import Testing
import VirtualI2C

/// Tests that each fact and assumption of the model names an existing test.
struct FidelityTests {
  /// The titles of all tests, from their sources.
  static let titles: Set<String> = {
    let tests = Fixtures.root.appending(path: "Tests")
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)
    var titles: Set<String> = []
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
      let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      for match in text.matches(of: /@Test\(\s*"((?:[^"\\]|\\.)*)"/) {
        titles.insert(String(match.output.1))
      }
    }
    return titles
  }()

  @Test("every documented fact names an existing test")
  func facts() {
    let facts = Fidelity.chapters.flatMap(\.facts)
    #expect(facts.count > 40)
    for fact in facts { #expect(Self.titles.contains(fact.test), "\(fact.statement)") }
  }

  @Test("every documented assumption names an existing test and a documented rig key")
  func assumptions() throws {
    let keys = try Fixtures.text("Sources/Rig/Rigs/Rigs.docc/RigKeys.md")
    for assumption in Fidelity.assumptions {
      #expect(Self.titles.contains(assumption.test), "\(assumption.key)")
      #expect(keys.contains("| `\(assumption.key)` |"), "\(assumption.key)")
    }
    // As many keys under 'unknown' as assumptions: each switch has its evidence.
    let heading = "## buses: devices, model: bme280, bmp280: unknown\n"
    let section = keys.components(separatedBy: heading).dropFirst().first
    let rows = section?.components(separatedBy: "\n## ")[0].components(separatedBy: "\n| `")
    #expect((rows?.count ?? 0) - 1 == Fidelity.assumptions.count)
  }
}
