import TestSupport
import Testing

/// Sources, tests, pages and rigs are written in the field's terms.
struct LanguageTests {
  @Test(
    "no banned phrase is used in sources, tests, pages and rigs",
    arguments: ["Sources", "Tests", "rigs"])
  func phrases(folder: String) throws {
    let texts = try SourceTree.sources(
      folder, without: ["ArchitectureTests"], extensions: Language.extensions)
    #expect(!texts.isEmpty)
    let findings = texts.flatMap { Language.findings(in: $1, path: "\(folder)/\($0)") }.sorted()
    #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
  }

  @Test("no banned phrase is used in the README")
  func readme() throws {
    #expect(Language.findings(in: try Fixtures.text("README.md"), path: "README.md") == [])
  }
}
