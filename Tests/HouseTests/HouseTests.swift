import TestSupport
import Testing

/// What keeps the house: arrows between folders go one way, a name has one meaning, no room is too big.
struct HouseTests {
  static let rooms = Result { try House.rooms() }

  @Test("every target of the manifest is looked at")
  func isComplete() throws {
    let rooms = try Self.rooms.get()
    #expect(rooms.count >= 30)
    #expect(rooms.allSatisfy { $0.lines > 100 }, "\(rooms.filter { $0.lines <= 100 }.map(\.name))")
  }

  @Test("no folder of a target needs a folder that needs it")
  func circles() throws {
    for room in try Self.rooms.get() { #expect(room.circles == []) }
  }

  @Test("a type's name has one meaning across targets")
  func duplicates() throws {
    var owners: [String: Set<String>] = [:]
    for room in try Self.rooms.get() {
      for type in room.types.values.joined() { owners[type, default: []].insert(room.name) }
    }
    #expect(owners.filter { $0.value.count > 1 } == [:])
  }

  @Test("no target has more than a seventh of all lines")
  func sizes() throws {
    let rooms = try Self.rooms.get()
    let all = rooms.map(\.lines).reduce(0, +)
    for room in rooms { #expect(room.lines * 7 < all, "\(room.name): \(room.lines) of \(all)") }
  }

  @Test("nothing is decided by the words of a message")
  func searches() throws {
    for (path, source) in try House.sources("Sources") where !path.contains("TraceFormats") {
      #expect(SourceText.searches(in: source) == [], "\(path)")
    }
  }

  @Test(
    "each form in which findings are told is written in one file",
    arguments: [
      ("<testsuite", "Support/Findings/JUnit.swift"),
      ("\"::\\(", "Support/Findings/GitHubAnnotations.swift"),
      ("---|", "Support/Text/MarkdownTable.swift"),
    ])
  func writers(mark: String, file: String) throws {
    let writers = try House.sources("Sources").filter { SourceText.tells(mark, in: $0.value) }
    #expect(writers.keys.sorted() == [file])
  }

  @Test("what is kept in Pa becomes hPa in the room of quantities alone")
  func hectopascals() throws {
    // What else is divided by 100: percent, a calendar, a run, hundredths, pairs of digits.
    let others = [
      "DewPoint.swift", "UTCTime.swift", "RigRun.swift", "Search+Offset.swift", "Formula.swift",
      "Decoding.swift", "CommonDifference.swift", "CivilTime.swift", "LineWriter.swift",
      "ExampleCommand.swift", "TableSearch.swift",
    ]
    for (path, source) in try House.sources("Sources")
    where !path.hasPrefix("Core/Quantities/") && !others.contains(where: path.hasSuffix) {
      #expect(!source.contains(/\/ 100(\.0)?\b/.wordBoundaryKind(.simple)), "\(path)")
    }
  }

  @Test("no room but the reader of tables splits their rows")
  func tables() throws {
    for (path, source) in try House.sources("Sources") {
      #expect(SourceText.splitsRows(source) == [], "\(path)")
    }
  }

  @Test("a chip's name stands in its folder, the catalogue and the declared places, nowhere else")
  func chips() throws {
    // Decisions/JudgesOfAFamily says why; the rig that is there without one is a rig, and the thesis's firmware a use.
    let declared = [
      "Chips/", "Firmware/Thesis/", "Work/Audit/", "aneroid/Commands/AuditCommand.swift",
      "aneroid/Commands/CompensateCommand.swift", "Rig/Rigs/Reading/BuiltInRig.swift",
      "Station/Readings/Sources/", "Station/Package.swift", "Warehouse/SensorTags/",
    ]
    let chips = try House.chips()
    #expect(chips.isSuperset(of: ["BME280", "SHT21", "HDC1000"]))
    for (path, source) in try House.sources("Sources")
    where !declared.contains(where: path.hasPrefix) {
      for (line, text) in SourceText.names(of: chips, in: source) {
        Issue.record("Sources/\(path):\(line): \(text)")
      }
    }
  }

  @Test("a board's name stands in its folder, the catalogue and the declared places, nowhere else")
  func boards() throws {
    // A personality is of an adapter as programs meet it; the pages of keys show rigs.
    let declared = [
      "Reach/Bridges/BoardCatalogue.swift", "Bench/VirtualI2C/Personalities/", "Rig/KeyPages/",
    ]
    let boards = try House.boards()
    #expect(boards.contains("Automat"))
    for board in boards {
      for (path, source) in try House.sources("Sources")
      where !declared.contains(where: path.hasPrefix)
        && !path.hasPrefix("Reach/Bridges/\(board)/")
      {
        for (line, text) in SourceText.names(ofBoard: board, in: source) {
          Issue.record("Sources/\(path):\(line): \(text)")
        }
      }
    }
  }

  @Test("a chip's folder names no other chip")
  func strangers() throws {
    let chips = try House.chips()
    for chip in chips where chip != "BMP280" {
      // The BMP280 is the BME280's relative.
      let others = chips.subtracting([chip, "BMP280"])
      for (path, source) in try House.sources("Sources/Chips/\(chip)") {
        for (line, text) in SourceText.names(of: others, in: source) {
          Issue.record("Sources/Chips/\(chip)/\(path):\(line): \(text)")
        }
      }
    }
  }

  @Test("what the pages about the house name is there")
  func pages() throws {
    for page in ["HowItFlows", "WhereToAddWhat"] {
      let text = try Fixtures.text("Sources/aneroid/aneroid.docc/\(page).md")
      let files = HousePage.files(in: text, exists: House.has)
      #expect(files.count > 15)
      #expect(files.filter { $0.path == nil }.map(\.name) == [], "\(page)")
    }
  }
}
