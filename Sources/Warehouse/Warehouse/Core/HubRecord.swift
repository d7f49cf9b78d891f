import Text

/// What a hub writes and delivers: it gets its sequence where it is written.
public enum HubRecord: Hashable, Sendable {
  /// A reading of a tag that people call by a name, in a zone.
  case reading(TagReading, name: String, zone: String)
  /// An entry of the log of alarms.
  case alarm(AlarmEntry)

  /// What it tells: `reading` or `alarm`.
  public var kind: String {
    switch self {
    case .reading: "reading"
    case .alarm: "alarm"
    }
  }

  /// Of what: the address of a tag, the number of an alarm, or `hub`.
  public var key: String {
    switch self {
    case .reading(let reading, _, _): reading.tag
    case .alarm(let entry): entry.number.map { "\($0)" } ?? "hub"
    }
  }

  /// When, in nanoseconds since 1970.
  public var time: Int64 {
    switch self {
    case .reading(let reading, _, _): reading.time
    case .alarm(let entry): entry.time
    }
  }

  /// The rest of it, a JSON object on one line: what stands behind hub, sequence, kind and time.
  public var body: String {
    switch self {
    case .reading(let reading, let name, let zone):
      JSONValue.object(reading.members(name: name, zone: zone)).compact
    case .alarm(let entry): JSONValue.object(entry.members).compact
    }
  }
}
