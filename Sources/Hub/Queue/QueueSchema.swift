import GRDB

/// The tables of the queue, and how one version of them becomes the next.
enum QueueSchema {
  /// Brings a database up to date.
  ///
  /// - Throws: an error of SQLite, or of a database that a newer version wrote.
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

/// Why a file cannot be the queue of a hub.
package enum QueueError: Error, CustomStringConvertible, Equatable {
  /// A newer version of the program has changed its tables.
  case newer
  /// It holds the records of another hub.
  case otherHub(String, String)

  package var description: String {
    switch self {
    case .newer: "a newer aneroid-hub has written it; use that one, or another file"
    case .otherHub(let owner, let hub):
      "it holds the records of the hub '\(owner)', not of '\(hub)'; use another file, or that name"
    }
  }
}
