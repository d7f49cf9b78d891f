import GRDB

/// The tables of the store, and how one version of them becomes the next.
enum StoreSchema {
  /// Brings a database up to date.
  ///
  /// - Throws: an error of SQLite.
  static func migrate(_ database: any DatabaseWriter) throws { try migrator.migrate(database) }

  /// Looks at a file before anything of it is changed: another's is left as it is, to the last byte.
  ///
  /// - Throws: ``StoreError`` for a database of another program, or of a newer version of this one; an error of SQLite.
  static func check(path: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let database = try DatabaseQueue(path: path, configuration: configuration)
    try database.read { db in
      let tables = try String.fetchAll(
        db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'")
      guard tables.isEmpty || tables.contains("grdb_migrations") else { throw StoreError.foreign }
      if try migrator.hasBeenSuperseded(db) { throw StoreError.newer }
    }
    try database.close()
  }

  private static var migrator: DatabaseMigrator {
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
    return migrator
  }
}
