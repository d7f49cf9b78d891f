import GRDB
import Support

/// The readings of tags over a period, summarised per interval.
package struct ReadingHistory: Sendable {
  /// The mean, the lowest and the highest value of a quantity in an interval; `nil` without values.
  package struct Summary: Sendable, Equatable {
    package let mean, lowest, highest: Double
  }

  /// An interval with readings.
  package struct Point: Sendable, Equatable {
    /// The start of the interval in nanoseconds since 1970.
    package let time: Int64
    /// The number of valid readings.
    package let count: Int
    /// The temperature in °C, the humidity in % and the pressure in Pa.
    package let temperature, humidity, pressure: Summary?
  }

  /// The members of a reading's record that are summarised.
  private static let members = ["temperature_c", "humidity_rh", "pressure_pa"]
  /// The maximum number of intervals.
  package static let mostIntervals = 10_000

  /// Returns the intervals of a period that have valid readings, in order.
  ///
  /// - Parameters:
  ///   - queue: The queue.
  ///   - tags: The addresses of the tags.
  ///   - from: The start of the period, and of its first interval, in nanoseconds since 1970.
  ///   - to: The end of the period, which is not included.
  ///   - step: The length of an interval in nanoseconds.
  /// - Returns: The intervals.
  /// - Throws: An SQLite error.
  package static func points(
    of queue: RecordQueue, tags: [String], from: Int64, to: Int64, step: Int64
  ) throws -> [Point] {
    guard !tags.isEmpty, from < to else { return [] }
    let marks = Array(repeating: "?", count: tags.count).joined(separator: ",")
    let columns = members.map { name -> String in
      let value = "json_extract(body, '$.\(name)')"
      return "avg(\(value)), min(\(value)), max(\(value))"
    }.joined(separator: ", ")
    return try queue.database.read { db in
      try Row.fetchAll(
        db,
        sql: """
          SELECT (time - ?) / ? AS slot, count(*), \(columns) FROM record
          WHERE kind = 'reading' AND key IN (\(marks)) AND time >= ? AND time < ?
          AND json_extract(body, '$.quality') IS NULL
          GROUP BY slot ORDER BY slot
          """, arguments: StatementArguments([from, step]) + StatementArguments(tags) + [from, to]
      ).map { row in
        Point(
          time: from + (row[0] as Int64) * step, count: row[1], temperature: summary(row, 2),
          humidity: summary(row, 5), pressure: summary(row, 8))
      }
    }
  }

  private static func summary(_ row: Row, _ column: Int) -> Summary? {
    guard let mean = row[column] as Double?, let lowest = row[column + 1] as Double?,
      let highest = row[column + 2] as Double?
    else { return nil }
    return Summary(mean: mean, lowest: lowest, highest: highest)
  }

  /// Returns the readings of a period one by one, in the order in which they were stored.
  ///
  /// - Parameters:
  ///   - queue: The queue.
  ///   - tags: The addresses of the tags.
  ///   - from: The start of the period in nanoseconds since 1970.
  ///   - to: The end of the period, which is not included.
  ///   - after: The sequence number after which the readings start.
  ///   - limit: The maximum number of readings.
  /// - Returns: The records.
  /// - Throws: An SQLite error.
  package static func readings(
    of queue: RecordQueue, tags: [String], from: Int64, to: Int64, after: Int64, limit: Int
  ) throws -> [QueuedRecord] {
    guard !tags.isEmpty else { return [] }
    let marks = Array(repeating: "?", count: tags.count).joined(separator: ",")
    let period = StatementArguments(tags) + [from, to]
    return try queue.database.read { db in
      // The index of times finds where the period begins; from there, the order of the table itself needs no sorting.
      var first = after
      if first == 0 {
        first =
          try Int64.fetchOne(
            db,
            sql: """
              SELECT min(sequence) - 1 FROM record
              WHERE kind = 'reading' AND key IN (\(marks)) AND time >= ? AND time < ?
              """, arguments: period) ?? 0
      }
      return try Row.fetchAll(
        db,
        sql: """
          SELECT * FROM record WHERE sequence > ? AND +kind = 'reading' AND +key IN (\(marks))
          AND +time >= ? AND +time < ? ORDER BY sequence LIMIT ?
          """, arguments: [first] + period + [limit]
      ).map(RecordQueue.record)
    }
  }
}

/// Readings as comma-separated values (RFC 4180), one reading per row.
package enum ReadingTable {
  private static let columns = [
    "sequence", "time", "tag", "temperature_c", "humidity_rh", "pressure_pa", "battery", "rssi",
    "quality", "raw",
  ]

  /// The row of titles.
  package static let titles = columns.joined(separator: ",") + "\r\n"

  /// Returns the rows of records, with the titles.
  package static func csv(_ records: [QueuedRecord], _ queue: RecordQueue) -> String {
    titles + rows(records, queue)
  }

  /// Returns the rows of records.
  package static func rows(_ records: [QueuedRecord], _ queue: RecordQueue) -> String {
    records.map { row($0, queue) }.joined()
  }

  /// Returns the row of a record.
  private static func row(_ record: QueuedRecord, _ queue: RecordQueue) -> String {
    guard
      let value = JSONValue(reading: Array(record.json(hub: queue.hub, epoch: queue.epoch).utf8))
    else { return "" }
    return columns.map { name in
      switch value[name] {
      case .array(let flags)?: flags.compactMap(\.text).joined(separator: " ")
      case let member?: member.text ?? member.compact
      case nil: ""
      }
    }.joined(separator: ",") + "\r\n"
  }
}
