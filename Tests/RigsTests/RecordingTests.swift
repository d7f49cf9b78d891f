import Foundation
import Glibc
import Quantities
import Support
import TestSupport
import Testing
import Watch

/// A recording survives crashes, and every change to an exported table is detected.
struct RecordingTests {
  static func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  static func row(_ index: Int) -> Recording.Row {
    Recording.Row(
      moment: 1_700_000_000_000_000_000 + Int64(index) * 1_000_000_000,
      AirReading(
        temperature: 22, pressure: 101_325 - Double(index), humidity: index % 2 == 0 ? 45 : nil),
      mark: index == 2 ? "mark" : "")
  }

  static func recorded(_ path: String, _ count: Int) throws {
    let recording = try Recording(path, of: "cabin")
    for index in 0..<count { recording.take(row(index)) }
    #expect(recording.failure == nil && recording.rows == count)
  }

  @Test("a recorded row is stored immediately, and the recording continues after a restart")
  func goesOn() throws {
    try Self.withFolder { folder in
      let path = "\(folder)/state/recording"
      try Self.recorded(path, 3)
      let again = try Recording(path, of: "cabin")
      #expect(again.rows == 3)
      again.take(Self.row(3))
      let rows = try RecordedRows(path)
      #expect(rows.name == "cabin" && rows.lines.count == 4)
      #expect(rows.lines[2] == "2023-11-14T22:13:22Z,101323.00,22.00,45.00,mark")
    }
  }

  @Test("each export without a name is written to a new file")
  func freshNames() throws {
    try Self.withFolder { folder in
      let path = "\(folder)/recording"
      let recording = try Recording(path, of: "cabin")
      var tables: [String] = []
      defer {
        for table in tables {
          try? FileManager.default.removeItem(atPath: table)
          try? FileManager.default.removeItem(atPath: "\(table).sha256")
        }
      }
      for index in 0..<3 {
        recording.take(Self.row(index))
        tables.append(try recording.export(in: .millimetreOfMercury, ends: false).table)
      }
      #expect(Set(tables).count == 3 && tables[1].hasSuffix("Z-2.csv"), "\(tables)")
      for (count, table) in tables.enumerated() {
        #expect(try RecordedRows.verify(table).sentence.contains("ok, \("row".counted(count + 1))"))
      }
    }
  }

  @Test("a run whose times go back starts a new section, which is marked and reported")
  func runs() throws {
    try Self.withFolder { folder in
      let path = "\(folder)/recording"
      try Self.recorded(path, 3)
      for run in 2...3 {
        let again = try Recording(path, of: "cabin")
        for index in 0..<3 { again.take(Self.row(index)) }
        #expect(again.runs == run)
      }
      let rows = try RecordedRows(path)
      #expect(rows.runs == 3 && rows.lines.count == 9)
      #expect(rows.lines.filter { $0.contains(",new run") }.count == 2)
      #expect(rows.lines[3].hasSuffix(",new run") && rows.lines[5].hasSuffix(",mark"))
      #expect(rows.runsRemark.contains("from 3 runs"))
      let later = try Recording(path, of: "cabin")
      later.take(Self.row(7))
      #expect(later.runs == 3, "a continued recording is the same run")
    }
  }

  @Test(
    "a truncated file gives every complete row before the cut, and recording continues after these rows"
  )
  func torn() throws {
    try Self.withFolder { folder in
      let path = "\(folder)/recording"
      try Self.recorded(path, 5)
      let whole = try Data(contentsOf: URL(filePath: path))
      let first = try #require(whole.firstIndex(of: 0x0A)) + 1
      for cut in first...whole.count {
        try whole.prefix(cut).write(to: URL(filePath: path))
        let kept = whole[first..<cut].count { $0 == 0x0A }
        #expect(try RecordedRows(path).lines.count == kept)
        try Recording(path, of: "cabin").take(Self.row(9))
        #expect(try RecordedRows(path).lines.count == kept + 1, "cut at \(cut)")
      }
    }
  }

  @Test("the recording of a different sensor is not continued and loses no row")
  func other() throws {
    try Self.withFolder { folder in
      let path = "\(folder)/recording"
      try Self.recorded(path, 2)
      let failure = #expect(throws: Failure.self) { try Recording(path, of: "garden") }
      #expect(failure?.kind == .unavailable)
      #expect(failure?.messages.joined().contains("aneroid recording export") == true)
      #expect(try RecordedRows(path).lines.count == 2)
      try "something else\n".write(toFile: path, atomically: true, encoding: .utf8)
      #expect(throws: Failure.self) { try Recording(path, of: "cabin") }
    }
  }

  @Test("an exported table is verified; every changed, removed or added byte is detected")
  func seal() throws {
    try Self.withFolder { folder in
      let (path, table) = ("\(folder)/recording", "\(folder)/table.csv")
      try Self.recorded(path, 4)
      let rows = try RecordedRows(path)
      let text = rows.table(in: .millimetreOfMercury)
      try text.write(toFile: table, atomically: true, encoding: .utf8)
      let side = "\(table).sha256"
      #expect(try !RecordedRows.verify(table).isWhole, "without its side file")
      let seal = RecordedTable.seal(of: text, at: table, damaged: 0)
      try seal.write(toFile: side, atomically: true, encoding: .utf8)
      let found = try RecordedRows.verify(table)
      #expect(found.isWhole && found.sentence.hasSuffix("ok, 4 rows"))
      // A spreadsheet shows rows only.
      #expect(text.split(separator: "\n").count == 5 && !text.contains("#"))
      #expect(
        text.split(separator: "\n")[3].hasPrefix("2023-11-14T22:13:22Z,2,101323.00,759.9849,"))
      for index in seal.utf8.indices where seal.utf8[index] != 10 {
        var changed = Array(seal.utf8)
        changed[seal.utf8.distance(from: seal.utf8.startIndex, to: index)] ^= 0x01
        try Data(changed).write(to: URL(filePath: side))
        let isName = index >= (seal.range(of: "table.csv")?.lowerBound ?? seal.endIndex)
        #expect(try RecordedRows.verify(table).isWhole == isName, "byte of the side file changed")
      }
      try seal.write(toFile: side, atomically: true, encoding: .utf8)
      let bytes = Array(text.utf8)
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 0x01
        try Data(changed).write(to: URL(filePath: table))
        // Damage to the header makes the table a foreign file.
        let isWhole = (try? RecordedRows.verify(table).isWhole) ?? false
        #expect(!isWhole, "byte \(index) changed")
      }
      for count in bytes.indices.dropFirst(60) {
        try Data(bytes[..<count]).write(to: URL(filePath: table))
        #expect(try !RecordedRows.verify(table).isWhole, "cut after \(count)")
      }
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
      let doubled = (lines.prefix(2) + [lines[1]] + lines.dropFirst(2)).joined(separator: "\n")
      try doubled.write(toFile: table, atomically: true, encoding: .utf8)
      #expect(try !RecordedRows.verify(table).isWhole)
    }
  }

  /// The limit that simulates a full disk applies to a whole process, hence a process of its own.
  @Test("a full disk is reported, and pending rows are written later")
  func fullDisk() async {
    await #expect(processExitsWith: .success) {
      try Self.withFolder { folder in
        let path = "\(folder)/recording"
        let recording = try Recording(path, of: "cabin")
        recording.take(Self.row(0))
        // Without a handler, the signal of the limit would end the process.
        signal(SIGXFSZ, SIG_IGN)
        let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        var limit = rlimit()
        getrlimit(fileSize, &limit)
        var small = limit
        small.rlim_cur = rlim_t(
          try #require(FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) + 20)
        setrlimit(fileSize, &small)
        recording.take(Self.row(1))
        recording.take(Self.row(2))
        let reported = recording.failure
        setrlimit(fileSize, &limit)
        #expect(reported != nil)
        #expect(try RecordedRows(path).lines.count == 1)
        recording.take(Self.row(3))
        #expect(recording.failure == nil)
        #expect(try RecordedRows(path).lines.count == 4)
      }
    }
  }
}
