import GRDB
import Support

/// A record that is not stored yet and has no sequence number.
package struct NewRecord: Sendable, Equatable {
  /// The kind of record: `reading`, `alarm`, `dropped`, `channel`, `hub`, `storage` or `receiver`.
  package let kind: String
  /// The subject of the record: the address of a tag, or the number of an alarm.
  package let key: String
  /// The time in nanoseconds since 1970, UTC.
  package let time: Int64
  /// The remaining members, as the text of a JSON object.
  package let body: String
  /// `true` to send the record immediately instead of with the next batch; this is not stored.
  package let isUrgent: Bool

  /// Creates a record.
  ///
  /// - Precondition: The body is a JSON object, `{...}`.
  package init(kind: String, key: String, time: Int64, body: String, isUrgent: Bool = false) {
    precondition(
      body.hasPrefix("{") && body.hasSuffix("}"), "the body of a record must be a JSON object")
    (self.kind, self.key, self.time, self.body) = (kind, key, time, body)
    self.isUrgent = isUrgent
  }
}

/// A stored record with its sequence number.
package struct QueuedRecord: Sendable, Equatable {
  /// The sequence number, which starts at 1, increases, and is never reused in the same queue file.
  package let sequence: Int64
  /// The content of the record.
  package let record: NewRecord

  package init(sequence: Int64, record: NewRecord) {
    (self.sequence, self.record) = (sequence, record)
  }

  /// Returns the JSON object to send: hub, epoch, sequence, kind and time, followed by the members
  /// of the body.
  ///
  /// - Parameters:
  ///   - hub: The name of the hub.
  ///   - epoch: The identifier of the queue file.
  /// - Returns: The object on one line.
  package func json(hub: String, epoch: String) -> String {
    let head =
      "{\"hub\":\(JSONValue.string(hub).compact),\"epoch\":\(JSONValue.string(epoch).compact),"
      + "\"sequence\":\(sequence),\"kind\":\(JSONValue.string(record.kind).compact),"
      + "\"time\":\"\(UTCTime.stamp(record.time, decimals: 9))\""
    let rest = record.body.dropFirst()
    return head + (rest == "}" ? "" : ",") + rest
  }
}

/// The schema of the database, with its migrations.
enum QueueSchema {
  /// Migrates a database to the current schema.
  ///
  /// - Throws: An SQLite error, or an error if a newer version created the database.
  static func migrate(_ database: any DatabaseWriter) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 records and who waits for them") { db in
      try db.execute(
        sql: """
          CREATE TABLE record (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            time INTEGER NOT NULL,
            body TEXT NOT NULL
          );
          CREATE INDEX record_time ON record (kind, time);
          CREATE TABLE receiver (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            dropped INTEGER NOT NULL DEFAULT 0
          );
          CREATE TABLE waiting (
            receiver INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            PRIMARY KEY (receiver, sequence)
          ) WITHOUT ROWID;
          CREATE INDEX waiting_sequence ON waiting (sequence);
          CREATE TABLE state (name TEXT PRIMARY KEY, value TEXT NOT NULL);
          """)
    }
    migrator.registerMigration("2 the last record of each key") { db in
      try db.execute(sql: "CREATE INDEX record_key ON record (kind, key, time)")
    }
    let isNewer = try database.read { db in try migrator.hasBeenSuperseded(db) }
    guard !isNewer else { throw QueueError.newer }
    try migrator.migrate(database)
  }
}

/// The reason why a file cannot be used as the queue of a hub.
package enum QueueError: Error, CustomStringConvertible, Equatable {
  /// A newer version of the program has migrated the file's schema.
  case newer
  /// The file contains the records of a different hub.
  case otherHub(String, String)

  package var description: String {
    switch self {
    case .newer: "it was written by a newer aneroid-hub; use that version, or another file"
    case .otherHub(let owner, let hub):
      "it contains the records of the hub '\(owner)', not of '\(hub)'; use another file, or that name"
    }
  }

  /// Returns the reason why a queue cannot be opened, with a remedy for a damaged file.
  package static func words(_ error: any Error, _ path: String) -> String {
    guard let error = error as? DatabaseError,
      [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode)
    else { return "\(error)" }
    return
      "it is damaged, or no queue; restore a copy, or move it away with its -wal and -shm (the hub then begins a new "
      + "history, with open alarms forgotten); 'sqlite3 \(path) .recover' may save its records"
  }
}
