package import Barometry
package import Files
import Glibc
import Text

/// The file that keeps a station's averages across runs.
///
/// It only grows, one checked record at a time; a record that a crash has cut off is recognised
/// and cut away. One run at a time may hold it.
package final class HistoryFile {
  private let path: String
  private let descriptor: Int32
  private let isDurable: Bool
  /// When the pressures that it held at first stood in for a sensor's, in nanoseconds since 1970.
  package let standIns: [Int64]

  /// Opens or makes a file and takes its points into a history.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - history: receives the points that are earlier than `now`.
  ///   - now: the moment of the run's start, in nanoseconds since 1970.
  ///   - isDurable: whether each record is forced to the disk.
  ///   - notice: takes a sentence about a torn record.
  /// - Throws: `Failure` when it cannot be used, is held by another run, or is damaged; it
  ///   is then left as it is.
  package init(
    path: String, history: inout PressureHistory, now: Int64, isDurable: Bool,
    notice: (String) -> Void
  ) throws(Failure) {
    self.path = path
    self.isDurable = isDurable
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failure(path, "cannot be opened") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure(.unavailable, "\(path): another run holds this history")
    }
    let bytes = try TextFile.bytes(path)
    standIns = Self.standIns(in: bytes.span)
    switch history.recover(from: bytes.span, now: now) {
    case .complete:
      if bytes.isEmpty { try writeHeader() }
    case .torn(let records, let validLength):
      guard ftruncate(descriptor, off_t(validLength)) == 0 else {
        throw Self.failure(path, "cannot be cut to its good records")
      }
      if validLength == 0 { try writeHeader() }
      notice(
        "\(path): the last record was cut off by a crash; \("good record".counted(records)) "
          + "\(records == 1 ? "is" : "are") kept")
    case .damaged(let offset):
      throw Failure(
        .badContent, "\(path): the record at byte \(offset) is damaged; the file is left as it is",
        "\(path): move it away to begin a new history")
    case .foreign:
      throw Failure(
        .badContent, "\(path): the file is no history of pressures; it is left as it is")
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

  /// Adds a point, which may stand in for that of a sensor.
  ///
  /// - Throws: `Failure` when it cannot be written.
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
