import Barometry
package import Quantities
package import Support

/// The exported table of a recording, and the side file that reveals changes of the table.
///
/// The side file is named like the table with `.sha256` appended. Its second line is what
/// `sha256sum --check` reads; its first line has the number of rows.
package enum RecordedTable {
  /// The columns that do not depend on the unit, by which a table is recognized.
  private static let firstColumns = "time_utc,elapsed_s,pressure_pa,"

  /// Returns the header of a table, for the crew's unit of pressure.
  package static func header(_ unit: PressureUnit) -> String {
    "\(firstColumns)pressure_\(unit.symbol),rate_\(unit.symbol)_per_min,"
      + "temperature_c,humidity_rh,mark"
  }

  /// Creates the table: a header, and each row with the time since the first one, and the pressure
  /// and its rate of change in the crew's unit.
  ///
  /// The rate is the slope of the last 30 s at constant temperature, as on the screen; it is empty
  /// until there are enough samples.
  package static func text(_ lines: [String], in unit: PressureUnit) -> String {
    var text = header(unit) + "\n"
    var analysis = LeakAnalysis()
    var (first, last): (Int64?, Int64?)
    for line in lines {
      guard let row = Recording.Row(fields: line) else { continue }
      // A typed mark may contain the same words.
      let names = row.mark.split(separator: ";").map { $0.drop { $0 == " " } }
      let isNew = names.contains(Recording.newRun[...]) || row.moment < last ?? .min
      if isNew || first == nil {
        (first, analysis) = (row.moment, LeakAnalysis())
      }
      last = row.moment
      let seconds = Double(row.moment - (first ?? 0)) / 1e9
      var rate: Double?
      if let pascals = row.values.pressure, let celsius = row.values.temperature {
        analysis.take(pascals, celsius: celsius, at: seconds)
        rate = analysis.assessment(at: seconds)?.rates.first { $0.window == 30 }?.value
      }
      func number(_ value: Double?, _ decimals: Int) -> String {
        value.map { Decimal.fixed($0, decimals) } ?? ""
      }
      let cells = [
        UTCTime.stamp(row.moment), Decimal.fixed(seconds, 0), number(row.values.pressure, 2),
        number(row.values.pressure.map { $0 / unit.pascals }, 4),
        number(rate.map { $0 * 60 / unit.pascals }, 4), number(row.values.temperature, 2),
        number(row.values.humidity, 2), row.mark,
      ]
      text += cells.joined(separator: ",") + "\n"
    }
    return text
  }

  /// Returns the path of the side file of a table.
  package static func sealPath(of table: String) -> String { "\(table).sha256" }

  /// Creates the side file of a table.
  ///
  /// - Parameters:
  ///   - text: the table.
  ///   - path: the path of the table.
  ///   - damaged: the number of damaged rows that are missing from the table.
  /// - Returns: the text of the side file.
  package static func seal(of text: String, at path: String, damaged: Int) -> String {
    let name = path.split(separator: "/").last ?? ""
    let counts = "rows=\(rows(in: text)) damaged=\(damaged)"
    let digest = SHA256.digits(text)
    return "# \(counts) seal=\(self.seal(of: counts, digest))\n\(digest)  \(name)\n"
  }

  /// Returns the digits that bind the numbers of rows to the digest of the table.
  private static func seal(of counts: String, _ digest: String) -> String {
    String(SHA256.digits("\(counts) \(digest)").prefix(16))
  }

  private static func rows(in text: String) -> Int { text.utf8.count { $0 == 10 } - 1 }

  /// Checks whether a table is unchanged.
  package static func verify(_ path: String) throws(Failure) -> (
    sentence: String, isWhole: Bool
  ) {
    let text = try TextFile.read(path)
    guard text.hasPrefix(firstColumns) else {
      throw Failure(.badContent, "\(path): not an exported recording")
    }
    let side = sealPath(of: path)
    guard TextFile.exists(side) else {
      return ("\(path): cannot be verified: \(side) is missing", false)
    }
    let lines = try TextFile.read(side).split(separator: "\n", omittingEmptySubsequences: false)
    let counts = lines.first?.split(separator: " ") ?? []
    guard lines.count == 3, lines[2].isEmpty, counts.count == 4, counts[0] == "#",
      counts[1].hasPrefix("rows="), counts[2].hasPrefix("damaged="),
      let count = Int(counts[1].dropFirst(5)), let damaged = Int(counts[2].dropFirst(8)),
      counts[3] == "seal=\(seal(of: "\(counts[1]) \(counts[2])", String(lines[1].prefix(64))))"
    else { return ("\(path): cannot be verified: \(side) is damaged", false) }
    let rows = rows(in: text)
    guard count == rows else {
      return ("\(path): changed: \(rows) rows instead of \(count)", false)
    }
    guard lines[1].hasPrefix("\(SHA256.digits(text))  ") else {
      return ("\(path): changed: the SHA-256 does not match", false)
    }
    let note =
      damaged == 0 ? "" : "; \(RecordedRows.count(damaged)) damaged in the recording and missing"
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

  /// Returns the table in the crew's unit.
  package func table(in unit: PressureUnit) -> String { RecordedTable.text(lines, in: unit) }

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
