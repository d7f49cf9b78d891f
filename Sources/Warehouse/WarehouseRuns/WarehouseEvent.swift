package import Support
import Warehouse

/// An event of a warehouse run, defined once for all output formats.
package struct WarehouseEvent: Sendable {
  /// The kinds of events.
  package enum Kind: String, Sendable, CaseIterable {
    /// The run has started.
    case rig
    /// An entry was added to the alarm log; the field `entry` contains its kind.
    case alarm
    /// A command that was executed or rejected.
    case command
    /// A program was killed or is available again.
    case program
    /// The delivery summary at the end of the run.
    case delivery
    /// The alarms that a published article's faulty formula for the humidity would have raised,
    /// reported at the end of the run.
    case article
    /// The result of an expectation.
    case expectation
    /// The overall result, which is the last event.
    case verdict
  }

  package let kind: Kind
  /// The time in nanoseconds since the start.
  package let time: Int64
  /// The fields of the event, in order.
  package let fields: [(key: String, value: JSONValue)]
  /// The event as a line of text.
  package let line: String

  /// The event as one line of JSON.
  package var json: String {
    JSONValue.object(
      [
        ("event", .string(kind.rawValue)),
        ("t", .number(Decimal.shortest(Double(time) / 1e9))),
      ] + fields
    ).compact
  }

  /// The event as a line of text that starts with the time.
  package var text: String {
    "\(Decimal.elapsed(UInt64(max(time, 0))).leftPadded(12))  \(line.visible)"
  }
}

extension String {
  fileprivate func leftPadded(_ width: Int) -> String {
    String(repeating: " ", count: max(width - count, 0)) + self
  }
}

extension WarehouseEvent {
  /// Creates the event for a log entry, with the tags' display names; the result is `nil` for
  /// entries that are not reported.
  ///
  /// - Parameters:
  ///   - entry: The log entry.
  ///   - alarmState: The alarm state after the entry.
  ///   - names: The tags' display names, by address.
  ///   - start: The start of the run in nanoseconds since 1970.
  init?(_ entry: AlarmEntry, _ alarmState: AlarmState, names: [String: String], start: Int64) {
    func name(_ tag: String) -> String { names[tag] ?? tag }
    func alarm(_ number: UInt64) -> String {
      let alarm = alarmState.all(number)
      let key = alarm.map {
        "\(name($0.key.tag)) \($0.key.cause.rawValue) \($0.key.level.rawValue)"
      }
      return "#\(number) \(key ?? "")"
    }
    func note(_ text: String) -> String { text.isEmpty ? "" : " " + text }
    let line: String
    switch entry.event {
    case .breach, .breachOver, .worse: return nil
    case .heldBack(let key):
      line = "held back during silence: \(name(key.tag)) \(key.cause.rawValue)"
    case .raised(let raising):
      line =
        "RAISED \(alarm(raising.number)): \(Decimal.fixed(raising.peak, 1)) beyond "
        + "\(Decimal.shortest(raising.rule.limit)) since "
        + Decimal.elapsed(UInt64(max(raising.began - start, 0)))
    case .again(let number, _, let value):
      line = "AGAIN \(alarm(number)): \(Decimal.fixed(value, 1))"
    case .returned(let number): line = "over \(alarm(number))"
    case .notified(let number, let name): line = "notified \(name) of \(alarm(number))"
    case .acknowledged(let number, let acknowledgement):
      line =
        "acknowledged by \(acknowledgement.name): \(alarm(number))" + note(acknowledgement.note)
    case .expired(let number): line = "acknowledgement expired \(alarm(number))"
    case .closed(let number, let acknowledgement):
      line =
        "closed\(acknowledgement.map { " by \($0.name)" } ?? "") \(alarm(number))"
        + note(acknowledgement?.note ?? "")
    case .silenced(let silence):
      line = "silenced by \(silence.name): \(silence.zone)" + note(silence.note)
    case .silenceOver(let zone, _): line = "no longer silenced: \(zone)"
    case .clockStepped(let step):
      line = "clock stepped by \(Decimal.fixed(Double(step) / 1e9, 3)) s"
    }
    self.init(
      kind: .alarm, time: entry.time - start, fields: [("entry", .object(entry.members))],
      line: line)
  }
}

extension AlarmState {
  /// Returns the open or closed alarm with a number; `nil` if there is none.
  func all(_ number: UInt64) -> ZoneAlarm? { open[number] ?? closed.last { $0.number == number } }
}

/// Writes events in an output format.
final class EventLines {
  private let format: WarehouseFormat
  private let write: (String) -> Void
  private var isFirst = true

  init(_ format: WarehouseFormat, _ write: @escaping (String) -> Void) {
    (self.format, self.write) = (format, write)
  }

  func take(_ event: WarehouseEvent) {
    switch format {
    case .text: write(event.text + "\n")
    case .jsonl: write(event.json + "\n")
    case .json: write((isFirst ? "[\n" : ",\n") + event.json)
    }
    isFirst = false
  }

  /// Ends the output, which in the JSON format closes the array.
  func end() { if format == .json { write("\n]\n") } }
}

/// The output formats of a warehouse run.
public enum WarehouseFormat: String, Sendable, CaseIterable {
  /// Lines of text.
  case text
  /// One JSON object per line.
  case jsonl
  /// One JSON array that contains the same objects.
  case json
}
