import HubCore
import HubQueue
import Quantities
import Warehouse

/// What Prometheus asks for, in its text format 0.0.4.
struct HubMetrics {
  let snapshot: HubSnapshot
  let standings: [RecordQueue.Standing]
  /// Whether the broker is there; `nil` where none is wanted.
  let isBrokerThere: Bool?

  /// The text.
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
      "warehouse_temperature_celsius", "gauge", "The last good temperature of a tag.",
      ofTags { $0.values.temperature.map { JSONText.number($0, 3) } })
    add(
      "warehouse_relative_humidity_ratio", "gauge", "The last good relative humidity, 0 to 1.",
      ofTags { $0.values.humidity.map { JSONText.number($0 * 0.01, 5) } })
    add(
      "warehouse_pressure_pascals", "gauge", "The last good pressure of a tag.",
      ofTags { $0.values.pressure.map { JSONText.number($0, 1) } })
    add(
      "warehouse_battery_ratio", "gauge", "The battery of a tag, 0 to 1.",
      ofTags { $0.battery.map { JSONText.number(Double($0) * 0.01, 2) } })
    add(
      "warehouse_rssi_dbm", "gauge", "How strongly a tag is heard.",
      ofTags { $0.rssi.map { "\($0)" } })
    add(
      "warehouse_last_seen_timestamp_seconds", "gauge", "When a tag was heard last, since 1970.",
      ofTags { $0.heard.map { JSONText.number(Double($0) / 1e9, 3) } })
    add(
      "warehouse_notifications_total", "counter", "Notifications of a tag.",
      ofTags { "\($0.count)" })
    hub(add)
    return lines.joined(separator: "\n") + "\n"
  }

  private func hub(_ add: (String, String, String, [(String, String)]) -> Void) {
    let open = snapshot.book.open.values
    add(
      "warehouse_alarms_open", "gauge", "Alarms that are open, by zone and level.",
      snapshot.policy.zones.flatMap { zone in
        AlarmLevel.allCases.map { level in
          let count = open.count { $0.zone == zone.name && $0.key.level == level }
          return (
            "{zone=\(Self.quoted(zone.name)),level=\(Self.quoted(level.rawValue))}", "\(count)"
          )
        }
      })
    add(
      "warehouse_alarms_raised_total", "counter", "Alarms that were ever raised.",
      [("", "\(snapshot.book.lastNumber)")])
    add(
      "warehouse_clock_steps_total", "counter", "Steps of the wall clock that were ever noticed.",
      [("", "\(snapshot.book.steps)")])
    let counts = snapshot.counts
    add(
      "warehouse_flagged_total", "counter", "Notifications whose values are not believed.",
      [("", "\(counts.flagged)")])
    add(
      "warehouse_strangers_total", "counter", "Notifications of tags that nobody expects.",
      [("", "\(counts.strangers)")])
    add(
      "warehouse_commands_total", "counter", "Commands, by whether they were obeyed.",
      [("{result=\"obeyed\"}", "\(counts.obeyed)"), ("{result=\"refused\"}", "\(counts.refused)")])
    add(
      "warehouse_queue_waiting", "gauge", "Records that wait for a receiver.",
      standings.map { ("{receiver=\(Self.quoted($0.receiver))}", "\($0.waiting)") })
    add(
      "warehouse_queue_dropped_total", "counter", "Records given up since too much waited.",
      standings.map { ("{receiver=\(Self.quoted($0.receiver))}", "\($0.dropped)") })
    add(
      "warehouse_queue_oldest_timestamp_seconds", "gauge", "When the oldest that waits happened.",
      standings.compactMap { standing in
        standing.oldest.map {
          (
            "{receiver=\(Self.quoted(standing.receiver))}",
            JSONText.number(Double($0) / 1e9, 3)
          )
        }
      })
    add(
      "warehouse_unwritten_records", "gauge", "Records that the disk has not taken yet.",
      [("", "\(counts.unwritten)")])
    if let isBrokerThere {
      add(
        "warehouse_broker_connected", "gauge", "Whether the broker is there.",
        [("", isBrokerThere ? "1" : "0")])
    }
  }

  private static func labels(_ state: TagState) -> String {
    "{tag=\(quoted(state.tag.address)),name=\(quoted(state.tag.name)),zone=\(quoted(state.tag.zone))}"
  }

  /// A label's value: backslash, quotation mark and line feed are escaped.
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
