import GRDB

/// What the station remembers: readings, and forecasts as they were made, in SQLite.
///
/// A file is written ahead (WAL), so that what was acknowledged survives the end of the program at any moment.
package final class ReadingStore: Sendable {
  private let database: any DatabaseWriter
  private let lock: StoreLock?

  /// Opens a store, and brings its tables up to date.
  ///
  /// - Parameter path: the file; in memory unless given.
  /// - Throws: an error of SQLite, or ``StoreError`` for a file that a newer version has written, or that another
  ///   program is writing.
  package init(path: String?) throws {
    guard let path else {
      lock = nil
      database = try DatabaseQueue()
      try StoreSchema.migrate(database)
      return
    }
    lock = try StoreLock(path: path)
    let beside = FilesBeside(path)
    do {
      try StoreSchema.check(path: path)
    } catch {
      beside.remove()
      throw error
    }
    var configuration = Configuration()
    configuration.busyMode = .timeout(5)
    configuration.maximumReaderCount = 3
    database = try DatabasePool(path: path, configuration: configuration)
    try StoreSchema.migrate(database)
  }

  /// Makes the store a station's: whose it is is written when it is nobody's yet.
  ///
  /// - Parameters:
  ///   - owner: the station.
  ///   - adopts: whether what was another's counts as this station's from now on.
  /// - Throws: ``StoreError`` for a store of another station, or an error of SQLite.
  package func claim(by owner: StoreOwner, adopts: Bool = false) throws {
    try database.write { db in
      if let known = try StoreOwner.read(db), !adopts, !known.isSame(as: owner) {
        throw StoreError.other(known, than: owner)
      }
      try owner.write(db)
    }
  }

  /// Stores a replay: what an earlier one has left in its time makes room.
  ///
  /// - Returns: the readings, with their numbers.
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
  /// - Returns: them, with their numbers.
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

  /// A page of history, by time.
  ///
  /// - Parameters:
  ///   - from: from when, in seconds since 1970.
  ///   - after: after which of the readings of that moment; from the first with 0.
  ///   - to: until before when.
  ///   - limit: how many.
  /// - Returns: the readings.
  /// - Throws: an error of SQLite.
  package func page(from: Int, after: Int64, to: Int, limit: Int) throws -> [Reading] {
    try database.read { db in
      try Self.readings(
        db,
        "SELECT * FROM reading WHERE (time, sequence) > (?, ?) AND time < ? "
          + "ORDER BY time, sequence LIMIT ?", [from, after, to, limit])
    }
  }

  /// The readings that were stored after one, by their numbers.
  package func stored(after sequence: Int64, limit: Int) throws -> [Reading] {
    try database.read { db in
      try Self.readings(
        db, "SELECT * FROM reading WHERE sequence > ? ORDER BY sequence LIMIT ?", [sequence, limit])
    }
  }

  /// The readings between two moments, the first included, by time.
  package func readings(from: Int, to: Int) throws -> [Reading] {
    try database.read { db in
      try Self.readings(
        db, "SELECT * FROM reading WHERE time >= ? AND time < ? ORDER BY time, sequence",
        [from, to])
    }
  }

  /// The highest number that a reading has had.
  package func lastSequence() throws -> Int64 {
    try database.read { db in
      try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'reading'") ?? 0
    }
  }

  /// The last reading before a moment.
  ///
  /// - Parameter moment: in seconds since 1970. Default: no limit.
  /// - Returns: the reading; `nil` for none.
  /// - Throws: an error of SQLite.
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

  /// The mean of all readings around each of some moments.
  ///
  /// - Parameters:
  ///   - step: the length of the intervals in seconds.
  ///   - from: the start of the first.
  ///   - to: before which the readings lie.
  /// - Returns: for each interval that has readings, its start, °C, %, Pa.
  /// - Throws: an error of SQLite.
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

  /// How many readings there are.
  package func count() throws -> Int {
    try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM reading") ?? 0 }
  }

  /// Stores forecasts as they were made; one that was made before stays as it was.
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

  /// The forecasts for the moments of an interval that were made so many seconds before.
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

  /// What the barometer's forecasters said in an interval.
  package func barometer(from: Int, to: Int) throws -> [BarometerForecast] {
    try database.read { db in
      try Row.fetchAll(
        db, sql: "SELECT * FROM barometer WHERE issued >= ? AND issued < ?", arguments: [from, to]
      ).map { row in
        BarometerForecast(method: row["method"], issued: row["issued"], isWet: row["is_wet"])
      }
    }
  }

  /// When the last forecasts before a moment were made, in seconds since 1970; `nil` before the first.
  ///
  /// - Parameter moment: now; what a clock that was ahead has stored after it does not count. Default: no limit.
  /// - Returns: the moment.
  /// - Throws: an error of SQLite.
  package func lastIssue(before moment: Int = .max) throws -> Int? {
    try database.read {
      try Int.fetchOne(
        $0, sql: "SELECT max(issued) FROM forecast WHERE issued < ?", arguments: [moment])
    }
  }

  /// Drops what is older than a moment.
  ///
  /// - Returns: how many readings were dropped.
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

  /// Brings all that is stored into the file itself, and closes it; nothing is stored afterwards.
  ///
  /// - Throws: an error of SQLite, such as for a disk that is full; what was stored then lies in the file `-wal` beside it.
  package func close() throws {
    if let pool = database as? DatabasePool {
      _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
      // The writer must be the last to go, or the files beside the store stay.
      pool.invalidateReadOnlyConnections()
    }
    try database.close()
  }
}
