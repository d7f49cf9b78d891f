package import Barometry
import Glibc
package import Support

/// The file that stores the averages of a station across runs.
///
/// The file is append-only, with a checksum per record, so a record that was truncated by a crash
/// is detected and removed. Only one run at a time can lock it.
package final class HistoryFile {
  private let path: String
  private let descriptor: Int32
  private let isDurable: Bool
  /// The times of those pressures in the opened file that came from a backup source, in nanoseconds
  /// since 1970.
  package let standIns: [Int64]

  /// Opens or creates a file and reads its points into a history.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - history: receives the points that are earlier than `now`.
  ///   - now: the date at the start of the run, in nanoseconds since 1970.
  ///   - isDurable: whether each record is synced to the disk.
  ///   - notice: receives a sentence about a truncated record.
  /// - Throws: `Failure` if the file cannot be used, is locked by another run, or is damaged. In
  ///   these cases the file is not changed.
  package init(
    path: String, history: inout PressureHistory, now: Int64, isDurable: Bool,
    notice: (String) -> Void
  ) throws(Failure) {
    self.path = path
    self.isDurable = isDurable
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failure(path, "cannot be opened") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure(.unavailable, "\(path): another run uses this history")
    }
    let bytes = try TextFile.bytes(path)
    standIns = Self.standIns(in: bytes.span)
    switch history.recover(from: bytes.span, now: now) {
    case .complete:
      if bytes.isEmpty { try writeHeader() }
    case .torn(let records, let validLength):
      guard ftruncate(descriptor, off_t(validLength)) == 0 else {
        throw Self.failure(path, "cannot be truncated to its valid records")
      }
      if validLength == 0 { try writeHeader() }
      notice(
        "\(path): the last record was truncated by a crash; \("valid record".counted(records)) "
          + "\(records == 1 ? "is" : "are") kept")
    case .damaged(let offset):
      throw Failure(
        .badContent, "\(path): the record at byte \(offset) is damaged; the file was not changed",
        "\(path): move it away to start a new history")
    case .foreign:
      throw Failure(
        .badContent, "\(path): the file is not a pressure history; it was not changed")
    }
    lseek(descriptor, 0, SEEK_END)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private static func standIns(in bytes: Span<UInt8>) -> [Int64] {
    var times: [Int64] = []
    var offset = HistoryRecord.header.count
    while let point = HistoryRecord.decode(bytes, at: offset) {
      if HistoryRecord.isStandIn(bytes, at: offset) { times.append(point.time) }
      offset += HistoryRecord.length
    }
    return times
  }

  /// Appends a point; `isStandIn` marks a point from a backup source.
  ///
  /// - Throws: `Failure` if the file cannot be written.
  package func append(_ point: PressurePoint, isStandIn: Bool = false) throws(Failure) {
    let record = HistoryRecord.encode(point, isStandIn: isStandIn)
    try write(record.span)
    if isDurable, fsync(descriptor) != 0 { throw Self.failure(path, "cannot be synced") }
  }

  private func writeHeader() throws(Failure) {
    let header = HistoryRecord.header
    try write(header.span)
  }

  private func write(_ bytes: Span<UInt8>) throws(Failure) {
    let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw Self.failure(path, "cannot be written") }
  }

  private static func failure(_ path: String, _ what: String) -> Failure {
    Failure(.inputOutput, "\(path): \(what): \(String(cString: strerror(errno)))")
  }
}
