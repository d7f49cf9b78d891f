package import HubQueue
package import Warehouse

extension NewRecord {
  /// Creates a record for the queue from a `HubRecord`, which the hub's decision logic has produced.
  package init(_ record: HubRecord) {
    self.init(
      kind: record.kind, key: record.key, time: record.time, body: record.body,
      isUrgent: Self.isUrgent(record))
  }

  /// Returns `true` if the record is sent immediately, as are alarm events that people act on;
  /// readings and intermediate steps of alarms are not.
  private static func isUrgent(_ record: HubRecord) -> Bool {
    guard case .alarm(let entry) = record else { return false }
    return switch entry.event {
    case .breach, .breachOver, .heldBack, .worse: false
    case .raised, .again, .returned, .notified, .acknowledged, .expired, .closed, .silenced,
      .silenceOver, .clockStepped:
      true
    }
  }
}

/// Conversion of records to alarm log entries.
package enum AlarmLog {
  /// Returns the alarm log entry in a record; `nil` if the record contains none.
  package static func entry(_ record: NewRecord) -> AlarmEntry? {
    AlarmEntry(time: record.time, body: record.body)
  }

  /// The step of the wall clock that a record documents; `nil` for other records.
  static func step(_ record: QueuedRecord) -> RecordQueue.ClockStep? {
    guard record.record.kind == "alarm", record.record.key == "hub",
      case .clockStepped(let step) = entry(record.record)?.event
    else { return nil }
    return RecordQueue.ClockStep(sequence: record.sequence, by: step)
  }

  /// Returns the alarm state replayed from the log in a queue, and the steps of the wall clock in it.
  package static func alarmState(
    of queue: RecordQueue
  ) throws -> (alarmState: AlarmState, steps: [RecordQueue.ClockStep]) {
    var alarmState = AlarmState()
    var steps: [RecordQueue.ClockStep] = []
    var after: Int64 = 0
    while true {
      let records = try queue.history(
        kind: "alarm", from: .min, to: .max, after: after, limit: 10_000)
      guard let last = records.last else { return (alarmState, steps) }
      for record in records {
        if let entry = entry(record.record) { alarmState.apply(entry) }
        if let step = step(record) { steps.append(step) }
      }
      after = last.sequence
    }
  }
}

extension HubCommand {
  /// The result of the executed command as a sentence.
  var done: String {
    switch self {
    case .acknowledge(let number, _, _, _): "alarm \(number) is acknowledged"
    case .silence(let zone, _, _, _): "the zone '\(zone)' is silenced"
    case .endSilence(let zone, _): "the zone '\(zone)' is no longer silenced"
    case .close(let number, _, _): "alarm \(number) is closed"
    }
  }

  /// The name that settings use to allow the action.
  package var action: String {
    switch self {
    case .acknowledge: "acknowledge"
    case .silence: "silence"
    case .endSilence: "end-silence"
    case .close: "close"
    }
  }

  /// The person who sent the command.
  package var person: String {
    switch self {
    case .acknowledge(_, let name, _, _), .silence(_, let name, _, _), .endSilence(_, let name),
      .close(_, let name, _):
      name
    }
  }
}
