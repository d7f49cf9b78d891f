import GRDB

extension RecordQueue {
  /// How a receiver stands.
  package struct Standing: Sendable, Equatable {
    /// The receiver.
    package let receiver: String
    /// How many records wait for it.
    package let waiting: Int
    /// How many it has never been sent because too much waited, since the file was created.
    package let dropped: Int
    /// When the oldest that waits happened, in nanoseconds since 1970.
    package let oldest: Int64?
  }

  /// How each receiver stands.
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

  /// The last number that was given; 0 before the first.
  package func lastSequence() throws -> Int64 {
    try database.read { db in
      try Int64.fetchOne(db, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'record'") ?? 0
    }
  }

  /// When a record was written last, in nanoseconds since 1970; `nil` before the first.
  package func lastTime() throws -> Int64? {
    try database.read { db in
      try Int64.fetchOne(db, sql: "SELECT time FROM record ORDER BY sequence DESC LIMIT 1")
    }
  }

  /// What was noted of the clocks last.
  package func clockNote() throws -> String? {
    try database.read { db in
      try String.fetchOne(db, sql: "SELECT value FROM state WHERE name = 'clock'")
    }
  }

  /// When the last record of a kind happened for each key, in nanoseconds since 1970 by the clock behind the last of its steps.
  ///
  /// - Parameters:
  ///   - kind: of which kind.
  ///   - steps: the steps of the wall clock, the oldest first.
  /// - Returns: the moments by their keys.
  /// - Throws: an error of SQLite.
  package func latest(kind: String, steps: [ClockStep] = []) throws -> [String: Int64] {
    let periods = Self.periods(steps)
    return try database.read { db in
      var found: [String: Int64] = [:]
      var last = ""
      // From one key to the next, each by one step into the index.
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

  /// Records of a period, whether they wait or not, in order.
  ///
  /// - Parameters:
  ///   - kind: of which kind.
  ///   - key: of what; of all unless given.
  ///   - from: from when, in nanoseconds since 1970.
  ///   - to: before when.
  ///   - after: the number after which to begin.
  ///   - limit: how many at most.
  /// - Returns: the records.
  /// - Throws: an error of SQLite.
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
  /// How it writes: the journal's mode, and 2 if a commit waits for the disk.
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
