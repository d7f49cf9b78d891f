package import Barometry
import Glibc
package import Support

/// The file that stores the averages of a station across runs.
///
/// The file is append-only, with a checksum per record, so a record that was truncated by a crash
/// is detected and removed. Only one program at a time can lock it.
package final class HistoryFile {
  private let path: String
  private let descriptor: Int32
  private let isDurable: Bool
  /// The times of those pressures in the opened file that came from a backup source, in nanoseconds
  /// since 1970.
  package let standIns: [Int64]

  /// Opens or creates a file and reads its points into a history.
  ///
  /// A damaged file is renamed, and its valid records are written to a new file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - history: receives the points that are earlier than `now`.
  ///   - now: the date at the start of the run, in nanoseconds since 1970.
  ///   - isDurable: whether each record is synced to the disk.
  ///   - notice: receives a sentence about truncated or damaged records, and about points that were
  ///     added by hand.
  /// - Throws: `Failure` if the file cannot be used, is locked by another program, or is not a
  ///   history. In these cases the file is not changed.
  package init(
    path: String, history: inout PressureHistory, now: Int64, isDurable: Bool,
    notice: (String) -> Void
  ) throws(Failure) {
    self.path = path
    self.isDurable = isDurable
    let lock = try HistoryLock(path, creates: true)
    var stored = try StoredHistory(path)
    if let sentence = try stored.repair(path, lock) { notice(sentence) }
    descriptor = lock.take()
    standIns = stored.records.filter { $0.origin == .backup }.map(\.point.time)
    var used = 0
    for record in stored.records where record.point.time < now {
      guard (try? history.append(record.point)) != nil else { continue }
      if record.origin == .hand { used += 1 }
    }
    if used > 0 {
      notice(
        "\(path): \("stored pressure".counted(used)) \(used == 1 ? "was" : "were") added by hand")
    }
    guard lseek(descriptor, 0, SEEK_END) == 0 else { return }
    let header = HistoryRecord.header
    try write(header.span)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Appends a point; `isStandIn` marks a point from a backup source.
  ///
  /// - Throws: `Failure` if the file cannot be written.
  package func append(_ point: PressurePoint, isStandIn: Bool = false) throws(Failure) {
    let record = HistoryRecord.encode(point, from: isStandIn ? .backup : .sensor)
    try write(record.span)
    if isDurable, fsync(descriptor) != 0 { throw HistoryLock.failure(path, "cannot be synced") }
  }

  private func write(_ bytes: Span<UInt8>) throws(Failure) {
    let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    guard written == bytes.count else { throw HistoryLock.failure(path, "cannot be written") }
  }
}

/// An open history file that no other program can use.
package final class HistoryLock {
  private var descriptor: Int32

  /// Opens and locks a file.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - creates: whether a missing file is created.
  /// - Throws: `Failure` if the file is missing or cannot be opened, or while a station uses it.
  package init(_ path: String, creates: Bool) throws(Failure) {
    descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | (creates ? O_CREAT : 0), 0o644)
    guard descriptor >= 0 else {
      if errno == ENOENT { throw Failure(.missingInput, "\(path): no such history file") }
      throw Self.failure(path, "cannot be opened")
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw Failure(.badContent, "\(path): a history must be a regular file")
    }
    try lock(path)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private func lock(_ path: String) throws(Failure) {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure(.unavailable, "\(path): another run uses this history")
    }
  }

  /// Opens and locks the file that has replaced this one.
  fileprivate func reopen(_ path: String) throws(Failure) {
    close(descriptor)
    descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Self.failure(path, "cannot be opened") }
    try lock(path)
  }

  /// Returns the descriptor, which the caller closes.
  fileprivate func take() -> Int32 {
    defer { descriptor = -1 }
    return descriptor
  }

  fileprivate static func failure(_ path: String, _ what: String) -> Failure {
    Failure(.inputOutput, "\(path): \(what): \(String(cString: strerror(errno)))")
  }
}

/// The records of a history file, as far as they are valid.
package struct StoredHistory {
  /// A stored pressure and its origin.
  package struct Record: Hashable {
    package let point: PressurePoint
    package let origin: HistoryRecord.Origin
  }

  /// The condition of the bytes of a file.
  package enum Condition: Hashable {
    /// All bytes belong to valid records.
    case complete
    /// The last record was truncated by a crash.
    case torn
    /// The bytes from this offset to the next valid record, or to the end, are damaged.
    case damaged(offset: Int)
  }

  /// The valid records, in the order of the file.
  package private(set) var records: [Record] = []
  /// The condition of the bytes.
  package private(set) var condition = Condition.complete
  /// The number of bytes that belong to no valid record.
  private var lostBytes = 0

  /// Reads a file.
  ///
  /// - Throws: `Failure` of kind missing input or input/output, and of kind bad content if the file
  ///   is not a history.
  package init(_ path: String) throws(Failure) {
    guard TextFile.exists(path) else {
      throw Failure(.missingInput, "\(path): no such history file")
    }
    let bytes = try TextFile.bytes(path)
    guard let found = Self.records(in: bytes) else {
      throw Failure(
        .badContent, "\(path): the file is not a pressure history; it was not changed")
    }
    (records, condition) = found
    let whole = HistoryRecord.header.count + records.count * HistoryRecord.length
    lostBytes = max(bytes.count - whole, 0)
  }

  /// Returns the valid records in some bytes and the condition of the bytes; `nil` if they are not a
  /// history.
  private static func records(in bytes: [UInt8]) -> (records: [Record], condition: Condition)? {
    let header = HistoryRecord.header
    guard !bytes.isEmpty else { return ([], .complete) }
    let isHeaded = bytes.indices.prefix(header.count).allSatisfy { bytes[$0] == header[$0] }
    var records: [Record] = []
    var damage: Int?
    var offset = header.count
    while offset < bytes.count {
      if let point = HistoryRecord.decode(bytes.span, at: offset) {
        records.append(
          Record(point: point, origin: HistoryRecord.origin(bytes.span, at: offset)))
        offset += HistoryRecord.length
      } else {
        damage = damage ?? offset
        // After a damage of any length, the next valid record is found by its checksum.
        offset += 1
      }
    }
    guard isHeaded else { return records.isEmpty ? nil : (records, .damaged(offset: 0)) }
    guard bytes.count >= header.count else { return ([], .torn) }
    guard let damage else { return (records, .complete) }
    let isTail = damage == header.count + records.count * HistoryRecord.length
    return isTail && bytes.count - damage < HistoryRecord.length
      ? (records, .torn) : (records, .damaged(offset: damage))
  }

  /// The bytes of a file with these records.
  private var bytes: [UInt8] {
    let header = HistoryRecord.header
    var bytes = header.indices.map { header[$0] }
    for record in records {
      let encoded = HistoryRecord.encode(record.point, from: record.origin)
      bytes += encoded.indices.map { encoded[$0] }
    }
    return bytes
  }

  /// Replaces a file whose condition is not complete by a file with its valid records; a damaged
  /// file is kept under another name.
  ///
  /// - Returns: a sentence about the repair; `nil` if the file is complete and unchanged.
  /// - Throws: `Failure` if the file cannot be written or renamed.
  package mutating func repair(_ path: String, _ lock: HistoryLock) throws(Failure) -> String? {
    let count = records.count
    let kept = "\("valid record".counted(count)) \(count == 1 ? "is" : "are") kept"
    switch condition {
    case .complete: return nil
    case .torn:
      try write(path, lock)
      condition = .complete
      return "\(path): the last record was truncated by a crash; \(kept)"
    case .damaged(let offset):
      let aside = Self.freeName("\(path).damaged")
      // A link if possible, so that at no time is the history without a file.
      guard link(path, aside) == 0 || rename(path, aside) == 0 else {
        throw HistoryLock.failure(path, "is damaged and cannot be kept as \(aside)")
      }
      try write(path, lock)
      condition = .complete
      let lost = (lostBytes + HistoryRecord.length - 1) / HistoryRecord.length
      return "\(path): damaged at byte \(offset); \(kept), \("record".counted(lost)) "
        + "\(lost == 1 ? "is" : "are") lost, and the damaged file is \(aside)"
    }
  }

  /// Adds a point by hand, in order of time, and writes the file.
  ///
  /// - Throws: `Failure` of kind usage if the history already has a point at this time or the
  ///   pressure is invalid; and if the file is damaged or cannot be written.
  package mutating func add(
    _ point: PressurePoint, to path: String, _ lock: HistoryLock
  ) throws(Failure) {
    if case .damaged(let offset) = condition {
      throw Failure(
        .badContent, "\(path): damaged at byte \(offset); mend it with 'aneroid history repair'")
    }
    if let other = records.first(where: { $0.point.time == point.time }) {
      throw Failure(
        .usage, "\(path): there is already a pressure at \(UTCTime.stamp(other.point.time))")
    }
    let index = records.firstIndex { $0.point.time > point.time } ?? records.endIndex
    records.insert(Record(point: point, origin: .hand), at: index)
    try write(path, lock)
  }

  private func write(_ path: String, _ lock: HistoryLock) throws(Failure) {
    let output = try OutputFile(path)
    output.write(bytes)
    try output.finish()
    try lock.reopen(path)
  }

  /// Returns a name that does not exist: the given one, or that name with a number appended.
  private static func freeName(_ name: String) -> String {
    var number = 1
    while access(number == 1 ? name : "\(name)-\(number)", F_OK) == 0 { number += 1 }
    return number == 1 ? name : "\(name)-\(number)"
  }
}
