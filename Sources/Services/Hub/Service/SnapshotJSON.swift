import HubCore
import HubQueue
import Notify
import Quantities
import Support
import Warehouse
package import WarehouseRuns

/// The state of a hub as JSON, for clients and the web page.
package struct SnapshotJSON {
  let snapshot: HubSnapshot
  let positions: [String: HubSettings.Coordinates]
  let standings: [RecordQueue.Standing]
  /// `true` while the broker is connected; `nil` if no broker is configured.
  let isBrokerThere: Bool?
  let channels: [(NotificationChannel, Notifier.Health)]

  private var now: Int64 { snapshot.now }

  /// The complete state as text.
  var text: String {
    JSONValue.members([
      ("hub", JSONValue.string(snapshot.hub)),
      ("time", JSONValue.string(UTCTime.stamp(now, decimals: 3))),
      ("zones", JSONValue.array(snapshot.policy.zones.map(zone))),
      ("tags", JSONValue.array(snapshot.tags.map(tag))), ("alarms", alarms),
      ("people", JSONValue.array(people.map(JSONValue.string))),
      ("unreached", .array(unreached.map(JSONValue.string))),
      (
        "delivery",
        JSONValue.array(
          standings.map { standing in
            JSONValue.members([
              ("receiver", JSONValue.string(standing.receiver)),
              ("waiting", .integer(standing.waiting)), ("dropped", .integer(standing.dropped)),
              ("oldest", standing.oldest.map { JSONValue.string(UTCTime.stamp($0, decimals: 3)) }),
            ])
          })
      ),
      ("broker", isBrokerThere.map(JSONValue.bool)),
      (
        "channels",
        JSONValue.array(
          channels.map { channel, health in
            JSONValue.members([
              ("name", JSONValue.string(channel.name)), ("by", .string(channel.kind.rawValue)),
              ("sent", .integer(health.sent)), ("dropped", .integer(health.dropped)),
              ("failure", health.failure.map(JSONValue.string)),
            ])
          })
      ),
      ("clock_step", step),
      ("strangers", .integer(snapshot.counts.unexpected)),
      ("receiver", snapshot.receiver.map(JSONValue.string)),
      ("stranger_addresses", .array(snapshot.strangers.map(JSONValue.string))),
      ("unwritten", .integer(snapshot.counts.unwritten)), ("lost", .integer(snapshot.counts.lost)),
    ]).compact
  }

  private var people: [String] { snapshot.policy.onCall.people.map(\.name) }

  /// The people on duty whom no channel reaches; empty if a broker carries all records, to programs that may notify people.
  private var unreached: [String] {
    isBrokerThere != nil && channels.isEmpty
      ? [] : Self.unreached(people, by: channels.map { $0.0 })
  }

  /// Returns those among people whom no channel notifies of alarms.
  package static func unreached(
    _ people: [String], by channels: [NotificationChannel]
  ) -> [String] {
    let ofAlarms = channels.filter {
      $0.kind != .heartbeat && !$0.topics.isDisjoint(with: [.alarm, .escalation])
    }
    return people.filter { name in
      !ofAlarms.contains { $0.people.isEmpty || $0.people.contains(name) }
    }
  }

  /// The last step of the wall clock, if it was less than a day ago; otherwise `nil`.
  private var step: JSONValue? {
    guard let step = snapshot.alarmState.lastStep, now - step.time < 86_400_000_000_000 else {
      return nil
    }
    return JSONValue.members([
      ("time", JSONValue.string(UTCTime.stamp(step.time, decimals: 3))),
      ("by_s", JSONValue.rounded(Double(step.by) / 1e9, 3)),
    ])
  }

  /// The open alarms, the most severe first.
  var alarms: JSONValue {
    let open = snapshot.alarmState.open.values.sorted { one, other in
      (one.key.level, one.phase == .active ? 1 : 0, one.number)
        > (other.key.level, other.phase == .active ? 1 : 0, other.number)
    }
    return list(open)
  }

  /// Returns alarms as JSON.
  func list(_ alarms: some Sequence<ZoneAlarm>) -> JSONValue { .array(alarms.map(alarm)) }

  private func zone(_ zone: WarehousePolicy.Zone) -> JSONValue {
    let silence = snapshot.alarmState.silences[zone.name]
    return JSONValue.members([
      ("name", JSONValue.string(zone.name)),
      (
        "limits",
        .array(
          zone.rules.compactMap { rule in
            rule.cause.quantity.map { quantity in
              JSONValue.members([
                ("of", .string("\(quantity)")), ("level", .string(rule.level.rawValue)),
                ("value", .decimal(rule.limit)), ("is_high", .bool(rule.cause.isHigh)),
              ])
            }
          })
      ),
      ("silenced_until", silence.map { JSONValue.string(UTCTime.stamp($0.until, decimals: 3)) }),
      ("silenced_by", silence.map { JSONValue.string($0.name) }),
      ("note", silence.map { JSONValue.string($0.note) }),
    ])
  }

  private func tag(_ state: TagState) -> JSONValue {
    let position = positions[state.tag.address]
    let flags = state.quality.names.map(JSONValue.string)
    return JSONValue.members([
      ("address", JSONValue.string(state.tag.address)), ("name", JSONValue.string(state.tag.name)),
      ("zone", JSONValue.string(state.tag.zone)),
      ("x", position.map { JSONValue.rounded($0.x, 2) }),
      ("y", position.map { JSONValue.rounded($0.y, 2) }),
      ("model", state.kind.isEmpty ? nil : JSONValue.string(state.kind)),
      ("state", JSONValue.string(condition(of: state))),
      ("temperature_c", JSONValue.rounded(state.values.temperature, 2)),
      ("humidity_rh", JSONValue.rounded(state.values.humidity, 2)),
      ("pressure_pa", JSONValue.rounded(state.values.pressure, 1)),
      ("battery", state.battery.map { JSONValue.integer($0) }),
      ("rssi", state.rssi.map { JSONValue.integer($0) }),
      ("heard", state.lastReceived.map { JSONValue.string(UTCTime.stamp($0, decimals: 3)) }),
      ("age_s", state.lastReceived.map { JSONValue.integer(max(0, (now - $0) / 1_000_000_000)) }),
      ("approach", snapshot.approaches[state.tag.address].map(approach)),
      ("quality", flags.isEmpty ? nil : JSONValue.array(flags)),
      ("temperatures", trend(state, \.temperature)), ("humidities", trend(state, \.humidity)),
    ])
  }

  private func approach(_ approach: ApproachWatch.Approach) -> JSONValue {
    JSONValue.members([
      ("cause", .string(approach.rule.cause.rawValue)),
      ("level", .string(approach.rule.level.rawValue)),
      ("limit", .decimal(approach.rule.limit)), ("in_s", .integer(approach.seconds)),
    ])
  }

  private func trend(_ state: TagState, _ value: (AirReading) -> Double?) -> JSONValue {
    JSONValue.array(state.trend.compactMap { value($0).map { JSONValue.rounded($0, 2) } })
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

  private func alarm(_ alarm: ZoneAlarm) -> JSONValue {
    let tag = snapshot.policy.tags.first { $0.address == alarm.key.tag }
    let acknowledgement = alarm.acknowledgement.map { acknowledgement in
      JSONValue.members([
        ("name", JSONValue.string(acknowledgement.name)),
        ("note", JSONValue.string(acknowledgement.note)),
        ("time", JSONValue.string(UTCTime.stamp(acknowledgement.time, decimals: 3))),
        (
          "expires",
          acknowledgement.expires.map { JSONValue.string(UTCTime.stamp($0, decimals: 3)) }
        ),
      ])
    }
    return JSONValue.members([
      ("number", .integer(alarm.number)), ("tag", JSONValue.string(alarm.key.tag)),
      ("name", tag.map { JSONValue.string($0.name) }), ("zone", JSONValue.string(alarm.zone)),
      ("cause", JSONValue.string(alarm.key.cause.rawValue)),
      ("level", JSONValue.string(alarm.key.level.rawValue)),
      ("limit", JSONValue.rounded(alarm.rule.limit, 3)), ("peak", JSONValue.rounded(alarm.peak, 2)),
      ("phase", JSONValue.string(alarm.phase.rawValue)),
      ("began", JSONValue.string(UTCTime.stamp(alarm.began, decimals: 3))),
      ("breach_began", JSONValue.string(UTCTime.stamp(alarm.breachBegan, decimals: 3))),
      ("breaches", .integer(alarm.breaches)),
      ("raised", JSONValue.string(UTCTime.stamp(alarm.raised, decimals: 3))),
      ("returned", alarm.returned.map { JSONValue.string(UTCTime.stamp($0, decimals: 3)) }),
      ("closed", alarm.closed.map { JSONValue.string(UTCTime.stamp($0, decimals: 3)) }),
      ("acknowledged", acknowledgement),
      ("told", JSONValue.array(alarm.notifications.map { JSONValue.string($0.name) })),
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
