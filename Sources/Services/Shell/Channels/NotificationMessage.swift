import Glibc
import Support
package import WarehouseRuns

/// What sends messages over channels.
package enum MessageSender: Sendable, Equatable {
  case hub(String)
  case station(String)

  /// The name of the hub or of the station.
  package var name: String {
    switch self {
    case .hub(let name), .station(let name): name
    }
  }

  /// Where the remaining events of a long message are; empty for a station, which has no log.
  var log: String {
    switch self {
    case .hub: "; see 'aneroid hub log'"
    case .station: ""
    }
  }

  /// The word for it in messages, in the JSON of webhooks and in templates.
  package var word: String {
    switch self {
    case .hub: "hub"
    case .station: "station"
    }
  }
}

/// An event in words, as channels report it.
package struct NotificationEvent: Sendable, Equatable {
  /// The severity, which determines the priority of a push message.
  package enum Level: Int, Sendable, Comparable {
    case information, warning, alarm

    package static func < (one: Level, other: Level) -> Bool { one.rawValue < other.rawValue }

    /// The word in messages and in the JSON of a webhook.
    package var word: String { ["information", "warning", "alarm"][rawValue] }
  }

  /// The topic by which the channels of a hub select events; `nil` for an event of a station.
  package let topic: NotificationChannel.Topic?
  package let level: Level
  /// The event as one short sentence, and its details as lines.
  package let title: String, lines: [String]
  /// The record as JSON; empty for a test.
  package let json: String
  /// The zone of the alarm, and the person who is notified; `nil` for other events.
  package var zone: String?, person: String?
  /// What the reader should know first, which a message states once; `nil` for nothing.
  package var hint: String?

  /// Creates an event; names from outside cannot add lines to it.
  package init(
    topic: NotificationChannel.Topic?, level: Level, title: String, lines: [String], json: String,
    zone: String? = nil
  ) {
    (self.topic, self.level, self.json, self.zone) = (topic, level, json, zone)
    (self.title, self.lines) = (title.visible, lines.map(\.visible))
  }
}

/// A message that a channel sends: one event, or several in one message.
package struct NotificationMessage: Sendable, Equatable {
  /// The maximum number of events whose details a message contains.
  static let mostDetailed = 20

  package let level: NotificationEvent.Level
  package let title: String, text: String
  /// The records as JSON.
  package let events: [String]
  /// The URL for the reader; `nil` for none.
  package let link: String?

  /// Creates a message of events, of which there is at least one; the most severe come first.
  package init(_ events: [NotificationEvent], from sender: MessageSender, link: String?) {
    let sorted = events.enumerated().sorted {
      ($1.element.level.rawValue, $0.offset) < ($0.element.level.rawValue, $1.offset)
    }.map(\.element)
    self.link = link
    level = sorted.first?.level ?? .information
    self.events = events.map(\.json).filter { !$0.isEmpty }
    let sign = Self.sign(level)
    if sorted.count == 1, let event = sorted.first {
      title = sign + event.title
    } else if case .station = sender {
      // A few kinds of weather: their names say more than a count.
      title = sign + sorted.prefix(4).map(\.title).joined(separator: "; ")
    } else {
      title =
        sign
        + "\(Self.events(sorted.count))\(Self.zones(sorted)), first: \(sorted.first?.title ?? "")"
    }
    let hints = sorted.reduce(into: [String]()) { hints, event in
      if let hint = event.hint, !hints.contains(hint) { hints.append(hint) }
    }
    var blocks = hints
    blocks += sorted.prefix(Self.mostDetailed).map { event in
      ([Self.sign(event.level) + event.title] + event.lines).joined(separator: "\n")
    }
    let rest = sorted.count - min(sorted.count, Self.mostDetailed)
    if rest > 0 {
      blocks.append("and \(Self.events(rest)) more\(sender.log)")
    }
    if let link { blocks.append(link) }
    let heading = sender.word.prefix(1).uppercased() + sender.word.dropFirst()
    text = blocks.joined(separator: "\n\n") + "\n\n\(heading): \(sender.name)"
  }

  /// Returns the zones of the events with their numbers, as ` in freezer (4) and cold room (1)`; empty if an event has none.
  private static func zones(_ events: [NotificationEvent]) -> String {
    var counts: [(zone: String, count: Int)] = []
    for event in events {
      guard let zone = event.zone else { return "" }
      if let index = counts.firstIndex(where: { $0.zone == zone }) {
        counts[index].count += 1
      } else {
        counts.append((zone, 1))
      }
    }
    guard counts.count > 1 else { return counts.first.map { " in \($0.zone)" } ?? "" }
    let words = counts.prefix(4).map { "\($0.zone) (\($0.count))" }
    return " in \(words.joined(separator: ", "))" + (counts.count > 4 ? " …" : "")
  }

  private static func events(_ count: Int) -> String { count == 1 ? "1 event" : "\(count) events" }

  private static func sign(_ level: NotificationEvent.Level) -> String {
    switch level {
    case .alarm: "ALARM: "
    case .warning: "Warning: "
    case .information: ""
    }
  }

  /// The message of `aneroid hub notify --test` and `aneroid station notify --test`.
  package static func test(
    from sender: MessageSender, channel: String, link: String?
  ) -> NotificationMessage {
    NotificationMessage(
      [
        NotificationEvent(
          topic: nil, level: .information, title: "test of the channel '\(channel)'",
          lines: [
            "If you read this, messages of the \(sender.word) reach you.",
            "Time: \(LocalTime.text(LocalTime.now))",
          ],
          json: "")
      ], from: sender, link: link)
  }
}

/// Times of day in the time zone of the machine.
package enum LocalTime {
  /// The time of the wall clock in nanoseconds since 1970.
  package static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Returns a time in nanoseconds since 1970 as `2026-01-31 18:05:00 +0100`.
  package static func text(_ time: Int64) -> String { format(time, "%Y-%m-%d %H:%M:%S %z") }

  /// Returns a time to the minute, as `Sat 31 Jan 18:05`.
  ///
  /// - Parameters:
  ///   - time: The time in nanoseconds since 1970.
  ///   - offset: The offset of local time to UTC in seconds. Default: that of the machine.
  /// - Returns: The text.
  package static func brief(_ time: Int64, offset: Int? = nil) -> String {
    format(time, "%a %-d %b %H:%M", offset: offset)
  }

  /// Returns a time as the Date field of mail (RFC 5322, section 3.3).
  package static func mail(_ time: Int64) -> String { format(time, "%a, %d %b %Y %H:%M:%S %z") }

  /// Returns the minute of the local day.
  package static func minute(_ time: Int64) -> Int {
    let parts = parts(time)
    return Int(parts.tm_hour) * 60 + Int(parts.tm_min)
  }

  private static func parts(_ time: Int64, offset: Int? = nil) -> tm {
    var seconds = time_t(time / 1_000_000_000 - (time % 1_000_000_000 < 0 ? 1 : 0))
    var parts = tm()
    if let offset {
      seconds += offset
      gmtime_r(&seconds, &parts)
    } else {
      localtime_r(&seconds, &parts)
    }
    return parts
  }

  private static func format(_ time: Int64, _ pattern: String, offset: Int? = nil) -> String {
    var parts = parts(time, offset: offset)
    var bytes = [CChar](repeating: 0, count: 64)
    let count = strftime(&bytes, bytes.count, pattern, &parts)
    return String(decoding: bytes[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
