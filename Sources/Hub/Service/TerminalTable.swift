import Foundation

/// What a hub says of itself, as a table for a terminal: alarms first, then tags by zone.
package struct TerminalTable {
  private let hub: [String: Any]
  private let width: Int
  private let isColoured: Bool

  /// Creates it.
  ///
  /// - Parameters:
  ///   - hub: what `/v1/hub` answers.
  ///   - width: how many characters a line may have.
  ///   - isColoured: whether states have colours besides their signs and words.
  package init(hub: [String: Any], width: Int, isColoured: Bool) {
    (self.hub, self.width, self.isColoured) = (hub, width, isColoured)
  }

  /// The signs of the states and their colours (256 of them, those of Okabe and Ito as near as can be).
  private static let states: [String: (sign: String, words: String, colour: Int)] = [
    "ok": ("●", "ok", 36), "warning": ("▲", "warning", 178), "alarm": ("■", "ALARM", 202),
    "lost": ("✕", "not heard", 75), "fault": ("◆", "fault", 175), "waiting": ("○", "waiting", 245),
  ]
  private static let order = ["alarm", "fault", "lost", "warning", "waiting", "ok"]

  /// The table.
  package var text: String {
    let alarms = hub["alarms"] as? [[String: Any]] ?? []
    var lines = ["Warehouse \(Self.text(hub["hub"]))  \(Self.text(hub["time"]))"]
    lines.append(contentsOf: alarms.isEmpty ? ["no alarm is open"] : alarms.map(line))
    for zone in hub["zones"] as? [[String: Any]] ?? [] {
      lines.append("")
      let silence = zone["silenced_until"].map { "  (silenced until \(Self.text($0)))" } ?? ""
      lines.append(Self.text(zone["name"]) + silence)
      lines.append(contentsOf: tags(of: Self.text(zone["name"])).map(row))
    }
    for one in hub["delivery"] as? [[String: Any]] ?? [] {
      lines.append("")
      lines.append(
        "\(Self.text(one["receiver"])): \(Self.text(one["waiting"])) records wait, "
          + "\(Self.text(one["dropped"])) given up")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func tags(of zone: String) -> [[String: Any]] {
    let tags = (hub["tags"] as? [[String: Any]] ?? []).filter { Self.text($0["zone"]) == zone }
    return tags.enumerated().sorted { one, other in
      let places = [one, other].map { tag in
        Self.order.firstIndex(of: Self.text(tag.element["state"])) ?? 9
      }
      return (places[0], one.offset) < (places[1], other.offset)
    }.map(\.element)
  }

  private func row(_ tag: [String: Any]) -> String {
    let state = Self.states[Self.text(tag["state"])] ?? ("?", "?", 245)
    let word = coloured("\(state.sign) \(Self.padded(state.words, 9))", state.colour)
    let values: String =
      Self.padded(Self.number(tag["temperature_c"], 1, "°C"), 8, isRight: true)
      + Self.padded(Self.number(tag["humidity_rh"], 0, "%"), 8, isRight: true)
    let battery: String = tag["battery"].map { Self.text($0) + " %" } ?? ""
    let signal: String = tag["rssi"].map { Self.text($0) + " dBm" } ?? ""
    let heard: String = tag["age_s"].map { Self.text($0) + " s ago" } ?? "never heard"
    let temperatures = (tag["temperatures"] as? [Any] ?? []).compactMap { $0 as? Double }
    let curve = Self.sparkline(temperatures, width: max(8, min(30, width - 76)))
    let name = Self.padded(Self.text(tag["name"]), 16)
    let columns: [String] = [
      "  ", word, " ", name, values, "  ", curve, Self.padded(battery, 6, isRight: true),
      Self.padded(signal, 9, isRight: true), "  ", heard,
    ]
    return columns.joined()
  }

  private func line(_ alarm: [String: Any]) -> String {
    let isAlarm = Self.text(alarm["level"]) == "alarm"
    return coloured(Self.line(of: alarm), isAlarm ? 202 : 178)
  }

  /// An alarm on one line.
  package static func line(of alarm: [String: Any]) -> String {
    let sign = text(alarm["level"]) == "alarm" ? "■ ALARM  " : "▲ warning"
    let receipt = (alarm["acknowledged"] as? [String: Any]).map {
      "  acknowledged by \(text($0["name"]))"
    }
    let told = (alarm["told"] as? [Any] ?? []).map { text($0) }.joined(separator: ", ")
    let parts: [String] = [
      sign, " ", text(alarm["number"]), "  ", text(alarm["name"]), " in ", text(alarm["zone"]),
      ": ",
      text(alarm["cause"]), " ", text(alarm["limit"]), ", worst ", text(alarm["peak"]), ", ",
      text(alarm["phase"]), " since ", text(alarm["began"]), told.isEmpty ? "" : "  told \(told)",
      receipt ?? "",
    ]
    return parts.joined()
  }

  /// The last values as a curve of eighths.
  static func sparkline(_ values: [Double], width: Int) -> String {
    let blocks = Array("▁▂▃▄▅▆▇█")
    let last = values.suffix(width)
    guard let low = last.min(), let high = last.max() else {
      return String(repeating: " ", count: width)
    }
    // A change of less than 0.2 is none that should fill the line.
    let span = max(high - low, 0.2)
    let curve = last.map { blocks[min(7, Int(($0 - low) / span * 8))] }
    return padded(String(curve), width)
  }

  private func coloured(_ text: String, _ colour: Int) -> String {
    isColoured ? "\u{1b}[38;5;\(colour)m\(text)\u{1b}[0m" : text
  }

  private static func text(_ value: Any?) -> String {
    // What others have named may hold what a terminal would obey.
    guard let value else { return "" }
    return String("\(value)".unicodeScalars.filter { $0.value >= 32 && $0.value != 127 })
  }

  private static func number(_ value: Any?, _ decimals: Int, _ unit: String) -> String {
    guard let value = value as? Double else { return "– \(unit)" }
    return String(format: "%.\(decimals)f", value) + " \(unit)"
  }

  private static func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
    let short = String(text.prefix(width))
    let blanks = String(repeating: " ", count: width - short.count)
    return isRight ? blanks + short : short + blanks
  }
}
