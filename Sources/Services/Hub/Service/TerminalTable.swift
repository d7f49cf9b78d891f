import Foundation
import HubCore
import HubQueue
import Support

/// The state of a hub as a table for a terminal: alarms first, then tags by zone.
package struct TerminalTable {
  private let hub: [String: Any]
  private let width: Int
  private let isColoured: Bool

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - hub: The response of `/v1/hub`.
  ///   - width: The number of columns of the terminal.
  ///   - isColoured: `true` to color the states, in addition to their symbols and words.
  package init(hub: [String: Any], width: Int, isColoured: Bool) {
    (self.hub, self.width, self.isColoured) = (hub, width, isColoured)
  }

  /// The symbols, words and colors of the states; the colors are those of the 256-color palette
  /// that are closest to the palette of Okabe and Ito.
  private static let states: [String: (sign: String, words: String, colour: Int)] = [
    "ok": ("●", "ok", 36), "warning": ("▲", "warning", 178), "alarm": ("■", "ALARM", 202),
    "lost": ("✕", "no data", 75), "fault": ("◆", "fault", 175), "waiting": ("○", "waiting", 245),
    // A limit is exceeded, but its delay has not elapsed.
    "pending": ("△", "pending", 227),
  ]
  private static let order = ["alarm", "fault", "lost", "warning", "pending", "waiting", "ok"]

  /// The table as text.
  package var text: String {
    let alarms = hub["alarms"] as? [[String: Any]] ?? []
    var lines = wrapped("Warehouse \(Self.text(hub["hub"]))  \(Self.text(hub["time"]))", indent: 2)
    if hub["broker"] as? Bool == false {
      lines += wrapped("the broker is not connected", indent: 2)
    }
    if let count = hub["unwritten"] as? Int, count > 0 {
      lines += wrapped(
        "\("record".counted(count)) not stored yet: check the disk of the hub", indent: 2)
    }
    if let receiver = hub["receiver"] as? String {
      lines += wrapped("no readings are received: \(receiver)", indent: 2)
    }
    if let step = hub["clock_step"] as? [String: Any], let by = step["by_s"] as? Double {
      lines += wrapped(
        "the wall clock was set \(by < 0 ? "back" : "forward") by \(HubCore.duration(Int64(by * 1e9))) at "
          + Self.text(step["time"]), indent: 2)
    }
    for channel in hub["channels"] as? [[String: Any]] ?? [] where channel["failure"] != nil {
      lines += wrapped(
        "the channel \(Self.text(channel["name"])) fails: \(Self.text(channel["failure"]))",
        indent: 2)
    }
    lines += alarms.isEmpty ? ["no open alarms"] : alarms.flatMap(line)
    for zone in hub["zones"] as? [[String: Any]] ?? [] {
      lines.append("")
      let silence = zone["silenced_until"].map { until in
        "  (silenced until \(Self.text(until)) by \(Self.text(zone["silenced_by"])))"
      }
      lines += wrapped(Self.text(zone["name"]) + (silence ?? ""), indent: 2)
      for tag in tags(of: Self.text(zone["name"])) {
        lines.append(row(tag))
        if let approach = tag["approach"] as? [String: Any] {
          let line = wrapped(Self.line(ofApproach: approach), indent: 2)
          lines += line.map { (width < 60 ? "" : "    ") + $0 }
        }
      }
    }
    let unreached = (hub["unreached"] as? [String] ?? []).joined(separator: ", ")
    if !unreached.isEmpty {
      lines += [""] + wrapped("no channel reaches \(unreached): they are not notified", indent: 2)
    }
    let strangers = (hub["stranger_addresses"] as? [String] ?? []).joined(separator: ", ")
    if !strangers.isEmpty {
      lines += [""] + wrapped("received, but not in the hub file: \(strangers)", indent: 2)
    }
    let delivery = (hub["delivery"] as? [[String: Any]] ?? []).filter {
      $0["waiting"] as? Int != 0 || $0["dropped"] as? Int != 0
    }
    if !delivery.isEmpty { lines.append("") }
    for one in delivery {
      lines += wrapped(
        "\(Self.text(one["receiver"])): \("record".counted(one["waiting"] as? Int ?? 0)) waiting, "
          + "\(Self.text(one["dropped"])) dropped", indent: 2)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func tags(of zone: String) -> [[String: Any]] {
    let tags = (hub["tags"] as? [[String: Any]] ?? []).filter { Self.text($0["zone"]) == zone }
    return tags.enumerated().sorted { one, other in
      let ranks = [one, other].map { tag in
        Self.order.firstIndex(of: Self.text(tag.element["state"])) ?? 9
      }
      return (ranks[0], one.offset) < (ranks[1], other.offset)
    }.map(\.element)
  }

  /// Returns a tag as one line; if the terminal is narrow, the least important columns are omitted.
  private func row(_ tag: [String: Any]) -> String {
    let state = Self.states[Self.text(tag["state"])] ?? ("?", "?", 245)
    let battery: String = tag["battery"].map { Self.text($0) + " %" } ?? ""
    let signal: String = tag["rssi"].map { Self.text($0) + " dBm" } ?? ""
    let received: String = tag["age_s"].map { Self.text($0) + " s ago" } ?? "never"
    let isNarrow = width < 60
    var line =
      (isNarrow ? "" : "  ")
      + coloured(
        "\(state.sign) " + (isNarrow ? "" : Self.padded(state.words, 10)), state.colour)
    var used = isNarrow ? 2 : 14
    func add(_ text: String, _ count: Int, isRight: Bool = false) {
      guard used + count <= width else { return }
      used += count
      line += Self.padded(text, count, isRight: isRight)
    }
    add(Self.text(tag["name"]), isNarrow ? max(4, min(16, width - 20)) : 16)
    add(Self.number(tag["temperature_c"], 1, "°C"), 9, isRight: true)
    add(Self.number(tag["humidity_rh"], 0, "%"), 6, isRight: true)
    let temperatures = (tag["temperatures"] as? [Any] ?? []).compactMap { $0 as? Double }
    let curve = max(6, min(30, width - used - (width < 92 ? 24 : 35)))
    if used + curve + 2 <= width {
      add("  " + Self.sparkline(temperatures, width: curve), curve + 2)
    }
    add(battery, 6, isRight: true)
    add("  " + received, 16)
    add(signal, 9, isRight: true)
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Returns an alarm as one or more lines.
  private func line(_ alarm: [String: Any]) -> [String] {
    let isAlarm = Self.text(alarm["level"]) == "alarm"
    return wrapped(Self.line(of: alarm), indent: 4).map { coloured($0, isAlarm ? 202 : 178) }
  }

  /// Wraps a line at spaces to the terminal width; continuation lines are indented.
  private func wrapped(_ text: String, indent: Int) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let last = lines[lines.count - 1]
      if last.isEmpty {
        lines[lines.count - 1] = String(word)
      } else if last.count + 1 + word.count <= width {
        lines[lines.count - 1] += " " + word
      } else if !word.isEmpty {
        lines.append(String(repeating: " ", count: indent) + word)
      }
    }
    return lines
  }

  /// Returns an alarm as one line.
  package static func line(of alarm: [String: Any]) -> String {
    let sign = text(alarm["level"]) == "alarm" ? "■ ALARM  " : "▲ warning"
    let phase = text(alarm["phase"])
    let acknowledgement = (alarm["acknowledged"] as? [String: Any]).map { acknowledgement in
      let note = text(acknowledgement["note"])
      let expiry = acknowledgement["expires"].map { " until \(text($0))" } ?? ""
      return (phase == "acknowledged" ? "  acknowledged by " : "  was acknowledged by ")
        + "\(text(acknowledgement["name"])) at \(text(acknowledgement["time"]))\(expiry)"
        + (note.isEmpty ? "" : ": \(note)")
    }
    let count = alarm["breaches"] as? Int ?? 1
    let since =
      (phase == "returned" ? "began " : "since ")
      + text(count > 1 ? alarm["breach_began"] : alarm["began"])
      + (count > 1 ? " (breach \(count) since \(text(alarm["began"])))" : "")
    let over = phase == "returned" ? ", normal since \(text(alarm["returned"]))" : ""
    let names = (alarm["told"] as? [Any] ?? []).map { text($0) }.joined(separator: ", ")
    let name = text(alarm["name"])
    let parts: [String] = [
      sign, " ", text(alarm["number"]), "  ", name.isEmpty ? text(alarm["tag"]) : name, " in ",
      text(alarm["zone"]), ": ", cause(of: alarm), ", ", since, over,
      names.isEmpty ? "" : "  notified: \(names)", acknowledgement ?? "",
    ]
    return parts.joined()
  }

  /// Returns the limit that a value approaches, and when it reaches the limit.
  private static func line(ofApproach approach: [String: Any]) -> String {
    let cause = text(approach["cause"])
    let unit = units.first { cause.hasPrefix($0.key) }?.value ?? ""
    let minutes = ((approach["in_s"] as? Int ?? 0) + 30) / 60
    return
      "\(cause.hasSuffix("low") ? "↘" : "↗") \(cause) \(text(approach["limit"]))\(unit) in \(minutes < 1 ? "less than 1" : "\(minutes)") min at this rate"
  }

  /// Returns the cause of an alarm with the limit and the worst value.
  private static func cause(of alarm: [String: Any]) -> String {
    let (cause, limit, peak) = (
      text(alarm["cause"]), text(alarm["limit"]), text(alarm["peak"])
    )
    switch cause {
    case "sensor-fault": return cause
    case "no-data": return "\(cause) for \(limit) periods"
    default:
      let unit = units.first { cause.hasPrefix($0.key) }?.value ?? ""
      return "\(cause) \(limit)\(unit), worst \(peak)\(unit)"
    }
  }

  private static let units = [
    "temperature": " °C", "humidity": " %", "pressure": " Pa", "battery": " %",
  ]

  /// Returns the last values as a sparkline made of block characters.
  static func sparkline(_ values: [Double], width: Int) -> String {
    let blocks = Array("▁▂▃▄▅▆▇█")
    let last = values.suffix(width)
    guard let low = last.min(), let high = last.max() else {
      return String(repeating: " ", count: width)
    }
    // The full height represents a change of at least 0.2.
    let span = max(high - low, 0.2)
    let curve = last.map { blocks[min(7, Int(($0 - low) / span * 8))] }
    return padded(String(curve), width)
  }

  private func coloured(_ text: String, _ colour: Int) -> String {
    isColoured ? "\u{1b}[38;5;\(colour)m\(text)\u{1b}[0m" : text
  }

  private static func text(_ value: Any?) -> String {
    // Names from outside may contain control characters, which are removed.
    guard let value else { return "" }
    return String(
      "\(value)".unicodeScalars.filter { $0.value >= 32 && !(127...159).contains($0.value) })
  }

  private static func number(_ value: Any?, _ decimals: Int, _ unit: String) -> String {
    guard let value = value as? Double else { return "– \(unit)" }
    return String(format: "%.\(decimals)f", value) + " \(unit)"
  }

  private static func padded(_ text: String, _ width: Int, isRight: Bool = false) -> String {
    let short = text.count > width ? String(text.prefix(max(0, width - 1))) + "…" : text
    let blanks = String(repeating: " ", count: width - short.count)
    return isRight ? blanks + short : short + blanks
  }
}
