package import Files
import Glibc

/// What ends a recording; nobody can add to it meanwhile.
package enum RecordingExport {
  /// What became of an export.
  package struct Result {
    /// What was exported.
    package let rows: RecordedRows
    /// Whether the table is a file, which can be verified; no pipe.
    package let isFile: Bool
    /// Why the recording stays; `nil` where it was removed, or was to stay.
    package let stays: String?
    /// The SHA-256 of the whole table, as `sha256sum` prints it; `nil` where it went into a pipe.
    package let digest: String?

    /// It in a sentence, without the name of the table.
    package var sentence: String {
      "\(RecordedRows.count(rows.lines.count)) of \(rows.name)" + rows.runsRemark
        + (digest.map { ", SHA-256 \($0)" } ?? "")
    }
  }

  /// The name of a table that nobody has named: the sensor and the moment of the first row, and a number where that is taken.
  package static func name(of rows: RecordedRows) -> String {
    let sensor = rows.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
    let moment = rows.lines.first?.prefix { $0 != "," }.filter { $0 != ":" && $0 != "-" } ?? "empty"
    let words = String(sensor).split(separator: "-").joined(separator: "-")
    let name = "\(words)-\(moment)"
    // Each export has a file of its own.
    var number = 1
    while access(number == 1 ? "\(name).csv" : "\(name)-\(number).csv", F_OK) == 0 { number += 1 }
    return number == 1 ? "\(name).csv" : "\(name)-\(number).csv"
  }

  /// Writes the table; a recording that ends goes once everything in it is known to be in the table.
  ///
  /// - Parameters:
  ///   - path: the recording.
  ///   - table: where the table goes; no older file is replaced. One that nobody has named has the sensor's name and moment.
  ///   - ends: whether the recording ends; else it stays and goes on.
  /// - Throws: `Failure`: missing input; unavailable while another program holds it; input/output when
  ///   the table cannot be written or is there already.
  /// - Returns: where the table is, what was exported, and whether the recording stays.
  package static func export(
    _ path: String, to table: String?, ends: Bool = true
  ) throws(Failure) -> (table: String, result: Result) {
    let (file, rows) = try opened(path)
    let table = table ?? name(of: rows)
    return (table, try export(rows, of: file, to: table, ends: ends))
  }

  /// Writes the table of an open recording.
  package static func export(
    _ rows: RecordedRows, of file: RecordingFile, to table: String, ends: Bool
  ) throws(Failure) -> Result {
    let place = try OutputPlace(table)
    try OutputPlace.check([table], reading: [file.path])
    var isFile = false
    if case .draft(let older) = place.form {
      guard older == nil else {
        throw Failure(.inputOutput, "\(table): there is such a file already")
      }
      isFile = true
    }
    let output = try OutputFile(place)
    let text = rows.table
    output.write(Array(text.utf8))
    try output.finish()
    guard isFile else {
      return Result(
        rows: rows, isFile: false,
        stays: ends ? "what went into \(table) cannot be verified" : nil, digest: nil)
    }
    guard try RecordedRows.verify(table).isWhole else {
      throw Failure(
        .inputOutput, "\(table): was not written as it should be; the recording stays")
    }
    let digest = SHA256.digits(text)
    if let damage = rows.damage {
      return Result(rows: rows, isFile: true, stays: damage, digest: digest)
    }
    if ends { try file.remove() }
    return Result(rows: rows, isFile: true, stays: nil, digest: digest)
  }

  /// Removes a recording.
  ///
  /// - Throws: `Failure`: missing input; unavailable while another program holds it; bad content.
  /// - Returns: what was in it.
  package static func discard(_ path: String) throws(Failure) -> RecordedRows {
    let (file, rows) = try opened(path)
    try file.remove()
    return rows
  }

  private static func opened(_ path: String) throws(Failure) -> (RecordingFile, RecordedRows) {
    let file = try RecordingFile(path, isMade: false)
    return (file, try RecordedRows(file.bytes(), path))
  }
}
