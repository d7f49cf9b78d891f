import HubCore
import HubQueue
import Warehouse

/// Every alarm that the log of a queue tells of, open and closed.
enum AlarmHistory {
  /// The alarms, by their numbers.
  ///
  /// - Throws: an error of SQLite.
  static func alarms(of queue: RecordQueue) throws -> [ZoneAlarm] {
    var book = AlarmBook()
    var closed: [ZoneAlarm] = []
    var after: Int64 = 0
    while true {
      let records = try queue.history(
        kind: "alarm", from: 0, to: .max, after: after, limit: 10_000)
      guard let last = records.last else { break }
      for entry in records.compactMap({ AlarmLog.entry($0.record) }) {
        book.apply(entry)
        // A book may forget what is closed: it is taken out of it at once.
        guard case .closed(let number, _) = entry.happening, let alarm = book.closed.last,
          alarm.number == number, closed.last != alarm
        else { continue }
        closed.append(alarm)
      }
      after = last.sequence
    }
    return (closed + book.open.values).sorted { $0.number < $1.number }
  }
}
