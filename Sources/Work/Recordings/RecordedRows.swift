package import Files
import Text

/// What a recording holds, and its form as a table.
package struct RecordedRows {
  /// The sensor, as far as the first line says.
  package let name: String
  /// The fields of each good row, as they stand in the file.
  package let lines: [String]
  /// The numbers of the lines that are damaged, from 1; good rows may stand behind them.
  package let damagedLines: [Int]
  /// How many bytes of the file are whole lines; behind them stands what a crash has torn.
  package let length: Int

  /// The header of an exported table.
  package static let header = "time_utc,pressure_pa,temperature_c,humidity_rh,mark"

  /// Reads a recording; what is damaged in the middle or torn at the end is passed over.
  ///
  /// - Throws: `Failure` when there is none, or the file is something else.
  package init(_ path: String) throws(Failure) {
    let file = try InputFile(path)
    var bytes: [UInt8] = []
    while let chunk = try file.chunk() {
      bytes += chunk
      // A first chunk without anything of a recording is enough: the file may have no end.
      if bytes.count == chunk.count { _ = try Self(bytes, path) }
    }
    try self.init(bytes, path)
  }

  /// Reads the bytes of a recording.
  ///
  /// - Throws: `Failure` of kind bad content when they are something else.
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
      throw Failure(.badContent, "\(path): this is no recording")
    }
    self.name = name ?? "an unknown sensor"
    (self.lines, damagedLines, length) = (lines, damaged, start)
  }

  /// The sentence on what is damaged; `nil` where all is good.
  package var damage: String? {
    guard !damagedLines.isEmpty else { return nil }
    let numbers = damagedLines.prefix(5).map(String.init).joined(separator: ", ")
    let more = damagedLines.count > 5 ? " and more" : ""
    return "\(Self.count(damagedLines.count)) damaged and passed over (line \(numbers)\(more))"
  }

  /// How many runs there are: each begins where the time goes back.
  package var runs: Int {
    let moments = lines.compactMap { line in UTCTime.parse(String(line.prefix { $0 != "," })) }
    return 1 + zip(moments, moments.dropFirst()).count { $1 < $0 }
  }

  /// What is said of several runs; nothing of one.
  package var runsRemark: String {
    let runs = runs
    return runs > 1
      ? ", of \(runs) runs: each has its own times, and begins where they go back" : ""
  }

  package static func count(_ rows: Int) -> String { "row".counted(rows) }

  /// Whether a recording can begin so: with its first line, or a part of it that a crash has left.
  private static func canBegin(_ bytes: [UInt8]) -> Bool {
    zip(bytes, Recording.head.utf8).allSatisfy { $0 == $1 }
  }

  /// The fields of a line whose digest is right.
  private static func fields(of line: String) -> String? {
    guard let comma = line.lastIndex(of: ",") else { return nil }
    let fields = String(line[..<comma])
    return Recording.digest(fields) == line[line.index(after: comma)...] ? fields : nil
  }

  /// The table: a header, the rows, and a last line with their number and the SHA-256 of all before it.
  package var table: String {
    RecordedTable.text(lines, damaged: damagedLines.count)
  }

  /// Says whether an exported table is as it was exported.
  ///
  /// - Parameter path: the table.
  /// - Throws: `Failure` when it is missing or no such table.
  /// - Returns: a sentence, and whether it is.
  package static func verify(_ path: String) throws(Failure) -> (
    sentence: String, isWhole: Bool
  ) {
    try RecordedTable.verify(path)
  }
}
