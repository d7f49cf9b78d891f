import Foundation
import TestSupport
import Testing

/// The shape of the repository: its top level, the size of its files and functions, and what they import.
struct LayoutTests {
  @Test(
    "the visible top level is Package.swift, Sources, Tests, fixtures, rigs, README.md, LICENSE")
  func topLevel() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Fixtures.root.path)
    // The package manager writes Package.resolved, which git ignores.
    let visible = Set(names.filter { !$0.hasPrefix(".") }).subtracting(["Package.resolved"])
    #expect(
      visible == ["LICENSE", "Package.swift", "README.md", "Sources", "Tests", "fixtures", "rigs"])
  }

  @Test("a source file has at most 700 lines", arguments: ["Sources", "Tests", ".ci"])
  func longFiles(folder: String) throws {
    let files = try SourceTree.sources(folder, extensions: ["swift", "py", "c", "h", "S"])
    for (path, source) in files {
      let lines = source.count { $0 == "\n" }
      #expect(lines <= Layout.longestFile, "\(folder)/\(path): split it by subject")
    }
  }

  /// Short files that are a subject of their own.
  static let shortSubjects: Set = [
    // Release scripts read the version from this file.
    "Support/Text/Version.swift",
    // The only list of boards, as Chips/Chips/Catalogue.swift is of chips.
    "Reach/Bridges/BoardCatalogue.swift",
  ]

  @Test("a Swift file of the product has at least 25 lines, except for the listed files")
  func shortFiles() throws {
    let sources = try SourceTree.sources("Sources")
    for (path, source) in sources
    where !path.hasSuffix("Package.swift") && !path.hasPrefix("Deprecated/") {
      let lines = source.count { $0 == "\n" }
      #expect(
        lines >= Layout.shortestFile || Self.shortSubjects.contains(path),
        "Sources/\(path): merge it into its owner's file")
    }
    #expect(Self.shortSubjects.isSubset(of: sources.keys))
  }

  @Test("the product has fewer than 700 Swift files with a median of at least 120 lines")
  func count() throws {
    let lines = try SourceTree.sources("Sources").values.map { $0.count { $0 == "\n" } }.sorted()
    #expect(lines.count < 700)
    #expect(lines[lines.count / 2] >= 120)
  }

  @Test("a function has at most 60 lines")
  func longFunctions() throws {
    for (path, source) in try SourceTree.sources("Sources") {
      for function in Layout.longFunctions(in: source) {
        Issue.record("Sources/\(path):\(function): split the function")
      }
    }
  }

  @Test("the core, the bench and the chips do not use files, the system clock or system randomness")
  func portability() throws {
    let chips = try SourceTree.chips().flatMap { chip in
      ["Datasheet", "Driver", "Virtual"].flatMap {
        ["Sources/Chips/\(chip)/\($0)", "Sources/Chips/Chips/\(chip)/\($0)"]
      } + ["Sources/Chips/\(chip)Model"]
    }
    let folders = ["Sources/Core", "Sources/Bench"] + chips.filter(SourceTree.exists)
    #expect(folders.count > 10)
    let banned: Set = ["Foundation", "Glibc", "Dispatch", "Synchronization"]
    let calls = /\b(?:Date\(|SystemRandomNumberGenerator|ContinuousClock|\.random\(in: [^)]*\)$)/
    for folder in folders {
      for (path, source) in try SourceTree.sources(folder) {
        let imports = Layout.imports(in: source).intersection(banned)
        #expect(imports == [], "\(folder)/\(path): pass files, times and random numbers as values")
        let lines = source.split(separator: "\n").filter { $0.contains(calls) }
        #expect(lines == [], "\(folder)/\(path): read the time from a clock that is passed in")
      }
    }
  }

  @Test("only the services import Foundation, which doubles the start-up time of the command")
  func foundation() throws {
    for (path, source) in try SourceTree.sources("Sources")
    where !path.hasPrefix("Services/") {
      #expect(
        !Layout.imports(in: source).contains("Foundation"),
        "Sources/\(path): use Text and Files instead of Foundation")
    }
  }

  @Test("no test is disabled")
  func disabled() throws {
    let marks = [".disabled" + "(", "withKnown" + "Issue", "XCT" + "Skip"]
    for (path, source) in try SourceTree.sources("Tests") {
      for mark in marks where source.contains(mark) {
        Issue.record("Tests/\(path): '\(mark)' switches a test off; mend the test or remove it")
      }
    }
  }
}
