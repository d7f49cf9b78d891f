package import Forecasts
import GRDB
import Glibc

/// The SQLite database of the station, which stores readings and issued forecasts.
///
/// The database uses a write-ahead log (WAL), so acknowledged data survives a crash of the program.
package final class ReadingStore: Sendable {
  private let database: any DatabaseWriter
  private let lock: StoreLock?

  /// Opens a store and migrates its schema.
  ///
  /// - Parameter path: The path of the file. Default: in memory.
  /// - Throws: An SQLite error, or `StoreError` if the file was written by a newer version or is
  ///   in use by another program.
  package init(path: String?) throws {
    guard let path else {
      lock = nil
      database = try DatabaseQueue()
      try StoreSchema.migrate(database)
      return
    }
    lock = try StoreLock(path: path)
    let sidecars = SidecarFiles(path)
    do {
      try StoreSchema.check(path: path)
    } catch {
      sidecars.remove()
      throw error
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 3
    database = try DatabasePool(path: path, configuration: configuration)
    try StoreSchema.migrate(database)
  }

  /// Assigns the store to a station, if the store is not assigned yet.
  ///
  /// - Parameters:
  ///   - owner: The station.
  ///   - adopts: `true` to take over the store of a different station.
  /// - Throws: `StoreError` if the store belongs to a different station, or an SQLite error.
  package func claim(by owner: StoreOwner, adopts: Bool = false) throws {
    try database.write { db in
      if let known = try StoreOwner.read(db), !adopts, !known.isSame(as: owner) {
        throw StoreError.other(known, than: owner)
      }
      try owner.write(db)
    }
  }

  /// Stores the readings of a replay, which replace those that an earlier replay stored for the
  /// same period.
  ///
  /// - Returns: The readings with their sequence numbers.
  package func replace(with readings: [Reading]) throws -> [Reading] {
    if let first = readings.first {
      try database.write { db in
        try db.execute(sql: "DELETE FROM reading WHERE time >= ?", arguments: [first.time])
      }
    }
    return try append(readings)
  }

  /// Stores readings in one transaction.
  ///
  /// - Returns: The readings with their sequence numbers.
  package func append(_ readings: [Reading]) throws -> [Reading] {
    try database.write { db in
      let statement = try db.cachedStatement(
        sql:
          "INSERT INTO reading (time, temperature_c, humidity_percent, pressure_pa) VALUES (?,?,?,?)"
      )
      return try readings.map { reading in
        try statement.execute(
          arguments: [reading.time, reading.celsius, reading.humidity, reading.pascals])
        var stored = reading
        stored.sequence = db.lastInsertedRowID
        return stored
      }
    }
  }

  /// Returns a page of the history in chronological order.
  ///
  /// - Parameters:
  ///   - from: The start in seconds since 1970.
  ///   - after: The sequence number after which to begin, among the readings at the start time; 0
  ///     for all of them.
  ///   - to: The end in seconds since 1970, which is not included.
  ///   - limit: The maximum number of readings.
  /// - Returns: The readings.
  /// - Throws: An SQLite error.
  package func page(from: Int, after: Int64, to: Int, limit: Int) throws -> [Reading] {
    try database.read { db in
      try Self.readings(
        db,
        "SELECT * FROM reading WHERE (time, sequence) > (?, ?) AND time < ? "
          + "ORDER BY time, sequence LIMIT ?", [from, after, to, limit])
    }
  }

  /// Returns the readings after a sequence number.
  package func stored(after sequence: Int64, limit: Int) throws -> [Reading] {
    try database.read { db in
      try Self.readings(
        db, "SELECT * FROM reading WHERE sequence > ? ORDER BY sequence LIMIT ?", [sequence, limit])
    }
  }

  /// Returns the readings between two times in chronological order; the end is not included.
  package func readings(from: Int, to: Int) throws -> [Reading] {
    try database.read { db in
      try Self.readings(
        db, "SELECT * FROM reading WHERE time >= ? AND time < ? ORDER BY time, sequence",
        [from, to])
    }
  }

  /// Returns the highest sequence number assigned so far.
  package func lastSequence() throws -> Int64 {
    try database.read { db in
      try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'reading'") ?? 0
    }
  }

  /// Returns the last reading before a time.
  ///
  /// - Parameter moment: The time in seconds since 1970. Default: no limit.
  /// - Returns: The reading; `nil` if there is none.
  /// - Throws: An SQLite error.
  package func last(before moment: Int = .max) throws -> Reading? {
    try database.read { db in
      try Self.readings(
        db,
        "SELECT * FROM reading WHERE time < ? ORDER BY time DESC, sequence DESC LIMIT 1", [moment]
      ).first
    }
  }

  private static func readings(_ db: Database, _ sql: String, _ arguments: StatementArguments)
    throws
    -> [Reading]
  {
    try Row.fetchAll(try db.cachedStatement(sql: sql), arguments: arguments).map { row in
      Reading(
        sequence: row["sequence"], time: row["time"], celsius: row["temperature_c"],
        humidity: row["humidity_percent"], pascals: row["pressure_pa"])
    }
  }

  /// Returns the means of all readings in consecutive intervals.
  ///
  /// - Parameters:
  ///   - step: The length of the intervals in seconds.
  ///   - from: The start of the first interval in seconds since 1970.
  ///   - to: The end in seconds since 1970, which is not included.
  /// - Returns: A reading for each interval that contains readings, with the start of the interval
  ///   and the means in °C, % and Pa.
  /// - Throws: An SQLite error.
  package func means(every step: Int, from: Int, to: Int) throws -> [Reading] {
    try database.read { db in
      let sql = """
        SELECT 0 AS sequence, (time - ?1) / ?2 * ?2 + ?1 AS time, avg(temperature_c) AS temperature_c,
          avg(humidity_percent) AS humidity_percent, avg(pressure_pa) AS pressure_pa
        FROM reading WHERE time >= ?1 AND time < ?3 GROUP BY (time - ?1) / ?2 ORDER BY 2
        """
      return try Self.readings(db, sql, [from, step, to])
    }
  }

  /// Returns the means of the ten minutes around full hours.
  ///
  /// - Parameters:
  ///   - from: The first full hour in seconds since 1970.
  ///   - to: The end in seconds since 1970, which is not included.
  /// - Returns: A reading for each full hour that has readings around it, by its time.
  /// - Throws: An SQLite error.
  package func meansAroundHours(from: Int, to: Int) throws -> [Int: Reading] {
    try database.read { db in
      let sql = """
        SELECT 0 AS sequence, (time + 300) / 3600 * 3600 AS time, avg(temperature_c) AS temperature_c,
          avg(humidity_percent) AS humidity_percent, avg(pressure_pa) AS pressure_pa
        FROM reading WHERE time >= ?1 - 300 AND time < ?2 AND (time + 300) % 3600 < 600
        GROUP BY (time + 300) / 3600
        """
      let means = try Self.readings(db, sql, [from, to])
      return Dictionary(means.map { ($0.time, $0) }, uniquingKeysWith: { $1 })
    }
  }

  /// Returns the number of stored readings.
  package func count() throws -> Int {
    try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reading") ?? 0 }
  }

  /// Stores issued forecasts; forecasts that are already stored are not changed.
  package func record(_ forecasts: [IssuedForecast], _ barometer: [BarometerForecast]) throws {
    try database.write { db in
      let statement = try db.cachedStatement(
        sql:
          "INSERT OR IGNORE INTO forecast (issued, valid, metric, model, corrected) VALUES (?,?,?,?,?)"
      )
      for forecast in forecasts {
        try statement.execute(
          arguments: [
            forecast.issued, forecast.valid, forecast.metric, forecast.model, forecast.corrected,
          ])
      }
      let other = try db.cachedStatement(
        sql: "INSERT OR IGNORE INTO barometer (issued, method, is_wet) VALUES (?,?,?)")
      for forecast in barometer {
        try other.execute(arguments: [forecast.issued, forecast.method, forecast.isWet])
      }
    }
  }

  /// Returns the forecasts that are valid in an interval and were issued with a given lead time in
  /// seconds.
  package func forecasts(validFrom: Int, to: Int, lead: Int) throws -> [IssuedForecast] {
    try database.read { db in
      try Row.fetchAll(
        db, sql: "SELECT * FROM forecast WHERE valid >= ? AND valid < ? AND issued = valid - ?",
        arguments: [validFrom, to, lead]
      ).map { row in
        IssuedForecast(
          metric: row["metric"], issued: row["issued"], valid: row["valid"], model: row["model"],
          corrected: row["corrected"])
      }
    }
  }

  /// Returns the model's values that are valid in an interval, as they were forecast.
  ///
  /// - Parameters:
  ///   - metric: The name of the variable in `/v1/forecast`.
  ///   - from: The start in seconds since 1970.
  ///   - to: The end in seconds since 1970, which is not included.
  /// - Returns: The values by time, and by lead time in hours.
  /// - Throws: An SQLite error.
  package func modelValues(of metric: String, from: Int, to: Int) throws -> [Int: [Int: Double]] {
    try database.read { db in
      let rows = try Row.fetchCursor(
        db,
        sql:
          "SELECT valid, issued, model FROM forecast WHERE valid >= ? AND valid < ? AND metric = ?",
        arguments: [from, to, metric])
      var values: [Int: [Int: Double]] = [:]
      while let row = try rows.next() {
        let (valid, issued): (Int, Int) = (row[0], row[1])
        values[valid, default: [:]][(valid - issued) / 3600] = row[2]
      }
      return values
    }
  }

  /// Returns the forecasts of the barometric methods issued in an interval.
  package func barometer(from: Int, to: Int) throws -> [BarometerForecast] {
    try database.read { db in
      try Row.fetchAll(
        db, sql: "SELECT * FROM barometer WHERE issued >= ? AND issued < ?", arguments: [from, to]
      ).map { row in
        BarometerForecast(method: row["method"], issued: row["issued"], isWet: row["is_wet"])
      }
    }
  }

  /// Returns the time at which the last forecasts before a time were issued, in seconds since 1970; `nil` before the
  /// first.
  ///
  /// - Parameter moment: The current time; entries with later times, which were stored while the
  ///   clock was ahead, are ignored. Default: no limit.
  /// - Returns: The time of issue.
  /// - Throws: An SQLite error.
  package func lastIssue(before moment: Int = .max) throws -> Int? {
    try database.read {
      try Int.fetchOne(
        $0, sql: "SELECT max(issued) FROM forecast WHERE issued < ?", arguments: [moment])
    }
  }

  /// Deletes data older than a time.
  ///
  /// - Returns: The number of deleted readings.
  @discardableResult
  package func drop(before moment: Int) throws -> Int {
    try database.write { db in
      try db.execute(sql: "DELETE FROM reading WHERE time < ?", arguments: [moment])
      let dropped = db.changesCount
      try db.execute(sql: "DELETE FROM forecast WHERE valid < ?", arguments: [moment])
      try db.execute(sql: "DELETE FROM barometer WHERE issued < ?", arguments: [moment])
      return dropped
    }
  }

  /// Merges the write-ahead log into the file and closes the file, after which nothing can be
  /// stored.
  ///
  /// - Throws: An SQLite error, for example if the disk is full; the data then remains in the
  ///   `-wal` file.
  package func close() throws {
    if let pool = database as? DatabasePool {
      _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      // The writer must close last, because otherwise the `-wal` and `-shm` files remain.
      pool.invalidateReadOnlyConnections()
    }
    try database.close()
  }
}

/// The schema of the database, with its migrations.
enum StoreSchema {
  /// Migrates a database to the current schema.
  ///
  /// - Throws: An SQLite error.
  static func migrate(_ database: any DatabaseWriter) throws { try migrator.migrate(database) }

  /// Checks a file before it is modified, so a file that belongs to another program is left
  /// unchanged.
  ///
  /// - Throws: `StoreError` if the database belongs to another program or to a newer version of
  ///   this one, or an SQLite error.
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
    migrator.registerMigration("4 warnings that were announced") { db in
      try db.execute(
        sql: """
          CREATE TABLE announced (
            channel TEXT NOT NULL,
            kind TEXT NOT NULL,
            until INTEGER NOT NULL,
            value REAL NOT NULL,
            threshold REAL NOT NULL,
            PRIMARY KEY (channel, kind)
          ) WITHOUT ROWID;
          """)
    }
    return migrator
  }
}

/// A weather warning that a channel has announced.
package struct AnnouncedWarning: Sendable, Equatable {
  /// The end of the weather in seconds since 1970.
  package let until: Int
  /// The worst value that was announced, in the unit of the kind of warning.
  package let value: Double
  /// The limit of the warning, in the same unit.
  package let limit: Double

  package init(until: Int, value: Double, limit: Double) {
    (self.until, self.value, self.limit) = (until, value, limit)
  }
}

extension ReadingStore {
  /// Returns the warnings that a channel has announced, by kind.
  ///
  /// - Throws: An SQLite error.
  package func announced(by channel: String) throws -> [String: AnnouncedWarning] {
    try database.read { db in
      let rows = try Row.fetchAll(
        db, sql: "SELECT kind, until, value, threshold FROM announced WHERE channel = ?",
        arguments: [channel])
      return Dictionary(
        rows.map { ($0[0], AnnouncedWarning(until: $0[1], value: $0[2], limit: $0[3])) },
        uniquingKeysWith: { $1 }
      )
    }
  }

  /// Stores the warnings that a channel has announced, in place of its earlier ones.
  ///
  /// - Throws: An SQLite error.
  package func announce(_ warnings: [String: AnnouncedWarning], by channel: String) throws {
    try database.write { db in
      try db.execute(sql: "DELETE FROM announced WHERE channel = ?", arguments: [channel])
      for (kind, warning) in warnings {
        try db.execute(
          sql: "INSERT INTO announced (channel, kind, until, value, threshold) VALUES (?,?,?,?,?)",
          arguments: [channel, kind, warning.until, warning.value, warning.limit])
      }
    }
  }
}

/// The reason why a store cannot be used.
package enum StoreError: Error, CustomStringConvertible {
  /// A newer version of the program has migrated the file's schema.
  case newer
  /// The file is a database that belongs to another program.
  case foreign
  /// Another process has the store open.
  case busy
  /// The store contains the readings of a different station.
  case other(StoreOwner, than: StoreOwner)
  /// The file cannot be used, for the reason given by the operating system.
  case unusable(String)

  package var description: String {
    switch self {
    case .newer: "it was written by a newer aneroid-station; use that version, or another file"
    case .foreign:
      "it is a database of another program; name another file, which is created if missing"
    case .busy: "it is in use by another aneroid-station; end that one, or use another file"
    case .other(let known, let new):
      "it contains \(known), but this station has \(new); use another file, or give --adopt-store to "
        + "take it over"
    case .unusable(let reason): reason
    }
  }

  /// Returns the message for an error of the store; `nil` if the error is unrelated to the store.
  package static func words(for error: any Error) -> String? {
    if let error = error as? StoreError { return error.description }
    guard let error = error as? DatabaseError else { return nil }
    switch error.resultCode {
    case .SQLITE_NOTADB:
      return "it is not an SQLite database; name another file, which is created if missing"
    case .SQLITE_CORRUPT:
      return "it is damaged; keep a copy, and start again with another file"
    case .SQLITE_FULL: return "its disk is full; free some space, or name a file on another disk"
    case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
      return "it is not writable; grant write access to it and its folder, or name another file"
    default: return error.message ?? "\(error.resultCode)"
    }
  }

  /// Returns `true` if a write failed for a reason that may pass while the file is open: a full disk, a failing one, or one
  /// that is mounted read-only.
  package static func mayPass(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return [.SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN]
      .contains(error.resultCode)
  }

  /// Returns the error for a file that cannot be opened, with a suggestion.
  ///
  /// - Parameter number: The system error number.
  /// - Returns: The error.
  static func unopened(_ number: CInt) -> StoreError {
    switch number {
    case ENOENT: .unusable("its folder does not exist; create it, or name a file in another one")
    case EISDIR: .unusable("it is a folder; name a file in it")
    case EACCES, EROFS, EPERM:
      .unusable("it is not writable; grant write access to it and its folder, or name another file")
    default: .unusable(String(cString: strerror(number)))
    }
  }
}

/// A reading from the station's sensor.
package struct Reading: Hashable, Sendable {
  /// The sequence number in the store, starting at 1 and ascending; 0 if the reading is not stored.
  package var sequence: Int64 = 0
  /// The time in seconds since 1970.
  package let time: Int
  /// The temperature in °C; `nil` if it was not measured.
  package let celsius: Double?
  /// The relative humidity in %; `nil` if it was not measured.
  package let humidity: Double?
  /// The pressure at the station in Pa; `nil` if it was not measured.
  package let pascals: Double?

  package init(
    sequence: Int64 = 0, time: Int, celsius: Double?, humidity: Double?, pascals: Double?
  ) {
    (self.sequence, self.time) = (sequence, time)
    (self.celsius, self.humidity, self.pascals) = (celsius, humidity, pascals)
  }
}

/// A forecast value as it was issued, both from the model alone and corrected by the station.
package struct IssuedForecast: Hashable, Sendable {
  /// The name of the variable in `/v1/forecast`.
  package let metric: String
  /// The time at which the forecast was issued and the time for which it is valid, in seconds since
  /// 1970.
  package let issued, valid: Int
  /// The model's value, at the elevation of the station.
  package let model: Double
  /// The corrected value; `nil` if there was no correction.
  package let corrected: Double?

  package init(metric: String, issued: Int, valid: Int, model: Double, corrected: Double?) {
    (self.metric, self.issued, self.valid) = (metric, issued, valid)
    (self.model, self.corrected) = (model, corrected)
  }
}

/// A forecast by a method that uses only the pressure.
package struct BarometerForecast: Hashable, Sendable {
  /// The method: `thesis`, `an3914` or `zambretti`.
  package let method: String
  /// The time at which the forecast was issued, in seconds since 1970.
  package let issued: Int
  /// `true` if the forecast predicts rain.
  package let isWet: Bool
}

/// The write lock of a store, which one process holds until it exits.
final class StoreLock: Sendable {
  private let descriptor: Int32

  /// Acquires the lock.
  ///
  /// - Parameter path: The path of the store, which is created if missing.
  /// - Throws: `StoreError` if another process holds the lock, or the file cannot be opened.
  init(path: String) throws(StoreError) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .unopened(errno) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      let why = errno
      close(descriptor)
      throw why == EWOULDBLOCK ? .busy : .unusable(String(cString: strerror(why)))
    }
  }

  deinit { close(descriptor) }
}

/// The `-wal` and `-shm` files that SQLite creates next to a database, even for reading.
struct SidecarFiles {
  private let missing: [String]

  /// Records which of the files are missing.
  init(_ path: String) {
    missing = ["-wal", "-shm"].map { path + $0 }.filter { Self.size($0) == nil }
  }

  /// Removes the files that were missing before, if the log is empty.
  func remove() {
    guard missing.count == 2, Self.size(missing[0]) ?? 0 == 0 else { return }
    for file in missing { unlink(file) }
  }

  private static func size(_ path: String) -> Int? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    return Int(lseek(file, 0, SEEK_END))
  }
}

/// The owner of a store, which is a kind of source at a location.
package struct StoreOwner: Hashable, Sendable {
  /// The kind of source, `simulated`, `replayed` or `real`; for a replay, also the data that is
  /// replayed.
  package let source: String
  package let location: GeoPoint
  /// The elevation above sea level in m.
  package let elevation: Double

  package init(source: String, site: Site) {
    (self.source, location, elevation) = (source, site.location, site.elevation)
  }

  private init(source: String, location: GeoPoint, elevation: Double) {
    (self.source, self.location, self.elevation) = (source, location, elevation)
  }

  /// Returns `true` if two owners have the same source and location.
  func isSame(as other: StoreOwner) -> Bool {
    source == other.source && location == other.location && abs(elevation - other.elevation) < 0.5
  }

  /// Returns the owner of a store; `nil` if the store has no owner yet.
  static func read(_ db: Database) throws -> StoreOwner? {
    guard let row = try Row.fetchOne(db, sql: "SELECT * FROM station"),
      let location = GeoPoint(latitude: row["latitude"], longitude: row["longitude"])
    else { return nil }
    return StoreOwner(source: row["source"], location: location, elevation: row["elevation_m"])
  }

  /// Stores the owner in a database.
  func write(_ db: Database) throws {
    try db.execute(
      sql: """
        INSERT INTO station (only, source, latitude, longitude, elevation_m) VALUES (1,?,?,?,?)
          ON CONFLICT (only) DO UPDATE SET source = excluded.source, latitude = excluded.latitude,
          longitude = excluded.longitude, elevation_m = excluded.elevation_m
        """, arguments: [source, location.latitude, location.longitude, elevation])
  }
}

extension StoreOwner: CustomStringConvertible {
  package var description: String {
    "\(source) readings at \(location.latitude), \(location.longitude), \(elevation) m"
  }
}
