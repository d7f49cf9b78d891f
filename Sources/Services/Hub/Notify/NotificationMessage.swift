import Glibc
package import HubCore
package import HubQueue
import Support
import Warehouse
package import WarehouseRuns

/// An event of a hub in words, as channels report it.
package struct NotificationEvent: Sendable, Equatable {
  /// The severity, which determines the priority of a push message.
  package enum Level: Int, Sendable, Comparable {
    case information, warning, alarm

    package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }

    /// The word in messages and in the JSON of a webhook.
    package var word: String { ["information", "warning", "alarm"][rawValue] }
  }

  package let topic: NotificationChannel.Topic
  package let level: Level
  /// The event as one short sentence, and its details as lines.
  package let title: String, lines: [String]
  /// The record as JSON; empty for a test.
  package let json: String
  /// The zone of the alarm, and the person who is notified; `nil` for other events.
  package var zone: String?, person: String?

  /// Creates an event; names from outside cannot add lines to it.
  init(
    topic: NotificationChannel.Topic, level: Level, title: String, lines: [String], json: String,
    zone: String? = nil
  ) {
    (self.topic, self.level, self.json, self.zone) = (topic, level, json, zone)
    (self.title, self.lines) = (title.visible, lines.map(\.visible))
  }
}

/// Describes records of a hub in words.
package struct EventWords: Sendable {
  private let snapshot: HubSnapshot
  private let epoch: String

  /// Creates the words for records of a hub.
  ///
  /// - Parameters:
  ///   - snapshot: The state of the hub, which contains the alarms of the records.
  ///   - epoch: The epoch of the queue.
  package init(_ snapshot: HubSnapshot, epoch: String) {
    (self.snapshot, self.epoch) = (snapshot, epoch)
  }

  /// The kinds of records that may be events.
  package static let kinds: Set<String> = ["alarm", "dropped", "channel", "hub"]

  /// Returns the event in a record; `nil` if people need not know of it.
  ///
  /// - Parameters:
  ///   - record: The record.
  ///   - isEscalation: `true` for a notification that follows another one of the same breach.
  /// - Returns: The event.
  package func event(_ record: QueuedRecord, isEscalation: Bool = false) -> NotificationEvent? {
    let json = record.json(hub: snapshot.hub, epoch: epoch)
    let time = LocalTime.text(record.record.time)
    func event(
      _ topic: NotificationChannel.Topic, _ level: NotificationEvent.Level, _ title: String,
      _ lines: [String]
    ) -> NotificationEvent {
      NotificationEvent(
        topic: topic, level: level, title: title, lines: lines + ["Time: \(time)"], json: json)
    }
    if record.record.kind == "alarm" {
      return AlarmLog.entry(record.record).flatMap { alarmEvent($0, time, json, isEscalation) }
    }
    guard let body = JSONValue(reading: Array(record.record.body.utf8)) else { return nil }
    let subject = record.record.key
    switch record.record.kind {
    case "dropped":
      let count = body["count"]?.whole(Int.self) ?? 0
      return event(
        .storage, .warning, "\("record".counted(count)) dropped for \(subject)",
        [
          "The queue exceeded its limit, because \(subject) has accepted no records for a long time."
        ])
    case "channel":
      guard body["event"]?.text == "failing" else {
        return event(.channel, .information, "the channel '\(subject)' works again", [])
      }
      return event(
        .channel, .alarm, "the channel '\(subject)' fails",
        ["Reason: \(body["reason"]?.text ?? "unknown")", "Its messages wait until it works again."])
    case "hub":
      guard body["event"]?.text == "lost" else {
        return event(.hub, .information, "the hub '\(subject)' is back", [])
      }
      return event(
        .hub, .alarm, "the hub '\(subject)' is lost",
        ["The broker reports that it is not connected. Its alarms do not arrive."])
    default: return nil
    }
  }

  private func alarmEvent(
    _ entry: AlarmEntry, _ time: String, _ json: String, _ isEscalation: Bool
  ) -> NotificationEvent? {
    switch entry.event {
    case .notified(let number, let name):
      let alarm = alarm(number)
      let isFirst = !isEscalation
      var event = event(
        isFirst ? .alarm : .escalation, of: alarm, number, isFirst ? "" : "not acknowledged: ",
        (isFirst ? ["Notified: \(name)"] : ["Now notified: \(name)"])
          + ["Acknowledge: aneroid hub ack \(number) --by NAME"], json)
      event.person = name
      return event
    case .returned(let number):
      let alarm = alarm(number)
      return event(
        .normal, of: alarm, number, alarm?.key.cause.end ?? "back to normal: ", ["Time: \(time)"],
        json)
    case .acknowledged(let number, let acknowledgement):
      return event(
        .action, of: alarm(number), number, "acknowledged: ", lines(acknowledgement), json)
    case .closed(let number, let acknowledgement?):
      return event(.action, of: alarm(number), number, "closed: ", lines(acknowledgement), json)
    case .silenced(let silence):
      return NotificationEvent(
        topic: .action, level: .information, title: "the zone '\(silence.zone)' is silenced",
        lines: [
          "Until: \(LocalTime.text(silence.until))", "By: \(silence.name)",
        ] + (silence.note.isEmpty ? [] : ["Note: \(silence.note)"]), json: json, zone: silence.zone)
    case .silenceOver(let zone, _):
      return NotificationEvent(
        topic: .action, level: .information, title: "the zone '\(zone)' is no longer silenced",
        lines: ["Time: \(time)"], json: json, zone: zone)
    case .clockStepped(let step):
      let seconds = Decimal.rounded(Double(abs(step)) / 1e9, 3)
      return NotificationEvent(
        topic: .clock, level: .warning,
        title: "the clock was set \(step < 0 ? "back" : "forward") by \(seconds) s",
        lines: [
          "Time: \(time)",
          "Alarms are not affected; times before and after are of different clocks.",
        ], json: json)
    case .breach, .breachOver, .heldBack, .raised, .again, .worse, .expired, .closed: return nil
    }
  }

  private func alarm(_ number: UInt64) -> ZoneAlarm? {
    snapshot.alarmState.open[number] ?? snapshot.alarmState.closed.last { $0.number == number }
  }

  private func event(
    _ topic: NotificationChannel.Topic, of alarm: ZoneAlarm?, _ number: UInt64, _ prefix: String,
    _ lines: [String],
    _ json: String
  ) -> NotificationEvent {
    guard let alarm else {
      return NotificationEvent(
        topic: topic, level: .warning, title: "\(prefix)alarm \(number)", lines: lines, json: json)
    }
    let tag = snapshot.policy.tags.first { $0.address == alarm.key.tag }
    let name = tag?.name ?? alarm.key.tag
    let isActive = topic == .alarm || topic == .escalation
    let level: NotificationEvent.Level =
      isActive ? (alarm.key.level == .alarm ? .alarm : .warning) : .information
    var details = [
      "Number \(number), since \(LocalTime.text(alarm.began))"
    ]
    if alarm.key.cause.unit != nil {
      details.append("Worst value: \(alarm.key.cause.text(alarm.peak))")
    }
    if isActive, !alarm.lasts { details.append("It has ended since.") }
    return NotificationEvent(
      topic: topic, level: level,
      title: "\(prefix)\(name) in \(alarm.zone): \(alarm.key.cause.words(limit: alarm.rule.limit))",
      lines: details + lines, json: json, zone: alarm.zone)
  }

  private func lines(_ acknowledgement: ZoneAlarm.Acknowledgement) -> [String] {
    var lines = ["By: \(acknowledgement.name)"]
    if !acknowledgement.note.isEmpty { lines.append("Note: \(acknowledgement.note)") }
    if let expires = acknowledgement.expires { lines.append("Until: \(LocalTime.text(expires))") }
    return lines
  }
}

extension AlarmCause {
  /// The unit of the limit; `nil` for causes without a value.
  fileprivate var unit: String? {
    switch self {
    case .temperatureLow, .temperatureHigh: "°C"
    case .humidityLow, .humidityHigh, .batteryLow: "%"
    case .pressureLow, .pressureHigh: "Pa"
    case .missing, .sensorFault: nil
    }
  }

  /// The start of a message about the end of an alarm.
  fileprivate var end: String {
    switch self {
    case .missing: "data again, after: "
    case .sensorFault: "valid readings again, after: "
    default: "back to normal: "
    }
  }

  fileprivate func text(_ value: Double) -> String {
    Decimal.rounded(value, 2) + (unit.map { " \($0)" } ?? "")
  }

  /// Returns the cause in words, with its limit.
  fileprivate func words(limit: Double) -> String {
    switch self {
    case .sensorFault: return "the sensor is faulty"
    case .missing: return "no data for \(Decimal.rounded(limit, 3)) periods"
    default:
      let subject = rawValue.prefix { $0 != "-" }
      return "\(subject) \(isHigh ? "above" : "below") \(Decimal.rounded(limit, 3)) \(unit ?? "")"
    }
  }
}

/// A message that a channel sends: one event, or several in one message.
package struct NotificationMessage: Sendable, Equatable {
  /// The maximum number of events whose details a message contains.
  static let mostDetailed = 20

  package let hub: String
  package let level: NotificationEvent.Level
  package let title: String, text: String
  /// The records as JSON.
  package let events: [String]
  /// The URL for the reader; `nil` for none.
  package let link: String?

  /// Creates a message of events, of which there is at least one; the most severe come first.
  package init(_ events: [NotificationEvent], hub: String, link: String?) {
    let sorted = events.enumerated().sorted {
      ($1.element.level.rawValue, $0.offset) < ($0.element.level.rawValue, $1.offset)
    }.map(\.element)
    (self.hub, self.link) = (hub, link)
    level = sorted.first?.level ?? .information
    self.events = events.map(\.json).filter { !$0.isEmpty }
    let sign = Self.sign(level)
    if sorted.count == 1, let event = sorted.first {
      title = sign + event.title
    } else {
      title = sign + "\("event".counted(sorted.count)), first: \(sorted.first?.title ?? "")"
    }
    var blocks = sorted.prefix(Self.mostDetailed).map { event in
      ([Self.sign(event.level) + event.title] + event.lines).joined(separator: "\n")
    }
    let rest = sorted.count - blocks.count
    if rest > 0 { blocks.append("and \("event".counted(rest)) more; see 'aneroid hub log'") }
    if let link { blocks.append(link) }
    text = blocks.joined(separator: "\n\n") + "\n\nHub: \(hub)"
  }

  private static func sign(_ level: NotificationEvent.Level) -> String {
    switch level {
    case .alarm: "ALARM: "
    case .warning: "Warning: "
    case .information: ""
    }
  }

  /// The message of `aneroid hub notify --test`.
  package static func test(hub: String, channel: String, link: String?) -> NotificationMessage {
    NotificationMessage(
      [
        NotificationEvent(
          topic: .channel, level: .information, title: "test of the channel '\(channel)'",
          lines: [
            "If you read this, messages of the hub reach you.",
            "Time: \(LocalTime.text(LocalTime.now))",
          ],
          json: "")
      ], hub: hub, link: link)
  }
}

/// Times of day in the time zone of the machine.
enum LocalTime {
  /// The time of the wall clock in nanoseconds since 1970.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns a time in nanoseconds since 1970 as `2026-01-31 18:05:00 +0100`.
  static func text(_ time: Int64) -> String { format(time, "%Y-%m-%d %H:%M:%S %z") }

  /// Returns a time as the Date field of mail (RFC 5322, section 3.3).
  static func mail(_ time: Int64) -> String { format(time, "%a, %d %b %Y %H:%M:%S %z") }

  /// Returns the minute of the local day.
  static func minute(_ time: Int64) -> Int {
    let parts = parts(time)
    return Int(parts.tm_hour) * 60 + Int(parts.tm_min)
  }

  private static func parts(_ time: Int64) -> tm {
    var seconds = time_t(time / 1_000_000_000 - (time % 1_000_000_000 < 0 ? 1 : 0))
    var parts = tm()
    localtime_r(&seconds, &parts)
    return parts
  }

  private static func format(_ time: Int64, _ pattern: String) -> String {
    var parts = parts(time)
    var bytes = [CChar](repeating: 0, count: 64)
    let count = strftime(&bytes, bytes.count, pattern, &parts)
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
