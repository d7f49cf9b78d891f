package import Files
import Glibc
package import Quantities
import Text

/// The samples of a watch in a file that survives a crash: each is on the disk before the next is taken.
///
/// A line is `2026-11-21T12:00:00Z,101325.00,22.00,45.0,mark,3f9a12c4`: the moment, Pa, C, %, whatever was marked, and the
/// first eight digits of the SHA-256 of what stands before. A last line that a crash has torn is recognised and cut off;
/// a damaged line in the middle is passed over and stays where it is. One program at a time holds the file.
package final class Recording {
  /// One sample.
  package struct Row: Hashable, Sendable {
    /// Nanoseconds since 1970.
    package let moment: Int64
    /// What the sensor said.
    package let values: AirReading
    /// What was marked; nothing as a rule.
    package let mark: String

    /// Creates a row.
    package init(moment: Int64, _ values: AirReading, mark: String = "") {
      self.moment = moment
      self.values = values
      self.mark = mark
    }

    /// Reads the fields of a row; `nil` where they are none.
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

    /// Its fields, in order.
    package var fields: String {
      let numbers = [values.pressure, values.temperature, values.humidity].map {
        $0.map { Decimal.fixed($0, 2) } ?? ""
      }
      return "\(UTCTime.stamp(moment)),\(numbers.joined(separator: ",")),\(mark)"
    }
  }

  /// How the first line of a file begins: what it is; the sensor follows.
  package static let head = "# aneroid recording of "

  /// Where the recording of a user lies: below XDG_STATE_HOME, else below ~/.local/state.
  ///
  /// A variable that is empty, or no absolute path, counts as not set.
  package static func path(_ environment: [String: String]) -> String? {
    UserFolder.path("XDG_STATE_HOME", otherwise: ".local/state", environment)
      .map { "\($0)/aneroid/recording" }
  }

  /// How many rows it has.
  package private(set) var rows: Int
  /// Why the youngest rows may not be on the disk yet; those that could not be written are kept and tried again.
  package private(set) var failure: String?

  /// The youngest rows that were there when it was opened, for a watch that goes on.
  package let past: [Row]
  /// The most of them.
  private static let remembered = 15_000

  /// What was found damaged when it was opened; `nil` where all was good.
  package let damage: String?

  /// Its file.
  package var path: String { file.path }

  private let file: RecordingFile
  private var unwritten: [UInt8] = []
  /// The mark of the first row of a run whose times do not go on from those before.
  package static let newRun = "new run"
  /// How many runs there are.
  package private(set) var runs: Int
  /// The moment of the last row, and whether it is one of before this was opened.
  private var last: (moment: Int64, isOlder: Bool)?

  /// Begins a recording, or goes on with one of the same sensor.
  ///
  /// - Parameters:
  ///   - path: its file.
  ///   - name: the sensor.
  /// - Throws: `Failure`: unavailable while another program holds it, or while the recording of another sensor
  ///   is neither exported nor discarded; input/output when it cannot be written.
  package init(_ path: String, of name: String) throws(Failure) {
    let name = name.split(whereSeparator: \.isNewline).joined(separator: " ")
    let folder = FilePath.folder(of: path)
    try? Folder.make(folder)
    file = try RecordingFile(path, isMade: true)
    let kept = try RecordedRows(file.bytes(), path)
    (rows, damage, runs) = (kept.lines.count, kept.damage, kept.runs)
    past = kept.lines.suffix(Self.remembered).compactMap { Row(fields: $0) }
    last = past.last.map { ($0.moment, true) }
    // What a crash has torn goes; the next row begins a line of its own.
    guard ftruncate(file.descriptor, off_t(kept.length)) == 0 else {
      throw RecordingFile.failure(path)
    }
    if kept.length == 0 {
      try writeHead(name, in: folder)
    } else if kept.name != name {
      throw Failure(
        .unavailable, "\(path): there is a recording of \(kept.name) with \(kept.lines.count) rows",
        "'aneroid recording export FILE.csv' or 'aneroid recording discard' first")
    }
  }

  /// Writes the first line; where that fails an empty file stays, which the next recording begins again.
  private func writeHead(_ name: String, in folder: String) throws(Failure) {
    let reason = writeAll(Array("\(Self.head)\(name)\n".utf8), to: file.descriptor)
    guard reason == 0, fsync(file.descriptor) == 0 else {
      let why = String(cString: strerror(reason == 0 ? errno : reason))
      ftruncate(file.descriptor, 0)
      throw Failure(.inputOutput, "\(file.path): cannot be written: \(why)")
    }
    OutputFile.sync(folder: folder)
  }

  /// Records a row; it is on the disk when this returns, or ``failure`` says why not.
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
      // Half a line must not stay: everything is tried again with the next row.
      ftruncate(file.descriptor, end)
      failure = String(cString: strerror(reason))
      return
    }
    unwritten = []
    failure = fdatasync(file.descriptor) == 0 ? nil : String(cString: strerror(errno))
  }

  /// A row, marked where it begins a run: the time of a rig is the same in each.
  private func marked(_ row: Row) -> Row {
    defer { last = (row.moment, false) }
    guard let last, last.isOlder, row.moment <= last.moment else { return row }
    runs += 1
    return Row(
      moment: row.moment, row.values,
      mark: row.mark.isEmpty ? Self.newRun : "\(Self.newRun); \(row.mark)")
  }

  /// Writes all that is recorded as a table.
  ///
  /// - Parameter ends: whether the recording ends with that; nothing may be taken afterwards.
  /// - Throws: `Failure` when the table cannot be written or is there already.
  /// - Returns: where the table is, in this folder, and what was exported.
  package func export(ends: Bool) throws(Failure) -> (
    table: String, result: RecordingExport.Result
  ) {
    let rows = try RecordedRows(file.bytes(), path)
    let table = RecordingExport.name(of: rows)
    return (table, try RecordingExport.export(rows, of: file, to: table, ends: ends))
  }

  /// A line of the file.
  package static func line(_ fields: String) -> String { "\(fields),\(digest(fields))\n" }

  /// The first eight digits of the SHA-256 of a line.
  package static func digest(_ fields: String) -> String {
    String(SHA256.digits(fields).prefix(8))
  }

  /// The name in a first line, if it is one.
  package static func name(in line: Substring) -> String? {
    line.hasPrefix(head) ? String(line.dropFirst(head.count)) : nil
  }
}
