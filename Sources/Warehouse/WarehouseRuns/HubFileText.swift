import Quantities
import Support
import Warehouse

/// The generated hub file for the hub of a rig.
struct HubFileText {
  let rig: WarehouseRig
  /// The Bumble transport that the hub uses for its radio.
  let transport: String
  /// The loopback port of the broker.
  let broker: Int

  /// The text of the file.
  var text: String {
    var lines = ["hub: \(quoted(rig.policy.hub))", "zones:"]
    for zone in rig.policy.zones {
      lines.append("  - name: \(quoted(zone.name))")
      if !zone.rules.isEmpty {
        lines.append("    limits:")
        lines += zone.rules.compactMap(limit)
      }
      if let storage = zone.storage { lines.append("    storage: \(storage.name)") }
    }
    lines.append("tags:")
    for tag in rig.policy.tags {
      lines.append(
        "  - {address: \"\(tag.address)\", name: \(quoted(tag.name)), zone: \(quoted(tag.zone)), "
          + "period: \(tag.period)ns}")
    }
    let people = rig.policy.onCall.people.map { quoted($0.name) }.joined(separator: ", ")
    let period = rig.tags.map(\.period).min() ?? 1_000_000_000
    return
      (lines + [
        "duty: {people: [\(people)], escalate: \(rig.policy.onCall.escalateAfter)ns}",
        "link: {transport: \(quoted(transport)), connections: \(rig.roundRobin.connections), "
          + "stay: \(max(rig.roundRobin.stay, 1_000_000_000))ns, period: \(period)ns"
          + rig.times.given.map { ", \($0.key): \($0.time)ns" }.joined() + "}",
        "mqtt: {host: 127.0.0.1, port: \(broker), keep_alive: 5s, confirm: "
          + "\(rig.isConfirmedByReceiver ? "receiver" : "broker")}",
        "queue: {file: hub.sqlite}", "page: {listen: \"127.0.0.1:0\", token_file: hub.token}",
        "commands: {allowed: [acknowledge, silence, end-silence, close]}", "",
      ]).joined(separator: "\n")
  }

  private func quoted(_ text: String) -> String { JSONValue.string(text).compact }

  private func limit(_ rule: AlarmRule) -> String? {
    guard let quantity = rule.cause.quantity else { return nil }
    let unit =
      switch quantity {
      case .temperature: "C"
      case .humidity: "%"
      case .pressure: "Pa"
      }
    return
      "      - {of: \(quantity), level: \(rule.level.rawValue), \(rule.cause.isHigh ? "high" : "low"): "
      + "\(Decimal.shortest(rule.limit))\(unit), delay: \(rule.onDelay)ns, "
      + "hysteresis: \(Decimal.shortest(rule.hysteresis))\(unit)}"
  }
}

extension HubCommand {
  /// The JSON document with which a hub receives this command.
  var json: String {
    var fields: [(key: String, value: JSONValue)]
    func seconds(_ duration: Int64) -> JSONValue { .seconds(UInt64(max(duration, 0))) }
    switch self {
    case .acknowledge(let alarm, let name, let note, let duration):
      fields = [
        ("command", .string("acknowledge")), ("alarm", .integer(alarm)), ("name", .string(name)),
        ("note", .string(note)),
      ]
      if let duration { fields.append(("for_s", seconds(duration))) }
    case .silence(let zone, let name, let note, let duration):
      fields = [
        ("command", .string("silence")), ("zone", .string(zone)), ("name", .string(name)),
        ("note", .string(note)), ("for_s", seconds(duration)),
      ]
    case .endSilence(let zone, let name):
      fields = [
        ("command", .string("end-silence")), ("zone", .string(zone)), ("name", .string(name)),
      ]
    case .close(let alarm, let name, let note):
      fields = [
        ("command", .string("close")), ("alarm", .integer(alarm)), ("name", .string(name)),
        ("note", .string(note)),
      ]
    }
    return JSONValue.object(fields).compact
  }
}
