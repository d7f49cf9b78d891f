import HubCore
import HubQueue
import Quantities
import Warehouse
import WarehouseRuns

/// The state of a hub as JSON, for clients and the web page.
struct SnapshotJSON {
  let snapshot: HubSnapshot
  let positions: [String: HubSettings.Coordinates]
  let standings: [RecordQueue.Standing]
  /// `true` while the broker is connected; `nil` if no broker is configured.
  let isBrokerThere: Bool?

  private var now: Int64 { snapshot.now }

  /// The complete state as text.
  var text: String {
    JSONText.object([
      ("hub", JSONText.quoted(snapshot.hub)), ("time", JSONText.quoted(UTCStamp.text(now))),
      ("zones", JSONText.array(snapshot.policy.zones.map(zone))),
      ("tags", JSONText.array(snapshot.tags.map(tag))), ("alarms", alarms),
      ("people", JSONText.array(snapshot.policy.onCall.people.map { JSONText.quoted($0.name) })),
      (
        "delivery",
        JSONText.array(
          standings.map { standing in
            JSONText.object([
              ("receiver", JSONText.quoted(standing.receiver)),
              ("waiting", "\(standing.waiting)"), ("dropped", "\(standing.dropped)"),
              ("oldest", standing.oldest.map { JSONText.quoted(UTCStamp.text($0)) }),
            ])
          })
      ),
      ("broker", isBrokerThere.map { $0 ? "true" : "false" }),
      ("clock_step", step),
      ("strangers", "\(snapshot.counts.unexpected)"),
      ("unwritten", "\(snapshot.counts.unwritten)"), ("lost", "\(snapshot.counts.lost)"),
    ])
  }

  /// The last step of the wall clock, if it was less than a day ago; otherwise `nil`.
  private var step: String? {
    guard let step = snapshot.alarmState.lastStep, now - step.time < 86_400_000_000_000 else {
      return nil
    }
    return JSONText.object([
      ("time", JSONText.quoted(UTCStamp.text(step.time))),
      ("by_s", JSONText.number(Double(step.by) / 1e9, 3)),
    ])
  }

  /// The open alarms, the most severe first.
  var alarms: String {
    let open = snapshot.alarmState.open.values.sorted { one, other in
      (one.key.level, one.phase == .active ? 1 : 0, one.number)
        > (other.key.level, other.phase == .active ? 1 : 0, other.number)
    }
    return JSONText.array(open.map(alarm))
  }

  private func zone(_ zone: WarehousePolicy.Zone) -> String {
    let silence = snapshot.alarmState.silences[zone.name]
    return JSONText.object([
      ("name", JSONText.quoted(zone.name)),
      ("silenced_until", silence.map { JSONText.quoted(UTCStamp.text($0.until)) }),
      ("silenced_by", silence.map { JSONText.quoted($0.name) }),
      ("note", silence.map { JSONText.quoted($0.note) }),
    ])
  }

  private func tag(_ state: TagState) -> String {
    let position = positions[state.tag.address]
    let flags = state.quality.names.map(JSONText.quoted)
    return JSONText.object([
      ("address", JSONText.quoted(state.tag.address)), ("name", JSONText.quoted(state.tag.name)),
      ("zone", JSONText.quoted(state.tag.zone)),
      ("x", position.map { JSONText.number($0.x, 2) }),
      ("y", position.map { JSONText.number($0.y, 2) }),
      ("model", state.kind.isEmpty ? nil : JSONText.quoted(state.kind)),
      ("state", JSONText.quoted(condition(of: state))),
      ("temperature_c", JSONText.number(state.values.temperature, 2)),
      ("humidity_rh", JSONText.number(state.values.humidity, 2)),
      ("pressure_pa", JSONText.number(state.values.pressure, 1)),
      ("battery", state.battery.map { "\($0)" }), ("rssi", state.rssi.map { "\($0)" }),
      ("heard", state.lastReceived.map { JSONText.quoted(UTCStamp.text($0)) }),
      ("age_s", state.lastReceived.map { "\(max(0, (now - $0) / 1_000_000_000))" }),
      ("quality", flags.isEmpty ? nil : JSONText.array(flags)),
      ("temperatures", trend(state, \.temperature)), ("humidities", trend(state, \.humidity)),
    ])
  }

  private func trend(_ state: TagState, _ value: (AirReading) -> Double?) -> String {
    JSONText.array(state.trend.compactMap { value($0).map { JSONText.number($0, 2) } })
  }

  /// Returns the state of a tag: `alarm`, `warning`, `lost`, `fault`, `pending` for a breach whose
  /// delay has not elapsed, `waiting` before the first reading since the start, or `ok`.
  private func condition(of state: TagState) -> String {
    let alarms = snapshot.alarmState.open.values.filter {
      $0.key.tag == state.tag.address && $0.lasts
    }
    // Closing the no-data alarm of a silent tag does not make the tag available.
    if snapshot.closedAsLost.contains(state.tag.address)
      || alarms.contains(where: { $0.key.cause == .missing })
    {
      return "lost"
    }
    if alarms.contains(where: { $0.key.cause == .sensorFault }) { return "fault" }
    if alarms.contains(where: { $0.key.level == .alarm }) { return "alarm" }
    if !alarms.isEmpty { return "warning" }
    if snapshot.alarmState.pending.keys.contains(where: { $0.tag == state.tag.address }) {
      return "pending"
    }
    return state.count == 0 ? "waiting" : "ok"
  }

  private func alarm(_ alarm: ZoneAlarm) -> String {
    let tag = snapshot.policy.tags.first { $0.address == alarm.key.tag }
    let acknowledgement = alarm.acknowledgement.map { acknowledgement in
      JSONText.object([
        ("name", JSONText.quoted(acknowledgement.name)),
        ("note", JSONText.quoted(acknowledgement.note)),
        ("time", JSONText.quoted(UTCStamp.text(acknowledgement.time))),
        ("expires", acknowledgement.expires.map { JSONText.quoted(UTCStamp.text($0)) }),
      ])
    }
    return JSONText.object([
      ("number", "\(alarm.number)"), ("tag", JSONText.quoted(alarm.key.tag)),
      ("name", tag.map { JSONText.quoted($0.name) }), ("zone", JSONText.quoted(alarm.zone)),
      ("cause", JSONText.quoted(alarm.key.cause.rawValue)),
      ("level", JSONText.quoted(alarm.key.level.rawValue)),
      ("limit", JSONText.number(alarm.rule.limit, 3)), ("peak", JSONText.number(alarm.peak, 2)),
      ("phase", JSONText.quoted(alarm.phase.rawValue)),
      ("began", JSONText.quoted(UTCStamp.text(alarm.began))),
      ("raised", JSONText.quoted(UTCStamp.text(alarm.raised))),
      ("returned", alarm.returned.map { JSONText.quoted(UTCStamp.text($0)) }),
      ("acknowledged", acknowledgement),
      ("told", JSONText.array(alarm.notifications.map { JSONText.quoted($0.name) })),
    ])
  }
}

/// The open and closed alarms in the log of a queue.
enum AlarmHistory {
  /// Returns the alarms, sorted by number.
  ///
  /// - Throws: An SQLite error.
  static func alarms(of queue: RecordQueue) throws -> [ZoneAlarm] {
    var alarmState = AlarmState()
    var closed: [ZoneAlarm] = []
    var after: Int64 = 0
    while true {
      let records = try queue.history(
        kind: "alarm", from: 0, to: .max, after: after, limit: 10_000)
      guard let last = records.last else { break }
      for entry in records.compactMap({ AlarmLog.entry($0.record) }) {
        alarmState.apply(entry)
        // The alarm state keeps only a limited number of closed alarms, so each one is collected as
        // soon as it closes.
        guard case .closed(let number, _) = entry.event, let alarm = alarmState.closed.last,
          alarm.number == number, closed.last != alarm
        else { continue }
        closed.append(alarm)
      }
      after = last.sequence
    }
    return (closed + alarmState.open.values).sorted { $0.number < $1.number }
  }
}
