package import Support

/// The exported table of a recording, with a seal that reveals changes.
package enum RecordedTable {
  /// The start of the last line.
  private static let seal = "# rows="

  /// Creates the table: header, rows, and a last line with the row count and the SHA-256 of
  /// everything before it.
  package static func text(_ lines: [String], damaged: Int) -> String {
    let body = ([RecordedRows.header] + lines).map { "\($0)\n" }.joined()
    let missing = damaged == 0 ? "" : " damaged=\(damaged)"
    let sealed = body + (damaged == 0 ? "" : "\(seal)\(lines.count)\(missing)")
    return body + "\(seal)\(lines.count)\(missing) sha256=\(SHA256.digits(sealed))\n"
  }

  /// Finds the last seal, including the preceding line break.
  private static func lastSeal(in text: String) -> Range<String.Index>? {
    let mark = Array("\n\(seal)".utf8)
    var end = text.utf8.endIndex
    while let start = text.utf8[..<end].lastIndex(of: 10) {
      let rest = text.utf8[start...]
      if rest.starts(with: mark) { return start..<rest.index(start, offsetBy: mark.count) }
      end = start
    }
    return nil
  }

  /// Checks whether a table is unchanged.
  package static func verify(_ path: String) throws(Failure) -> (
    sentence: String, isWhole: Bool
  ) {
    let text = try TextFile.read(path)
    guard text.hasPrefix(RecordedRows.header) else {
      throw Failure(.badContent, "\(path): not an exported recording")
    }
    guard let range = lastSeal(in: text), text.hasSuffix("\n") else {
      return ("\(path): truncated: the last line with the row count is missing", false)
    }
    let body = String(text[...range.lowerBound])
    var words = text[range.upperBound...].dropLast().split(separator: " ")
    var sealed = body
    var note = ""
    if words.count == 3, words[1].hasPrefix("damaged="), let count = Int(words[1].dropFirst(8)) {
      sealed += "\(seal)\(words[0]) \(words[1])"
      note = "; \(RecordedRows.count(count)) damaged in the recording and missing"
      words.remove(at: 1)
    }
    let rows = body.split(separator: "\n").count - 1
    guard words.count == 2, let count = Int(words[0]), words[1].hasPrefix("sha256=") else {
      return ("\(path): changed: the last line is damaged", false)
    }
    guard count == rows else {
      return ("\(path): changed: \(rows) rows instead of \(count)", false)
    }
    guard words[1].dropFirst(7) == SHA256.digits(sealed) else {
      return ("\(path): changed: the SHA-256 does not match", false)
    }
    return ("\(path): ok, \(RecordedRows.count(rows))\(note)", true)
  }
}

/// The contents of a recording, and its export as a table.
package struct RecordedRows {
  /// The sensor's name, from the first line.
  package let name: String
  /// The fields of each valid row, as in the file.
  package let lines: [String]
  /// The line numbers of damaged lines, starting at 1; valid rows may follow them.
  package let damagedLines: [Int]
  /// The length of all complete lines in bytes; a crash may have left an incomplete line after
  /// them.
  package let length: Int

  /// The header of an exported table.
  package static let header = "time_utc,pressure_pa,temperature_c,humidity_rh,mark"

  /// Reads a recording; skips damaged lines and an incomplete last line.
  ///
  /// - Throws: `Failure` if the file is missing or is not a recording.
  package init(_ path: String) throws(Failure) {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    while let chunk = try file.chunk() {
      bytes += chunk
      // The first chunk identifies the file, because special files may be endless.
      if bytes.count == chunk.count { _ = try Self(bytes, path) }
    }
    try self.init(bytes, path)
  }

  /// Parses a recording.
  ///
  /// - Throws: `Failure` of kind bad content if it is not a recording.
  package init(_ bytes: [UInt8], _ path: String) throws(Failure) {
    var (lines, damaged): ([String], [Int]) = ([], [])
    var name: String?
    var start = 0
    var number = 0
    while let end = bytes[start...].firstIndex(of: 10) {
      number += 1
      let line = String(decoding: bytes[start..<end], as: UTF8.self)
      if number == 1, let found = Recording.name(in: line[...]) {
        name = found
      } else if let fields = Self.fields(of: line) {
        lines.append(fields)
      } else {
        damaged.append(number)
      }
      start = end + 1
    }
    guard Self.canBegin(bytes) || !lines.isEmpty else {
      throw Failure(.badContent, "\(path): not a recording")
    }
    self.name = name ?? "an unknown sensor"
    (self.lines, damagedLines, length) = (lines, damaged, start)
  }

  /// The message about damaged lines; `nil` if there are none.
  package var damage: String? {
    guard !damagedLines.isEmpty else { return nil }
    let numbers = damagedLines.prefix(5).map(String.init).joined(separator: ", ")
    let more = damagedLines.count > 5 ? " and more" : ""
    return "\(Self.count(damagedLines.count)) damaged and skipped (line \(numbers)\(more))"
  }

  /// The number of runs; a new run starts when the time decreases.
  package var runs: Int {
    let moments = lines.compactMap { line in UTCTime.parse(String(line.prefix { $0 != "," })) }
    return 1 + zip(moments, moments.dropFirst()).count { $1 < $0 }
  }

  /// The note about several runs; empty if there is only one run.
  package var runsRemark: String {
    let runs = runs
    return runs > 1
      ? ", from \(runs) runs, each starting where the time decreases" : ""
  }

  package static func count(_ rows: Int) -> String { "row".counted(rows) }

  /// Returns `true` if bytes can be the start of a recording, which is its first line or an
  /// incomplete part of that line.
  private static func canBegin(_ bytes: [UInt8]) -> Bool {
    zip(bytes, Recording.head.utf8).allSatisfy { $0 == $1 }
  }

  /// Returns the fields of a line with a valid digest.
  private static func fields(of line: String) -> String? {
    guard let comma = line.lastIndex(of: ",") else { return nil }
    let fields = String(line[..<comma])
    return Recording.digest(fields) == line[line.index(after: comma)...] ? fields : nil
  }

  /// The table: header, rows, and a last line with the row count and the SHA-256 of everything
  /// before it.
  package var table: String {
    RecordedTable.text(lines, damaged: damagedLines.count)
  }

  /// Checks whether an exported table is unchanged.
  ///
  /// - Parameter path: the table.
  /// - Throws: `Failure` if the file is missing or is not an exported table.
  /// - Returns: the result as a sentence, and `true` if the table is unchanged.
  package static func verify(_ path: String) throws(Failure) -> (
    sentence: String, isWhole: Bool
  ) {
    try RecordedTable.verify(path)
  }
}
