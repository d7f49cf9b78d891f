import Foundation
import Parts
import TestSupport
import Testing
import VirtualI2C

/// Checks of the fidelity ledger of every chip.
enum FidelityCheck {
  /// The titles of all chip tests, from their sources.
  static let titles: Set<String> = {
    let tests = Fixtures.root.appending(path: "Tests/ChipsTests")
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

  /// Checks that each fact and assumption names an existing test, and that the page equals the ledger.
  static func check(_ ledger: FidelityLedger, page: String, facts: Int, assumptions: Int) throws {
    let all = ledger.chapters.flatMap(\.facts)
    #expect(all.count >= facts)
    for fact in all { #expect(titles.contains(fact.test), "\(fact.statement)") }
    #expect(ledger.assumptions.count == assumptions)
    for assumption in ledger.assumptions {
      #expect(titles.contains(assumption.test), "\(assumption.key)")
    }
    #expect(try Fixtures.text("Sources/Chips/Chips/Chips.docc/\(page).md") == ledger.page)
  }
}
