import HubCore
import HubQueue
import Notify
import Quantities
import Support
import Warehouse
import WarehouseRuns

/// The hub's metrics for Prometheus, in text format 0.0.4.
struct HubMetrics {
  let snapshot: HubSnapshot
  let standings: [RecordQueue.Standing]
  /// `true` while the broker is connected; `nil` if no broker is configured.
  let isBrokerThere: Bool?
  let channels: [(NotificationChannel, Notifier.Health)]

  /// The metrics as text.
  var text: String {
    var lines: [String] = []
    func add(_ name: String, _ type: String, _ help: String, _ samples: [(String, String)]) {
      guard !samples.isEmpty else { return }
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
      lines += samples.map { "\(name)\($0.0) \($0.1)" }
    }
    func ofTags(_ value: (TagState) -> String?) -> [(String, String)] {
      snapshot.tags.compactMap { tag in value(tag).map { (Self.labels(tag), $0) } }
    }
    add(
      "warehouse_temperature_celsius", "gauge", "Last valid temperature of a tag.",
      ofTags { $0.values.temperature.map { Decimal.rounded($0, 3) } })
    add(
      "warehouse_relative_humidity_ratio", "gauge",
      "Last valid relative humidity of a tag, 0 to 1.",
      ofTags { $0.values.humidity.map { Decimal.rounded($0 * 0.01, 5) } })
    add(
      "warehouse_pressure_pascals", "gauge", "Last valid pressure of a tag.",
      ofTags { $0.values.pressure.map { Decimal.rounded($0, 1) } })
    add(
      "warehouse_battery_ratio", "gauge", "Battery level of a tag, 0 to 1.",
      ofTags { $0.battery.map { Decimal.rounded(Double($0) * 0.01, 2) } })
    add(
      "warehouse_rssi_dbm", "gauge", "Received signal strength of a tag.",
      ofTags { $0.rssi.map { "\($0)" } })
    add(
      "warehouse_last_seen_timestamp_seconds", "gauge",
      "Time of the last reading of a tag, since 1970.",
      ofTags { $0.lastReceived.map { Decimal.rounded(Double($0) / 1e9, 3) } })
    add(
      "warehouse_notifications_total", "counter", "Notifications of a tag.",
      ofTags { "\($0.count)" })
    hub(add)
    ofChannels(add)
    return lines.joined(separator: "\n") + "\n"
  }

  private func hub(_ add: (String, String, String, [(String, String)]) -> Void) {
    let open = snapshot.alarmState.open.values
    add(
      "warehouse_alarms_open", "gauge", "Open alarms by zone and level.",
      snapshot.policy.zones.flatMap { zone in
        AlarmLevel.allCases.map { level in
          let count = open.count { $0.zone == zone.name && $0.key.level == level }
          return (
            "{zone=\(Self.quoted(zone.name)),level=\(Self.quoted(level.rawValue))}", "\(count)"
          )
        }
      })
    add(
      "warehouse_alarms_raised_total", "counter", "Alarms raised since the queue was created.",
      [("", "\(snapshot.alarmState.lastNumber)")])
    add(
      "warehouse_clock_steps_total", "counter",
      "Steps of the wall clock since the queue was created.",
      [("", "\(snapshot.alarmState.steps)")])
    let counts = snapshot.counts
    add(
      "warehouse_flagged_total", "counter", "Notifications with invalid values.",
      [("", "\(counts.flagged)")])
    add(
      "warehouse_strangers_total", "counter", "Notifications of unexpected tags.",
      [("", "\(counts.unexpected)")])
    add(
      "warehouse_commands_total", "counter", "Commands by result.",
      [
        ("{result=\"obeyed\"}", "\(counts.executed)"),
        ("{result=\"refused\"}", "\(counts.rejected)"),
      ])
    add(
      "warehouse_queue_waiting", "gauge", "Records waiting for a receiver.",
      standings.map { ("{receiver=\(Self.quoted($0.receiver))}", "\($0.waiting)") })
    add(
      "warehouse_queue_dropped_total", "counter",
      "Records dropped because a queue limit was exceeded.",
      standings.map { ("{receiver=\(Self.quoted($0.receiver))}", "\($0.dropped)") })
    add(
      "warehouse_queue_oldest_timestamp_seconds", "gauge", "Time of the oldest waiting record.",
      standings.compactMap { standing in
        standing.oldest.map {
          (
            "{receiver=\(Self.quoted(standing.receiver))}",
            Decimal.rounded(Double($0) / 1e9, 3)
          )
        }
      })
    add(
      "warehouse_unwritten_records", "gauge", "Records that are not stored yet.",
      [("", "\(counts.unwritten)")])
    if let isBrokerThere {
      add(
        "warehouse_broker_connected", "gauge", "Whether the broker is connected.",
        [("", isBrokerThere ? "1" : "0")])
    }
  }

  private func ofChannels(_ add: (String, String, String, [(String, String)]) -> Void) {
    func samples(_ value: (Notifier.Health) -> Int) -> [(String, String)] {
      channels.map { ("{channel=\(Self.quoted($0.0.name))}", "\(value($0.1))") }
    }
    add(
      "warehouse_channel_failing", "gauge", "Whether a notification channel fails.",
      samples { $0.failure == nil ? 0 : 1 })
    add(
      "warehouse_messages_total", "counter", "Messages that a notification channel sent.",
      samples { $0.sent })
  }

  private static func labels(_ state: TagState) -> String {
    "{tag=\(quoted(state.tag.address)),name=\(quoted(state.tag.name)),zone=\(quoted(state.tag.zone))}"
  }

  /// Returns a label value with escaped backslashes, quotation marks and line feeds.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for character in text {
      switch character {
      case "\\": quoted += "\\\\"
      case "\"": quoted += "\\\""
      case "\n": quoted += "\\n"
      default: quoted.append(character)
      }
    }
    return quoted + "\""
  }
}
