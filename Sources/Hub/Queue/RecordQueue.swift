import GRDB
import Synchronization

/// The records of a hub on disk: in order, numbered, and kept until every receiver has them.
///
/// A record is written, and the disk has it, before anything of it is sent. It waits for each receiver apart, so that one
/// that is away holds up no other. What has been delivered stays as history for as long as it is asked to.
package final class RecordQueue: Sendable {
  /// How much may wait and for how long it is kept.
  package struct Limits: Sendable, Equatable {
    /// How many records may wait for a receiver.
    package var records = 1_000_000
    /// How old they may become, in seconds.
    package var age = 30 * 86400
    /// For how long delivered records are kept as history, in seconds.
    package var history = 400 * 86400

    /// The usual limits.
    package init() {}
  }

  /// What was given up for a receiver because too much waited.
  package struct Loss: Sendable, Equatable {
    /// The receiver.
    package let receiver: String
    /// How many records.
    package let count: Int
    /// Their first and last numbers.
    package let range: ClosedRange<Int64>

    /// Creates it.
    package init(receiver: String, count: Int, range: ClosedRange<Int64>) {
      (self.receiver, self.count, self.range) = (receiver, count, range)
    }
  }

  /// A step of the wall clock: what has a smaller number has its time by the clock before.
  package struct ClockStep: Sendable, Equatable {
    /// The number of the record that tells of it.
    package let sequence: Int64
    /// By how many nanoseconds.
    package let by: Int64

    /// Creates it.
    package init(sequence: Int64, by: Int64) { (self.sequence, self.by) = (sequence, by) }
  }

  let database: DatabasePool
  /// The hub's name.
  package let hub: String
  /// Who receives its records.
  package let receivers: [String]
  /// What names the file: drawn when it is made, so that numbers which begin anew are not taken for repeats.
  package let epoch: String
  private let limits: Limits
  private let latest = Atomic<Int64>(0)
  private let urgent = Atomic<Int64>(0)

  /// Opens the queue of a hub, or creates it.
  ///
  /// Records that wait for a receiver that is not named any more wait no longer.
  ///
  /// - Parameters:
  ///   - path: the file; its WAL lies next to it.
  ///   - hub: the hub's name, which stays the same for as long as the file.
  ///   - receivers: who receives the records, each by a name.
  ///   - limits: how much may wait.
  /// - Throws: an error of SQLite, or why the file is not this hub's.
  package init(path: String, hub: String, receivers: [String], limits: Limits = Limits()) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.maximumReaderCount = 4
    database = try DatabasePool(path: path, configuration: configuration)
    (self.hub, self.receivers, self.limits) = (hub, receivers, limits)
    // FULL: a commit is on the disk when it returns, also when the power fails (SQLite, "PRAGMA synchronous").
    try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try QueueSchema.migrate(database)
    epoch = try database.write { db in
      let owner = try String.fetchOne(db, sql: "SELECT value FROM state WHERE name = 'hub'")
      guard owner == nil || owner == hub else { throw QueueError.otherHub(owner ?? "", hub) }
      try db.execute(
        sql: "INSERT OR IGNORE INTO state (name, value) VALUES ('hub', ?)", arguments: [hub])
      for name in receivers {
        try db.execute(sql: "INSERT OR IGNORE INTO receiver (name) VALUES (?)", arguments: [name])
      }
      let gone = try String.fetchAll(db, sql: "SELECT name FROM receiver").filter {
        !receivers.contains($0)
      }
      for name in gone {
        try db.execute(
          sql: """
            DELETE FROM waiting WHERE receiver = (SELECT id FROM receiver WHERE name = ?)
            """, arguments: [name])
      }
      let drawn = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
      try db.execute(
        sql: "INSERT OR IGNORE INTO state (name, value) VALUES ('epoch', ?)", arguments: [drawn])
      return try String.fetchOne(db, sql: "SELECT value FROM state WHERE name = 'epoch'") ?? drawn
    }
    latest.store(try lastSequence(), ordering: .relaxed)
  }

  /// The number of the last record that this program wrote and that is sent at once; 0 before the first: asks no disk.
  package var lastUrgent: Int64 { urgent.load(ordering: .relaxed) }

  /// Whether there may be a record after a number: asks no disk.
  package func mayHold(after sequence: Int64) -> Bool {
    latest.load(ordering: .relaxed) > sequence
  }

  /// Writes records in one transaction; when it returns they are on the disk.
  ///
  /// - Parameters:
  ///   - records: what happened, in order.
  ///   - clock: a note of the clocks, written with them; the one before stays unless given.
  /// - Returns: the records with their numbers.
  /// - Throws: an error of SQLite, such as a full disk; then none of them is written.
  @discardableResult
  package func append(_ records: [NewRecord], clock: String? = nil) throws -> [QueuedRecord] {
    guard !records.isEmpty else { return [] }
    let written = try database.write { db in
      if let clock { try Self.note(clock, db) }
      let receivers = try self.identifiers(db)
      let insert = try db.cachedStatement(
        sql: "INSERT INTO record (kind, key, time, body) VALUES (?,?,?,?)")
      let wait = try db.cachedStatement(
        sql: "INSERT INTO waiting (receiver, sequence) VALUES (?,?)")
      return try records.map { record in
        try insert.execute(arguments: [record.kind, record.key, record.time, record.body])
        let sequence = db.lastInsertedRowID
        for receiver in receivers { try wait.execute(arguments: [receiver, sequence]) }
        return QueuedRecord(sequence: sequence, record: record)
      }
    }
    latest.max(written.last?.sequence ?? 0, ordering: .relaxed)
    urgent.max(written.last { $0.record.isUrgent }?.sequence ?? 0, ordering: .relaxed)
    return written
  }

  /// What waits for a receiver, in order.
  ///
  /// - Parameters:
  ///   - receiver: its name.
  ///   - after: the number after which to begin.
  ///   - limit: how many at most.
  /// - Returns: the records.
  /// - Throws: an error of SQLite.
  package func waiting(for receiver: String, after: Int64 = 0, limit: Int) throws -> [QueuedRecord]
  {
    try database.read { db in
      try Row.fetchAll(
        try db.cachedStatement(
          sql: """
            SELECT record.* FROM waiting JOIN record USING (sequence)
            WHERE receiver = (SELECT id FROM receiver WHERE name = ?) AND waiting.sequence > ?
            ORDER BY waiting.sequence LIMIT ?
            """), arguments: [receiver, after, limit]
      ).map(Self.record)
    }
  }

  /// Notes that a receiver has records; they wait for it no longer.
  package func acknowledge(_ receiver: String, _ sequences: [Int64]) throws {
    guard !sequences.isEmpty else { return }
    try database.write { db in
      let delete = try db.cachedStatement(
        sql: """
          DELETE FROM waiting WHERE receiver = (SELECT id FROM receiver WHERE name = ?) AND sequence = ?
          """)
      for sequence in sequences { try delete.execute(arguments: [receiver, sequence]) }
    }
  }

  /// Notes that a receiver has every record up to one.
  ///
  /// - Returns: how many of them had waited.
  @discardableResult
  package func acknowledge(_ receiver: String, through sequence: Int64) throws -> Int {
    try database.write { db in
      try db.execute(
        sql: """
          DELETE FROM waiting WHERE receiver = (SELECT id FROM receiver WHERE name = ?) AND sequence <= ?
          """, arguments: [receiver, sequence])
      return db.changesCount
    }
  }

  /// Keeps the limits: gives up the oldest of what waits for too long or is too much, and drops old history.
  ///
  /// What is given up is counted in the file, and a record of kind `dropped` tells every receiver. An age is counted over the
  /// steps of the wall clock: none of them makes a record older.
  ///
  /// - Parameters:
  ///   - now: nanoseconds since 1970.
  ///   - ages: whether ages count, besides numbers.
  ///   - steps: the steps of the wall clock, the oldest first.
  ///   - clock: a note of the clocks, written with it; the one before stays unless given.
  /// - Returns: what was given up.
  /// - Throws: an error of SQLite.
  @discardableResult
  package func keepLimits(
    now: Int64, ages: Bool = true, steps: [ClockStep] = [], clock: String? = nil
  ) throws -> [Loss] {
    let periods = ages ? Self.periods(steps) : []
    let losses = try database.write { db in
      if let clock { try Self.note(clock, db) }
      let losses = try self.giveUp(db, now, periods)
      for (numbers, correction) in periods {
        try db.execute(
          sql: """
            DELETE FROM record WHERE sequence > ? AND sequence <= ? AND time < ?
            AND NOT EXISTS (SELECT 1 FROM waiting WHERE waiting.sequence = record.sequence)
            """,
          arguments: [
            numbers.lowerBound, numbers.upperBound,
            now - Int64(limits.history) * 1_000_000_000 - correction,
          ])
      }
      return losses
    }
    try append(
      losses.map { loss in
        NewRecord(
          kind: "dropped", key: loss.receiver, time: now,
          body: JSONText.object([
            ("receiver", JSONText.quoted(loss.receiver)), ("count", "\(loss.count)"),
            ("first", "\(loss.range.lowerBound)"), ("last", "\(loss.range.upperBound)"),
          ]))
      })
    return losses
  }

  /// Closes the file: what its log of writes (`-wal`) holds goes into it, so that the file alone is left.
  ///
  /// SQLite removes the log with the last connection that may write; of a pool a reader is the last, so that another follows.
  package func close() throws {
    let path = database.path
    try database.close()
    let last = try DatabaseQueue(path: path)
    _ = try last.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_master") }
    try last.close()
  }

  private static func note(_ clock: String, _ db: Database) throws {
    try db.execute(
      sql: "INSERT OR REPLACE INTO state (name, value) VALUES ('clock', ?)", arguments: [clock])
  }

  /// The numbers between steps of the wall clock, the last first, each with what brings its times to the clock of now.
  static func periods(_ steps: [ClockStep]) -> [(numbers: ClosedRange<Int64>, correction: Int64)] {
    var (last, correction) = (Int64.max, Int64(0))
    var periods: [(numbers: ClosedRange<Int64>, correction: Int64)] = []
    for step in steps.reversed() {
      // The record that tells of a step has its time by the clock behind it.
      periods.append((min(step.sequence - 1, last)...last, correction))
      (last, correction) = (step.sequence - 1, correction &+ step.by)
    }
    return periods + [(min(0, last)...last, correction)]
  }

  private func identifiers(_ db: Database) throws -> [Int64] {
    try receivers.map { name in
      try Int64.fetchOne(
        try db.cachedStatement(sql: "SELECT id FROM receiver WHERE name = ?"), arguments: [name])
        ?? 0
    }
  }

  static func record(_ row: Row) -> QueuedRecord {
    QueuedRecord(
      sequence: row["sequence"],
      record: NewRecord(
        kind: row["kind"], key: row["key"], time: row["time"], body: row["body"]))
  }

  private func giveUp(
    _ db: Database, _ now: Int64, _ periods: [(numbers: ClosedRange<Int64>, correction: Int64)]
  ) throws -> [Loss] {
    let oldest = now - Int64(limits.age) * 1_000_000_000
    return try receivers.compactMap { name in
      let id = try Int64.fetchOne(
        db, sql: "SELECT id FROM receiver WHERE name = ?", arguments: [name])
      // The last number that waits for too long, or before which there are as many as may wait.
      let old = try periods.compactMap { numbers, correction in
        try Int64.fetchOne(
          db,
          sql: """
            SELECT max(sequence) FROM waiting JOIN record USING (sequence)
            WHERE receiver = ? AND sequence > ? AND sequence <= ? AND time < ?
            """, arguments: [id, numbers.lowerBound, numbers.upperBound, oldest - correction])
      }.max()
      let excess = try Int64.fetchOne(
        db,
        sql: """
          SELECT sequence FROM waiting WHERE receiver = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?
          """,
        arguments: [id, limits.records])
      guard let last = [old, excess].compactMap({ $0 }).max() else { return nil }
      let first =
        try Int64.fetchOne(
          db, sql: "SELECT min(sequence) FROM waiting WHERE receiver = ?", arguments: [id]) ?? last
      try db.execute(
        sql: "DELETE FROM waiting WHERE receiver = ? AND sequence <= ?", arguments: [id, last])
      let count = db.changesCount
      try db.execute(
        sql: "UPDATE receiver SET dropped = dropped + ? WHERE id = ?", arguments: [count, id])
      return Loss(receiver: name, count: count, range: first...last)
    }
  }
}
