import GRDB

/// The tables of the store, and how one version of them becomes the next.
enum StoreSchema {
  /// Brings a database up to date.
  ///
  /// - Throws: an error of SQLite, or of a database that a newer version wrote.
  static func migrate(_ database: any DatabaseWriter) throws {
    var migrator = DatabaseMigrator()
    migrator.registerMigration("1 readings") { db in
      try db.execute(
        sql: """
          CREATE TABLE reading (
            sequence INTEGER PRIMARY KEY AUTOINCREMENT,
            time INTEGER NOT NULL,
            temperature_c REAL,
            humidity_percent REAL,
            pressure_pa REAL
          );
          CREATE INDEX reading_time ON reading (time, sequence);
          """)
    }
    migrator.registerMigration("2 forecasts as they were made") { db in
      try db.execute(
        sql: """
          CREATE TABLE forecast (
            issued INTEGER NOT NULL,
            valid INTEGER NOT NULL,
            metric TEXT NOT NULL,
            model REAL NOT NULL,
            corrected REAL,
            PRIMARY KEY (valid, issued, metric)
          ) WITHOUT ROWID;
          CREATE TABLE barometer (
            issued INTEGER NOT NULL,
            method TEXT NOT NULL,
            is_wet INTEGER NOT NULL,
            PRIMARY KEY (issued, method)
          ) WITHOUT ROWID;
          """)
    }
    migrator.registerMigration("3 whose readings they are") { db in
      try db.execute(
        sql: """
          CREATE TABLE station (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            source TEXT NOT NULL,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            elevation_m REAL NOT NULL
          );
          """)
    }
    let isNewer = try database.read { db in try migrator.hasBeenSuperseded(db) }
    guard !isNewer else { throw StoreError.newer }
    try migrator.migrate(database)
  }
}

/// Why a store cannot be used.
package enum StoreError: Error, CustomStringConvertible {
  /// A newer version of the program has changed its tables.
  case newer
  /// Another program writes it.
  case busy
  /// It holds what another station has read.
  case other(StoreOwner, than: StoreOwner)
  /// The system's reason why the file cannot be used.
  case unusable(String)

  package var description: String {
    switch self {
    case .newer: "a newer aneroid-station has written it; use that one, or another file"
    case .busy: "another aneroid-station is writing it; end that one, or use another file"
    case .other(let known, let new):
      "it holds \(known), and this station has \(new); use another file, or say --adopt-store if they "
        + "are the same station's all the same"
    case .unusable(let reason): reason
    }
  }
}
