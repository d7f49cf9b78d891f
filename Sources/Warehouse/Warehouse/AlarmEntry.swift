package import Support

/// An entry of the alarm log.
///
/// Only entries change an `AlarmState`, so replaying a log always produces the same state.
public struct AlarmEntry: Hashable, Sendable {
  /// The events that a log records.
  public enum Event: Hashable, Sendable {
    /// A value exceeded a limit, and the rule's delay has not elapsed yet.
    case breach(AlarmKey, AlarmRule)
    /// A breach ended, or its tag was lost, before the breach became an alarm.
    case breachOver(AlarmKey)
    /// A breach persisted for the rule's delay, but no alarm was raised because the zone is
    /// silenced.
    case heldBack(AlarmKey)
    /// A breach became an alarm.
    case raised(Raising)
    /// The value of an alarm that awaits acknowledgement exceeded the limit again; `began` is the
    /// start of the new breach, and `value` its worst value.
    case again(UInt64, began: Int64, value: Double)
    /// The value of an alarm became worse than every value before.
    case worse(UInt64, value: Double)
    /// The value of an alarm returned to normal.
    case returned(UInt64)
    /// A person was notified of an alarm.
    case notified(UInt64, name: String)
    /// A person acknowledged an alarm.
    case acknowledged(UInt64, ZoneAlarm.Acknowledgement)
    /// The acknowledgement of an alarm expired while the breach continued.
    case expired(UInt64)
    /// An alarm closed, either because a person closed it or because it returned to normal and was
    /// acknowledged.
    case closed(UInt64, ZoneAlarm.Acknowledgement?)
    /// A zone was silenced.
    case silenced(AlarmSilence)
    /// The silence of a zone ended because the person `name` ended it, or because it expired
    /// (`nil`).
    case silenceOver(zone: String, name: String?)
    /// The wall clock was stepped by this number of nanoseconds, a whole number of milliseconds;
    /// running times shift by the same amount.
    case clockStepped(by: Int64)
  }

  /// The data recorded when an alarm is raised.
  public struct Raising: Hashable, Sendable {
    /// The number of the alarm at its hub.
    public let number: UInt64
    /// The tag, cause and level of the alarm.
    public let key: AlarmKey
    /// The zone of the tag.
    public let zone: String
    /// The rule that was breached.
    public let rule: AlarmRule
    /// The start of the breach and the time of its worst value, in nanoseconds since 1970.
    public let began, peakTime: Int64
    /// The worst value of the breach.
    public let peak: Double
  }

  /// The time of the event, in nanoseconds since 1970.
  public let time: Int64
  /// The event.
  public let event: Event

  /// Creates an entry.
  public init(time: Int64, _ event: Event) {
    (self.time, self.event) = (time, event)
  }
}

extension AlarmEntry {
  /// The entry as one line of JSON with its keys in a fixed order.
  ///
  ///     {"time":"2026-01-01T00:20:00.000000000Z","event":"raised","alarm":1,"tag":"A4:DA:32:00:00:01","cause":
  ///      "humidity-high","level":"alarm","limit":65,"on_delay_s":600,"hysteresis":2,"zone":"shelf","began":...,"peak":66.1}
  public var json: String {
    JSONValue.object([("time", .string(Moment.text(time)))] + members).compact
  }

  /// The members of the entry except the time, in order, starting with `event`.
  package var members: [(key: String, value: JSONValue)] {
    let (event, fields) = self.event.record
    return [("event", .string(event))] + fields
  }
}

extension AlarmEntry.Event {
  /// The name of the event, and the fields of its entry.
  var record: (event: String, fields: [(key: String, value: JSONValue)]) {
    switch self {
    case .breach(let key, let rule): ("breach", key.fields + rule.fields)
    case .breachOver(let key): ("breach-over", key.fields)
    case .heldBack(let key): ("held-back", key.fields)
    case .raised(let raising): ("raised", raising.fields)
    case .again(let number, let began, let value):
      (
        "again",
        [
          Self.alarm(number), ("began", .string(Moment.text(began))), ("value", .decimal(value)),
        ]
      )
    case .worse(let number, let value):
      ("worse", [Self.alarm(number), ("value", .decimal(value))])
    case .returned(let number): ("returned", [Self.alarm(number)])
    case .notified(let number, let name): ("told", [Self.alarm(number), ("name", .string(name))])
    case .acknowledged(let number, let acknowledgement):
      ("acknowledged", [Self.alarm(number)] + acknowledgement.fields)
    case .expired(let number): ("expired", [Self.alarm(number)])
    case .closed(let number, let acknowledgement):
      ("closed", [Self.alarm(number)] + (acknowledgement?.fields ?? []))
    case .silenced(let silence): ("silenced", silence.fields)
    case .silenceOver(let zone, let name):
      ("silence-over", [("zone", .string(zone))] + (name.map { [("name", .string($0))] } ?? []))
    case .clockStepped(let step):
      ("clock-stepped", [("by_s", .number(Decimal.shortest(Double(step / 1_000_000) / 1000)))])
    }
  }

  private static func alarm(_ number: UInt64) -> (key: String, value: JSONValue) {
    ("alarm", .integer(number))
  }
}

extension AlarmKey {
  var fields: [(key: String, value: JSONValue)] {
    [
      ("tag", .string(tag)), ("cause", .string(cause.rawValue)), ("level", .string(level.rawValue)),
    ]
  }
}

extension AlarmRule {
  var fields: [(key: String, value: JSONValue)] {
    [
      ("limit", .decimal(limit)), ("on_delay_s", .number(Decimal.shortest(Double(onDelay) / 1e9))),
      ("hysteresis", .decimal(hysteresis)),
    ]
  }
}

extension AlarmEntry.Raising {
  fileprivate var fields: [(key: String, value: JSONValue)] {
    [("alarm", .integer(number))] + key.fields + rule.fields + [
      ("zone", .string(zone)), ("began", .string(Moment.text(began))), ("peak", .decimal(peak)),
      ("peak_time", .string(Moment.text(peakTime))),
    ]
  }
}

extension ZoneAlarm.Acknowledgement {
  var fields: [(key: String, value: JSONValue)] {
    [
      ("name", .string(name)), ("note", .string(note)), ("at", .string(Moment.text(time))),
    ] + (expires.map { [("expires", .string(Moment.text($0)))] } ?? [])
  }
}

extension AlarmSilence {
  fileprivate var fields: [(key: String, value: JSONValue)] {
    [
      ("zone", .string(zone)), ("name", .string(name)), ("note", .string(note)),
      ("from", .string(Moment.text(from))), ("until", .string(Moment.text(until))),
    ]
  }
}

extension AlarmEntry {
  /// Parses a line of a log.
  ///
  /// The result is `nil` for an invalid line, such as one truncated because the program was killed.
  public init?(json: String) {
    guard let value = JSONValue(reading: Array(json.utf8)),
      let time = value["time"]?.text.flatMap(Moment.parse)
    else { return nil }
    self.init(time: time, value)
  }

  /// Parses the body of a record with a known time; `nil` if it is not a valid entry.
  public init?(time: Int64, body: String) {
    guard let value = JSONValue(reading: Array(body.utf8)) else { return nil }
    self.init(time: time, value)
  }

  private init?(time: Int64, _ value: JSONValue) {
    guard let name = value["event"]?.text, let event = Event(name, value) else {
      return nil
    }
    self.init(time: time, event)
  }

  /// The number of the alarm that the entry refers to; `nil` for events without an alarm.
  public var number: UInt64? {
    switch event {
    case .raised(let raising): raising.number
    case .again(let number, _, _), .worse(let number, _), .returned(let number),
      .notified(let number, _), .acknowledged(let number, _), .expired(let number),
      .closed(let number, _):
      number
    case .breach, .breachOver, .heldBack, .silenced, .silenceOver, .clockStepped: nil
    }
  }
}

extension AlarmEntry.Event {
  fileprivate init?(_ name: String, _ value: JSONValue) {
    if let event = Self.ofBreach(name, value) ?? Self.ofAlarm(name, value) {
      self = event
      return
    }
    switch name {
    case "silenced":
      guard let silence = AlarmSilence(value) else { return nil }
      self = .silenced(silence)
    case "silence-over":
      guard let zone = value["zone"]?.text else { return nil }
      self = .silenceOver(zone: zone, name: value["name"]?.text)
    case "clock-stepped":
      guard let seconds = value["by_s"]?.double, abs(seconds) < 9e9 else { return nil }
      self = .clockStepped(by: Int64((seconds * 1000).rounded()) * 1_000_000)
    default: return nil
    }
  }

  private static func ofBreach(_ name: String, _ value: JSONValue) -> Self? {
    guard let key = AlarmKey(value) else { return nil }
    switch name {
    case "breach": return AlarmRule(key, value).map { .breach(key, $0) }
    case "breach-over": return .breachOver(key)
    case "held-back": return .heldBack(key)
    case "raised": return AlarmEntry.Raising(key, value).map { .raised($0) }
    default: return nil
    }
  }

  private static func ofAlarm(_ name: String, _ value: JSONValue) -> Self? {
    guard let number = value["alarm"]?.whole(UInt64.self) else { return nil }
    switch name {
    case "again":
      guard let began = value["began"]?.text.flatMap(Moment.parse),
        let worst = value["value"]?.double
      else { return nil }
      return .again(number, began: began, value: worst)
    case "worse": return value["value"]?.double.map { .worse(number, value: $0) }
    case "returned": return .returned(number)
    case "told": return value["name"]?.text.map { .notified(number, name: $0) }
    case "acknowledged": return ZoneAlarm.Acknowledgement(value).map { .acknowledged(number, $0) }
    case "expired": return .expired(number)
    case "closed": return .closed(number, ZoneAlarm.Acknowledgement(value))
    default: return nil
    }
  }
}

extension AlarmKey {
  fileprivate init?(_ value: JSONValue) {
    guard let tag = value["tag"]?.text,
      let cause = value["cause"]?.text.flatMap(AlarmCause.init(rawValue:)),
      let level = value["level"]?.text.flatMap(AlarmLevel.init(rawValue:))
    else { return nil }
    self.init(tag: tag, cause: cause, level: level)
  }
}

extension AlarmRule {
  fileprivate init?(_ key: AlarmKey, _ value: JSONValue) {
    guard let limit = value["limit"]?.double, let hysteresis = value["hysteresis"]?.double,
      let delay = value["on_delay_s"]?.double.flatMap({ Int64(exactly: ($0 * 1e9).rounded()) })
    else { return nil }
    self.init(key.cause, key.level, limit: limit, onDelay: delay, hysteresis: hysteresis)
  }
}

extension AlarmEntry.Raising {
  fileprivate init?(_ key: AlarmKey, _ value: JSONValue) {
    guard let number = value["alarm"]?.whole(UInt64.self), let rule = AlarmRule(key, value),
      let zone = value["zone"]?.text, let began = value["began"]?.text.flatMap(Moment.parse),
      let peak = value["peak"]?.double,
      let peakTime = value["peak_time"]?.text.flatMap(Moment.parse)
    else { return nil }
    self.init(
      number: number, key: key, zone: zone, rule: rule, began: began, peakTime: peakTime, peak: peak
    )
  }
}

extension ZoneAlarm.Acknowledgement {
  fileprivate init?(_ value: JSONValue) {
    guard let name = value["name"]?.text, let note = value["note"]?.text,
      let time = value["at"]?.text.flatMap(Moment.parse)
    else { return nil }
    self.init(
      name: name, note: note, time: time, expires: value["expires"]?.text.flatMap(Moment.parse))
  }
}

extension AlarmSilence {
  fileprivate init?(_ value: JSONValue) {
    guard let zone = value["zone"]?.text, let name = value["name"]?.text,
      let note = value["note"]?.text, let from = value["from"]?.text.flatMap(Moment.parse),
      let until = value["until"]?.text.flatMap(Moment.parse)
    else { return nil }
    self.init(zone: zone, name: name, note: note, from: from, until: until)
  }
}
