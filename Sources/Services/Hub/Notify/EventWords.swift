package import Channels
package import HubCore
package import HubQueue
import Quantities
import Support
import Warehouse
import WarehouseRuns

/// Describes records of a hub in words.
package struct EventWords: Sendable {
  private let snapshot: HubSnapshot
  private let epoch: String
  private let file: String

  /// Creates the words for records of a hub.
  ///
  /// - Parameters:
  ///   - snapshot: The state of the hub, which contains the alarms of the records.
  ///   - epoch: The epoch of the queue.
  ///   - file: The path of the hub file, for the commands in messages.
  package init(_ snapshot: HubSnapshot, epoch: String, file: String) {
    (self.snapshot, self.epoch, self.file) = (snapshot, epoch, file)
  }

  /// The kinds of records that may be events.
  package static let kinds: Set<String> = [
    "alarm", "dropped", "channel", "hub", "storage", "receiver",
  ]

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
    let reason = "Reason: \(body["reason"]?.text ?? "unknown")"
    // A record of a failure, or of its end, which has no details.
    func change(
      _ topic: NotificationChannel.Topic, _ title: String, _ lines: [String], end: String
    ) -> NotificationEvent {
      ["failing", "lost"].contains(body["event"]?.text ?? "")
        ? event(topic, .alarm, title, lines) : event(topic, .information, end, [])
    }
    switch record.record.kind {
    case "dropped":
      let count = body["count"]?.whole(Int.self) ?? 0
      return event(
        .storage, .warning, "\("record".counted(count)) dropped for \(subject)",
        [
          "The queue exceeded its limit, because \(subject) has accepted no records for a long time."
        ])
    case "storage":
      return change(
        .storage, "the hub cannot store records",
        [
          reason,
          "It continues in memory; what it has not stored is lost if it ends. Check its disk.",
        ], end: "records are stored again")
    case "receiver":
      return change(
        .hub, "no readings are received",
        [reason, "Check what receives the tags: the radio, or the gateway and its connection."],
        end: "readings are received again")
    case "channel":
      return change(
        .channel, "the channel '\(subject)' fails",
        [reason, "Its messages wait until it works again."],
        end: "the channel '\(subject)' works again")
    case "hub":
      return change(
        .hub, "the hub '\(subject)' is lost",
        ["The broker reports that it is not connected. Its alarms do not arrive."],
        end: "the hub '\(subject)' is back")
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
          + ["Acknowledge: \(command(number))"], json)
      event.person = name
      if alarm?.key.cause == .missing, isWholeHubSilent {
        event.hint =
          "No tag of this hub sends data any more: first check its receiver (the radio, the gateway or its connection)."
      }
      return event
    case .returned(let number):
      let alarm = alarm(number)
      return event(
        .normal, of: alarm, number, alarm?.key.cause.end ?? "back to normal: ",
        ["Time: \(time)"]
          + (alarm.map { ["It lasted \(HubCore.duration(entry.time - $0.breachBegan))."] } ?? [])
          + (alarm?.phase == .returned
            ? ["It stays open until someone acknowledges it: \(command(number))"] : []),
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
      return NotificationEvent(
        topic: .clock, level: .warning,
        title: "the clock was set \(step < 0 ? "back" : "forward") by \(HubCore.duration(step))",
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
    var details = ["Number \(number), since \(LocalTime.text(alarm.breachBegan))"]
    if alarm.breaches > 1 {
      details.append(
        "Breach \(alarm.breaches) since \(LocalTime.text(alarm.began)), not acknowledged yet")
    }
    if alarm.key.cause.unit != nil {
      details.append("Worst value: \(alarm.key.cause.text(alarm.peak))")
    }
    let state = snapshot.tags.first { $0.tag.address == alarm.key.tag }
    if isActive, !alarm.lasts { details.append("It has ended since.") }
    if isActive, alarm.lasts, let state {
      if alarm.key.cause == .sensorFault, !state.quality.isEmpty {
        details.append("Its last reading: \(state.quality.words)")
      } else if let value = alarm.key.cause.quantity.flatMap({ state.values[$0] }) {
        details.append("Last value: \(alarm.key.cause.text(value))")
      }
    }
    return NotificationEvent(
      topic: topic, level: level,
      title: "\(prefix)\(name) in \(alarm.zone): \(alarm.key.cause.words(limit: alarm.rule.limit))",
      lines: details + lines, json: json, zone: alarm.zone)
  }

  /// The command that acknowledges an alarm.
  private func command(_ number: UInt64) -> String {
    ShellCommand.text(["aneroid", "hub", "ack", "\(number)", "--by", "NAME", "--config", file])
  }

  /// `true` if the hub has several tags, and all of them are silent.
  private var isWholeHubSilent: Bool {
    let silent = snapshot.alarmState.open.values.filter { $0.key.cause == .missing && $0.lasts }
    return snapshot.policy.tags.count > 1 && silent.count == snapshot.policy.tags.count
  }

  private func lines(_ acknowledgement: ZoneAlarm.Acknowledgement) -> [String] {
    var lines = ["By: \(acknowledgement.name)"]
    if !acknowledgement.note.isEmpty { lines.append("Note: \(acknowledgement.note)") }
    if let expires = acknowledgement.expires { lines.append("Until: \(LocalTime.text(expires))") }
    return lines
  }
}

extension TagQuality {
  /// The flags as people read them.
  fileprivate var words: String {
    let all: [(flag: TagQuality, words: String)] = [
      (.off, "all zeros, as from a sensor that is switched off"),
      (.silent, "all bits set, as if the sensor did not respond in the tag"),
      (.length, "a wrong length"), (.range, "an impossible value"),
      (.rate, "a change faster than that of air (\"fastest\")"),
    ]
    return all.filter { contains($0.flag) }.map(\.words).joined(separator: ", ")
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
