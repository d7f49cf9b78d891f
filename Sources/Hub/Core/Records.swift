package import HubQueue
package import Warehouse

extension NewRecord {
  /// What the core of a hub wants to be written.
  package init(_ record: HubRecord) {
    self.init(kind: record.kind, key: record.key, time: record.time, body: record.body)
  }
}

/// The log of alarms as records.
package enum AlarmLog {
  /// The entry of a record; `nil` where it is none.
  package static func entry(_ record: NewRecord) -> AlarmEntry? {
    AlarmEntry(time: record.time, body: record.body)
  }

  /// The book that the log in a queue makes.
  package static func book(of queue: RecordQueue) throws -> AlarmBook {
    var book = AlarmBook()
    var after: Int64 = 0
    while true {
      let records = try queue.history(
        kind: "alarm", from: 0, to: .max, after: after, limit: 10_000)
      guard let last = records.last else { return book }
      for record in records {
        if let entry = entry(record.record) { book.apply(entry) }
      }
      after = last.sequence
    }
  }
}

extension HubCommand {
  /// What was done, in words.
  var done: String {
    switch self {
    case .acknowledge(let number, _, _, _): "alarm \(number) is acknowledged"
    case .silence(let zone, _, _, _): "the zone '\(zone)' is silenced"
    case .endSilence(let zone, _): "the zone '\(zone)' is no longer silenced"
    case .close(let number, _, _): "alarm \(number) is closed"
    }
  }

  /// Its name, as it is allowed or not.
  package var action: String {
    switch self {
    case .acknowledge: "acknowledge"
    case .silence: "silence"
    case .endSilence: "end-silence"
    case .close: "close"
    }
  }

  /// Who wants it.
  package var person: String {
    switch self {
    case .acknowledge(_, let name, _, _), .silence(_, let name, _, _), .endSilence(_, let name),
      .close(_, let name, _):
      name
    }
  }
}
