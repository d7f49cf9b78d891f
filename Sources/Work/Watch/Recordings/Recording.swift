import Glibc
package import Quantities
package import Support

/// A crash-safe file with the samples of `aneroid watch`.
///
/// Each sample is on disk before the next one is taken.
///
/// A line is `2026-11-21T12:00:00Z,101325.00,22.00,45.0,mark,3f9a12c4`: time, Pa, °C, %, marks, and
/// the first eight digits of the SHA-256 of the text before. An incomplete last line after a crash
/// is detected and removed; a damaged line elsewhere is skipped and kept. Only one program at a
/// time can open the file.
package final class Recording {
  /// One sample.
  package struct Row: Hashable, Sendable {
    /// The time in nanoseconds since 1970.
    package let moment: Int64
    /// The values of the sensor.
    package let values: AirReading
    /// The marks, which are notes on events at the time of the sample; usually empty.
    package let mark: String

    package init(moment: Int64, _ values: AirReading, mark: String = "") {
      self.moment = moment
      self.values = values
      self.mark = mark
    }

    /// Parses the fields of a row; returns `nil` if they are invalid.
    init?(fields: String) {
      guard let parts = CSV.fields(of: fields.utf8, CSV.Form()), parts.count == 5,
        let moment = UTCTime.parse(parts[0])
      else { return nil }
      self.init(
        moment: moment,
        AirReading(
          temperature: Double(parts[2]), pressure: Double(parts[1]), humidity: Double(parts[3])),
        mark: parts[4])
    }

    /// The fields of the row as they are written to the file, separated by commas, without the
    /// digest.
    package var fields: String {
      let numbers = [values.pressure, values.temperature, values.humidity].map {
        $0.map { Decimal.fixed($0, 2) } ?? ""
      }
      return "\(UTCTime.stamp(moment)),\(numbers.joined(separator: ",")),\(mark)"
    }
  }

  /// The start of the file's first line; the sensor's name follows it.
  package static let head = "# aneroid recording of "

  /// Returns the path of a user's recording, in XDG_STATE_HOME or ~/.local/state.
  ///
  /// A variable that is empty or not an absolute path counts as not set.
  package static func path(_ environment: [String: String]) -> String? {
    UserFolder.path("XDG_STATE_HOME", otherwise: ".local/state", environment)
      .map { "\($0)/aneroid/recording" }
  }

  /// The number of rows.
  package private(set) var rows: Int
  /// The error with which writing the latest rows failed; these rows are kept and retried.
  package private(set) var failure: String?

  /// The latest rows that existed when the recording was opened.
  package let past: [Row]
  /// The maximum number of `past` rows.
  private static let remembered = 15_000

  /// The message about damage found when the recording was opened; `nil` if there is none.
  package let damage: String?

  package var path: String { file.path }

  private let file: RecordingFile
  private var unwritten: [UInt8] = []
  /// The mark in the first row of a run whose times are not later than those of the previous run.
  package static let newRun = "new run"
  /// The number of runs.
  package private(set) var runs: Int
  /// The time of the last row, and `true` if that row existed before the recording was opened.
  private var last: (moment: Int64, isOlder: Bool)?

  /// Creates a recording, or continues one of the same sensor.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - name: the sensor's name.
  /// - Throws: `Failure` of kind unavailable while another program has the file open, or if a
  ///   recording of another sensor was neither exported nor discarded; of kind input/output if the
  ///   file cannot be written.
  package init(_ path: String, of name: String) throws(Failure) {
    let name = name.split(whereSeparator: \.isNewline).joined(separator: " ")
    let folder = FilePath.folder(of: path)
    try? Folder.make(folder)
    file = try RecordingFile(path, isMade: true)
    let kept = try RecordedRows(file.bytes(), path)
    (rows, damage, runs) = (kept.lines.count, kept.damage, kept.runs)
    past = kept.lines.suffix(Self.remembered).compactMap { Row(fields: $0) }
    last = past.last.map { ($0.moment, true) }
    // Remove an incomplete line after a crash, so that the next row starts a new line.
    guard ftruncate(file.descriptor, off_t(kept.length)) == 0 else {
      throw RecordingFile.failure(path)
    }
    if kept.length == 0 {
      try writeHead(name, in: folder)
    } else if kept.name != name {
      throw Failure(
        .unavailable, "\(path): contains a recording of \(kept.name) with \(kept.lines.count) rows",
        "run 'aneroid recording export FILE.csv' or 'aneroid recording discard' first")
    }
  }

  /// Writes the first line.
  ///
  /// On an error, an empty file remains, which the next recording reuses.
  private func writeHead(_ name: String, in folder: String) throws(Failure) {
    let reason = writeAll(Array("\(Self.head)\(name)\n".utf8), to: file.descriptor)
    guard reason == 0, fsync(file.descriptor) == 0 else {
      let why = String(cString: strerror(reason == 0 ? errno : reason))
      ftruncate(file.descriptor, 0)
      throw Failure(.inputOutput, "\(file.path): cannot be written: \(why)")
    }
    OutputFile.sync(folder: folder)
  }

  /// Appends a row and syncs it to disk; sets `failure` on an error.
  package func take(_ row: Row) {
    rows += 1
    unwritten += Self.line(marked(row).fields).utf8
    guard !file.isGone else {
      failure = "its file was removed"
      return
    }
    let end = file.length
    let reason = writeAll(unwritten, to: file.descriptor)
    if reason != 0 {
      // Remove an incomplete line; all pending rows are retried with the next row.
      ftruncate(file.descriptor, end)
      failure = String(cString: strerror(reason))
      return
    }
    unwritten = []
    failure = fdatasync(file.descriptor) == 0 ? nil : String(cString: strerror(errno))
  }

  /// Returns the row, with the mark `new run` added if it starts a new run.
  private func marked(_ row: Row) -> Row {
    defer { last = (row.moment, false) }
    guard let last, last.isOlder, row.moment <= last.moment else { return row }
    runs += 1
    return Row(
      moment: row.moment, row.values,
      mark: row.mark.isEmpty ? Self.newRun : "\(Self.newRun); \(row.mark)")
  }

  /// Exports the recording as a table.
  ///
  /// - Parameters:
  ///   - unit: the crew's unit of pressure.
  ///   - ends: `true` to end the recording; no row may be appended afterwards.
  /// - Throws: `Failure` if the table cannot be written or already exists.
  /// - Returns: the name of the table in the current folder, and the result.
  package func export(in unit: PressureUnit, ends: Bool) throws(Failure) -> (
    table: String, result: RecordingExport.Result
  ) {
    let rows = try RecordedRows(file.bytes(), path)
    let table = RecordingExport.name(of: rows)
    return (table, try RecordingExport.export(rows, of: file, to: table, in: unit, ends: ends))
  }

  /// Returns the line of the file for a row: its fields and their digest.
  package static func line(_ fields: String) -> String { "\(fields),\(digest(fields))\n" }

  /// Returns the first eight digits of the SHA-256 of a line.
  package static func digest(_ fields: String) -> String {
    String(SHA256.digits(fields).prefix(8))
  }

  /// Returns the sensor's name if a line is the first line of a recording.
  package static func name(in line: Substring) -> String? {
    line.hasPrefix(head) ? String(line.dropFirst(head.count)) : nil
  }
}
