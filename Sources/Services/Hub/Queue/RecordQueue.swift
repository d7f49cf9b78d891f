import GRDB
import Support
import Synchronization

/// The records of a hub on disk, numbered, in order, and kept until every receiver has confirmed
/// them.
///
/// A record is committed to disk before it is sent. It waits for each receiver separately, so an
/// unavailable receiver does not delay the others. Delivered records are kept as history for the
/// retention time.
package final class RecordQueue: Sendable {
  /// The limits of the queue.
  package struct Limits: Sendable, Equatable {
    /// The maximum number of records waiting for a receiver.
    package var records = 1_000_000
    /// The maximum time in seconds for which a record waits for a receiver.
    package var age = 30 * 86400
    /// The retention time of delivered records in seconds.
    package var history = 400 * 86400

    /// Creates the default limits.
    package init() {}
  }

  /// The records dropped for a receiver because a limit was exceeded.
  package struct Loss: Sendable, Equatable {
    package let receiver: String
    /// The number of records.
    package let count: Int
    /// The first and the last sequence number of these records.
    package let range: ClosedRange<Int64>

    /// Creates a description of dropped records.
    package init(receiver: String, count: Int, range: ClosedRange<Int64>) {
      (self.receiver, self.count, self.range) = (receiver, count, range)
    }
  }

  /// A step of the wall clock: records with smaller sequence numbers have times from the clock
  /// before the step.
  package struct ClockStep: Sendable, Equatable {
    /// The sequence number of the record that documents the step.
    package let sequence: Int64
    /// The size of the step in nanoseconds.
    package let by: Int64

    package init(sequence: Int64, by: Int64) { (self.sequence, self.by) = (sequence, by) }
  }

  let database: DatabasePool
  /// The name of the hub.
  package let hub: String
  /// The names of the receivers.
  package let receivers: [String]
  /// The random identifier of the queue file, which prevents restarted sequence numbers from being
  /// mistaken for duplicates.
  package let epoch: String
  /// The receivers that the file had and that are no longer listed, with the numbers of their waiting records, which were
  /// dropped when the queue was opened.
  package let abandoned: [(receiver: String, waiting: Int)]
  private let limits: Limits
  /// The kinds of records that receivers get; a receiver that is missing gets all.
  private let interests: [String: Set<String>]
  private let latest = Atomic<Int64>(0)
  private let urgent = Atomic<Int64>(0)

  /// Opens or creates the queue of a hub.
  ///
  /// Records waiting for a receiver that is no longer listed stop waiting for it.
  ///
  /// - Parameters:
  ///   - path: The path of the file; SQLite creates the WAL file next to it.
  ///   - hub: The name of the hub, which must stay the same for the lifetime of the file.
  ///   - receivers: The names of the receivers.
  ///   - interests: The kinds of records that a receiver gets. Default: all, for every receiver.
  ///   - limits: The limits of the queue.
  ///   - isRestored: `true` if the file is an older copy, whose next numbers the hub has used already: the epoch is drawn again.
  /// - Throws: An SQLite error, or the reason why the file is not a queue of this hub.
  package init(
    path: String, hub: String, receivers: [String], interests: [String: Set<String>] = [:],
    limits: Limits = Limits(), isRestored: Bool = false
  ) throws {
    var configuration = Configuration()
    configuration.busyMode = .timeout(10)
    configuration.maximumReaderCount = 4
    database = try DatabasePool(path: path, configuration: configuration)
    (self.hub, self.receivers) = (hub, receivers)
    (self.interests, self.limits) = (interests, limits)
    // With FULL, a commit is on disk when it returns, even after a power failure (SQLite, "PRAGMA
    // synchronous").
    try database.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
    try QueueSchema.migrate(database)
    (epoch, abandoned) = try database.write { try Self.claim($0, by: hub, receivers, isRestored) }
    latest.store(try lastSequence(), ordering: .relaxed)
  }

  /// Registers the hub and its receivers in a file, and returns the identifier of the file, and what waited for receivers
  /// that are no longer listed.
  private static func claim(
    _ db: Database, by hub: String, _ receivers: [String], _ isRestored: Bool
  ) throws -> (epoch: String, abandoned: [(receiver: String, waiting: Int)]) {
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
    var abandoned: [(receiver: String, waiting: Int)] = []
    for name in gone {
      try db.execute(
        sql: """
          DELETE FROM waiting WHERE receiver = (SELECT id FROM receiver WHERE name = ?)
          """, arguments: [name])
      if db.changesCount > 0 { abandoned.append((name, db.changesCount)) }
    }
    let drawn = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    try db.execute(
      sql:
        "INSERT OR \(isRestored ? "REPLACE" : "IGNORE") INTO state (name, value) VALUES ('epoch', ?)",
      arguments: [drawn])
    let epoch = try String.fetchOne(db, sql: "SELECT value FROM state WHERE name = 'epoch'")
    return (epoch ?? drawn, abandoned)
  }

  /// The sequence number of the last urgent record stored by this process; 0 before the first.
  ///
  /// Reading this property does not access the disk.
  package var lastUrgent: Int64 { urgent.load(ordering: .relaxed) }

  /// The sequence number of the last record stored, without an access to the disk.
  package var newest: Int64 { latest.load(ordering: .relaxed) }

  /// Returns `true` if there may be records after a sequence number.
  ///
  /// The function does not access the disk.
  package func mayHold(after sequence: Int64) -> Bool {
    latest.load(ordering: .relaxed) > sequence
  }

  /// Stores records in one transaction, which is committed to disk on return.
  ///
  /// - Parameters:
  ///   - records: The records, in order.
  ///   - clock: The clock state to store with the records. Default: unchanged.
  /// - Returns: The stored records with their sequence numbers.
  /// - Throws: An SQLite error, for example if the disk is full; no record is stored in that case.
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
        for receiver in receivers where receiver.kinds?.contains(record.kind) ?? true {
          try wait.execute(arguments: [receiver.id, sequence])
        }
        return QueuedRecord(sequence: sequence, record: record)
      }
    }
    latest.max(written.last?.sequence ?? 0, ordering: .relaxed)
    urgent.max(written.last { $0.record.isUrgent }?.sequence ?? 0, ordering: .relaxed)
    return written
  }

  /// Returns the records waiting for a receiver, in order.
  ///
  /// - Parameters:
  ///   - receiver: The name of the receiver.
  ///   - after: The sequence number after which the records start.
  ///   - limit: The maximum number of records.
  /// - Returns: The waiting records.
  /// - Throws: An SQLite error.
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

  /// Marks records as delivered to a receiver.
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

  /// Marks all records up to a sequence number as delivered to a receiver.
  ///
  /// - Returns: The number of records that were waiting.
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

  /// Applies the limits of the queue: drops the oldest waiting records in excess of the limits, and
  /// deletes old history.
  ///
  /// The file counts the dropped records, and a record of kind `dropped` informs every receiver.
  /// Ages take steps of the wall clock into account, so a step does not make a record older.
  ///
  /// - Parameters:
  ///   - now: The current time in nanoseconds since 1970.
  ///   - ages: `true` to apply the age limits as well as the limit on the number of records.
  ///   - steps: The steps of the wall clock, oldest first.
  ///   - clock: The clock state to store. Default: unchanged.
  /// - Returns: The dropped records.
  /// - Throws: An SQLite error.
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
          body: JSONValue.members([
            ("receiver", JSONValue.string(loss.receiver)), ("count", .integer(loss.count)),
            ("first", .integer(loss.range.lowerBound)), ("last", .integer(loss.range.upperBound)),
          ]).compact)
      })
    return losses
  }

  /// Closes the file and merges the write-ahead log (`-wal`) into it, so a single file remains.
  ///
  /// SQLite removes the log when the last read-write connection closes. The connection that a pool
  /// closes last is read-only, so the file is opened once more for writing.
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

  /// Returns the ranges of sequence numbers between steps of the wall clock, newest first, each
  /// with the correction of its times.
  static func periods(_ steps: [ClockStep]) -> [(numbers: ClosedRange<Int64>, correction: Int64)] {
    var (last, correction) = (Int64.max, Int64(0))
    var periods: [(numbers: ClosedRange<Int64>, correction: Int64)] = []
    for step in steps.reversed() {
      // The record that documents a step already has a time from the new clock.
      periods.append((min(step.sequence - 1, last)...last, correction))
      (last, correction) = (step.sequence - 1, correction &+ step.by)
    }
    return periods + [(min(0, last)...last, correction)]
  }

  /// Returns the numbers of the receivers, with the kinds of records that they get; `nil` for all.
  private func identifiers(_ db: Database) throws -> [(id: Int64, kinds: Set<String>?)] {
    try receivers.map { name in
      let id = try Int64.fetchOne(
        try db.cachedStatement(sql: "SELECT id FROM receiver WHERE name = ?"), arguments: [name])
      return (id ?? 0, interests[name])
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
      // The last sequence number that exceeds the age limit or the limit on the number of records.
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

extension RecordQueue {
  /// The delivery state of a receiver.
  package struct Standing: Sendable, Equatable {
    /// The name of the receiver.
    package let receiver: String
    /// The number of records that wait for the receiver.
    package let waiting: Int
    /// The number of records dropped for the receiver since the file was created.
    package let dropped: Int
    /// The time of the oldest waiting record, in nanoseconds since 1970; `nil` if none is waiting.
    package let oldest: Int64?
  }

  /// Returns the delivery state of each receiver.
  package func standings() throws -> [Standing] {
    try database.read { db in
      try receivers.map { name in
        let row = try Row.fetchOne(
          db,
          sql: """
            SELECT (SELECT count(*) FROM waiting WHERE receiver = id) AS waiting, dropped,
              (SELECT time FROM waiting JOIN record USING (sequence) WHERE receiver = id
               ORDER BY sequence LIMIT 1) AS oldest
            FROM receiver WHERE name = ?
            """, arguments: [name])
        return Standing(
          receiver: name, waiting: row?["waiting"] ?? 0, dropped: row?["dropped"] ?? 0,
          oldest: row?["oldest"])
      }
    }
  }

  /// Returns the last assigned sequence number; 0 before the first.
  package func lastSequence() throws -> Int64 {
    try database.read { db in
      try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'record'") ?? 0
    }
  }

  /// Returns the time of the last record in nanoseconds since 1970; `nil` before the first.
  package func lastTime() throws -> Int64? {
    try database.read { db in
      try Int64.fetchOne(db, sql: "SELECT time FROM record ORDER BY sequence DESC LIMIT 1")
    }
  }

  /// Returns the stored clock state; `nil` if none is stored.
  package func clockNote() throws -> String? {
    try database.read { db in
      try String.fetchOne(db, sql: "SELECT value FROM state WHERE name = 'clock'")
    }
  }

  /// Returns the time of the last record of a kind for each key, in nanoseconds since 1970,
  /// corrected for steps of the wall clock.
  ///
  /// - Parameters:
  ///   - kind: The kind of record.
  ///   - steps: The steps of the wall clock, oldest first.
  /// - Returns: The times by key.
  /// - Throws: An SQLite error.
  package func latest(kind: String, steps: [ClockStep] = []) throws -> [String: Int64] {
    let periods = Self.periods(steps)
    return try database.read { db in
      var found: [String: Int64] = [:]
      var last = ""
      // The query proceeds from key to key with one index lookup each.
      while let key = try String.fetchOne(
        try db.cachedStatement(
          sql: "SELECT key FROM record WHERE kind = ? AND key > ? ORDER BY key LIMIT 1"),
        arguments: [kind, last])
      {
        for (numbers, correction) in periods where found[key] == nil {
          found[key] = try Int64.fetchOne(
            try db.cachedStatement(
              sql: """
                SELECT time FROM record WHERE kind = ? AND key = ? AND sequence > ? AND sequence <= ?
                ORDER BY time DESC LIMIT 1
                """),
            arguments: [kind, key, numbers.lowerBound, numbers.upperBound]
          ).map { $0 &+ correction }
        }
        last = key
      }
      return found
    }
  }

  /// Returns the last records of a kind and a key, newest first.
  package func last(_ count: Int, kind: String, key: String) throws -> [QueuedRecord] {
    try database.read { db in
      try Row.fetchAll(
        try db.cachedStatement(
          sql: "SELECT * FROM record WHERE kind = ? AND key = ? ORDER BY time DESC LIMIT ?"),
        arguments: [kind, key, count]
      ).map(Self.record)
    }
  }

  /// Returns the records of a period in order, whether they are waiting or not.
  ///
  /// - Parameters:
  ///   - kind: The kind of record.
  ///   - key: The subject of the records. Default: all subjects.
  ///   - from: The start of the period in nanoseconds since 1970.
  ///   - to: The end of the period, which is not included.
  ///   - after: The sequence number after which the records start.
  ///   - limit: The maximum number of records.
  /// - Returns: The records of the period.
  /// - Throws: An SQLite error.
  package func history(
    kind: String, key: String? = nil, from: Int64, to: Int64, after: Int64 = 0, limit: Int
  ) throws -> [QueuedRecord] {
    try database.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM record WHERE kind = ?1 AND (?2 IS NULL OR key = ?2)
          AND time >= ?3 AND time < ?4 AND sequence > ?5 ORDER BY sequence LIMIT ?6
          """, arguments: [kind, key, from, to, after, limit]
      ).map(Self.record)
    }
  }
}

extension RecordQueue {
  /// The values of SQLite's settings `journal_mode` and `synchronous`; the latter is 2 if commits
  /// wait for the disk.
  package var settings: [String] {
    get throws {
      try database.writeWithoutTransaction { db in
        try ["journal_mode", "synchronous"].map { name in
          try String.fetchOne(db, sql: "PRAGMA \(name)") ?? ""
        }
      }
    }
  }
}

extension String {
  /// Returns a count with its noun: `1 record`, `2 records`.
  package func counted(_ count: Int) -> String { "\(count) \(self)\(count == 1 ? "" : "s")" }
}
