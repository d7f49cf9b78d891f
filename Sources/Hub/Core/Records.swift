package import HubQueue
package import Warehouse

extension NewRecord {
  /// What the core of a hub wants to be written.
  package init(_ record: HubRecord) {
    self.init(
      kind: record.kind, key: record.key, time: record.time, body: record.body,
      isUrgent: Self.isUrgent(record))
  }

  /// Whether it does not wait for the next batch: what people would be told of, and not each reading or step on the way there.
  private static func isUrgent(_ record: HubRecord) -> Bool {
    guard case .alarm(let entry) = record else { return false }
    return switch entry.happening {
    case .breach, .breachOver, .heldBack, .worse: false
    case .raised, .again, .returned, .told, .acknowledged, .expired, .closed, .silenced,
      .silenceOver, .clockStepped:
      true
    }
  }
}

/// The log of alarms as records.
package enum AlarmLog {
  /// The entry of a record; `nil` where it is none.
  package static func entry(_ record: NewRecord) -> AlarmEntry? {
    AlarmEntry(time: record.time, body: record.body)
  }

  /// The step of the wall clock that a record tells of; `nil` where it tells of none.
  static func step(_ record: QueuedRecord) -> RecordQueue.ClockStep? {
    guard record.record.kind == "alarm", record.record.key == "hub",
      case .clockStepped(let step) = entry(record.record)?.happening
    else { return nil }
    return RecordQueue.ClockStep(sequence: record.sequence, by: step)
  }

  /// The book that the log in a queue makes, and the steps of the wall clock in it.
  package static func book(
    of queue: RecordQueue
  ) throws -> (book: AlarmBook, steps: [RecordQueue.ClockStep]) {
    var book = AlarmBook()
    var steps: [RecordQueue.ClockStep] = []
    var after: Int64 = 0
    while true {
      let records = try queue.history(
        kind: "alarm", from: .min, to: .max, after: after, limit: 10_000)
      guard let last = records.last else { return (book, steps) }
      for record in records {
        if let entry = entry(record.record) { book.apply(entry) }
        if let step = step(record) { steps.append(step) }
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
