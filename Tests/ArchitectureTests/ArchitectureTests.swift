import TestSupport
import Testing

/// The dependencies between folders and targets, and what each may name.
struct ArchitectureTests {
  static let targets = Result { try SourceTree.targets() }

  @Test("all targets of Package.swift are included in the architecture checks")
  func isComplete() throws {
    let targets = try Self.targets.get()
    #expect(targets.count >= 30)
    // The program only starts the command, whose code is in Commands.
    #expect(targets.filter { $0.lines <= 100 }.map(\.name) == ["aneroid"])
  }

  @Test(
    "as a dependency of another package, this one has no unsafe flags, which SwiftPM refuses there")
  func flags() throws {
    let folder = try TestFolder()
    let descriptions = try ["clone", "checkouts/aneroid"].map {
      try Tool.run("mkdir", ["-p", folder[$0]])
      try Tool.run("cp", [Fixtures.rootPath + "/Package.swift", folder[$0]])
      return try Tool.run("swift", ["package", "--package-path", folder[$0], "dump-package"])
    }
    #expect(descriptions.map { $0.contains("unsafeFlags") } == [true, false])
  }

  @Test("no two folders of a target depend on each other")
  func circles() throws {
    for target in try Self.targets.get() { #expect(target.circles == []) }
  }

  @Test("no target contains more than a seventh of all source lines")
  func sizes() throws {
    let targets = try Self.targets.get()
    let all = targets.map(\.lines).reduce(0, +)
    for target in targets {
      #expect(
        target.lines * 7 < all, "\(target.name) has \(target.lines) of \(all) lines: split it")
    }
  }

  @Test("no code searches the text of a message to make a decision")
  func searches() throws {
    for (path, source) in try SourceTree.sources("Sources")
    where !path.contains("TraceTools/Formats") {
      #expect(SourceText.searches(in: source) == [], "\(path): decide by a value, not by its text")
    }
  }

  @Test(
    "each output format of findings (JUnit, GitHub, Markdown) is written by one source file",
    arguments: ["<testsuite", "\"::\\(", "---|"])
  func writers(mark: String) throws {
    let writers = try SourceTree.sources("Sources").filter {
      SourceText.contains(mark, in: $0.value)
    }
    #expect(writers.count == 1, "'\(mark)' is written by \(writers.keys.sorted())")
    #expect(writers.keys.allSatisfy { $0.hasPrefix("Support/") })
  }

  @Test("only the table reader splits table rows into cells")
  func tables() throws {
    for (path, source) in try SourceTree.sources("Sources") {
      #expect(SourceText.splitsRows(source) == [], "\(path): use the table reader of Text")
    }
  }

  @Test("a chip's name occurs only in the chip's folder, the catalogue and the listed files")
  func chips() throws {
    // Decisions/JudgesOfAFamily explains the audit; the default rig is a rig; the thesis's firmware is a use.
    let allowed = [
      "Chips/", "Deprecated/", "Examples/", "Work/Audit/", "Commands/AuditCommand.swift",
      "Commands/CompensateCommand.swift", "Rig/Rigs/Reading/BuiltInRig.swift",
      "Services/Station/Readings/Sources/", "Services/Package.swift", "Warehouse/SensorTags/",
    ]
    let chips = try SourceTree.chips()
    #expect(chips.isSuperset(of: ["BME280", "SHT21", "HDC1000"]))
    for (path, source) in try SourceTree.sources("Sources")
    where !allowed.contains(where: path.hasPrefix) {
      for (line, text) in SourceText.names(of: chips, in: source) {
        Issue.record(
          "Sources/\(path):\(line): use the catalogue instead of the chip's name: \(text)")
      }
    }
  }

  @Test("a board's name occurs only in the board's folder, the catalogue and the listed folders")
  func boards() throws {
    // A personality describes an adapter as programs see it; the pages of rig keys contain example rigs.
    let allowed = [
      "Reach/Bridges/BoardCatalogue.swift", "Bench/VirtualI2C/Personality.swift", "Rig/Rigs/Pages/",
    ]
    let boards = try SourceTree.boards()
    #expect(boards.contains("Automat"))
    for board in boards {
      for (path, source) in try SourceTree.sources("Sources")
      where !allowed.contains(where: path.hasPrefix)
        && !path.hasPrefix("Reach/Bridges/\(board)/")
      {
        for (line, text) in SourceText.names(ofBoard: board, in: source) {
          Issue.record(
            "Sources/\(path):\(line): use the catalogue instead of the board's name: \(text)")
        }
      }
    }
  }

  @Test("a chip's folder does not name another chip")
  func otherChips() throws {
    let chips = try SourceTree.chips()
    for chip in chips where chip != "BMP280" {
      // The BME280's folder also holds the BMP280.
      let others = chips.subtracting([chip, "BMP280"])
      let folders = ["Sources/Chips/\(chip)", "Sources/Chips/Chips/\(chip)"]
      for folder in folders where SourceTree.exists(folder) {
        for (path, source) in try SourceTree.sources(folder) {
          for (line, text) in SourceText.names(of: others, in: source) {
            Issue.record("\(folder)/\(path):\(line): move it to PartSupport: \(text)")
          }
        }
      }
    }
  }

  @Test(
    "every file named on a documentation page about the code exists",
    arguments: ["HowItFlows", "WhereToAddWhat"])
  func pages(page: String) throws {
    let text = try Fixtures.text("Sources/aneroid/aneroid.docc/\(page).md")
    let files = PageFiles.find(in: text, exists: SourceTree.exists)
    #expect(files.count > 15)
    #expect(files.filter { $0.path == nil }.map(\.name) == [], "\(page)")
  }

  @Test("the eight types listed on the page HowItIsBuilt exist in the modules listed there")
  func firstTypes() throws {
    let page = try Fixtures.text("Sources/aneroid/aneroid.docc/HowItIsBuilt.md")
    let rows = page.matches(of: /(?m)^\| `(?<type>\w+)` \| (?<module>\w+) \|/)
    #expect(rows.count == 8)
    let targets = try Self.targets.get()
    for row in rows {
      let target = try #require(targets.first { $0.name == row.output.module })
      let isDeclared = target.types.values.contains { $0.contains(String(row.output.type)) }
      #expect(isDeclared, "\(row.output.0)")
    }
  }
}
