import Text

extension AlarmEntry {
  /// Reads a line of a log; `nil` where it is none, such as the half line that a killed program left.
  public init?(json: String) {
    guard let value = JSONValue(reading: Array(json.utf8)),
      let time = value["time"]?.text.flatMap(Moment.parse)
    else { return nil }
    self.init(time: time, value)
  }

  /// Reads the body of a record whose time is known; `nil` where it is none of an entry.
  public init?(time: Int64, body: String) {
    guard let value = JSONValue(reading: Array(body.utf8)) else { return nil }
    self.init(time: time, value)
  }

  private init?(time: Int64, _ value: JSONValue) {
    guard let event = value["event"]?.text, let happening = Happening(event, value) else {
      return nil
    }
    self.init(time: time, happening)
  }

  /// The number of the alarm that it is about.
  public var number: UInt64? {
    switch happening {
    case .raised(let raising): raising.number
    case .again(let number, _, _), .worse(let number, _), .returned(let number),
      .told(let number, _), .acknowledged(let number, _), .expired(let number),
      .closed(let number, _):
      number
    case .breach, .breachOver, .heldBack, .silenced, .silenceOver, .clockStepped: nil
    }
  }
}

extension AlarmEntry.Happening {
  fileprivate init?(_ event: String, _ value: JSONValue) {
    if let happening = Self.ofBreach(event, value) ?? Self.ofAlarm(event, value) {
      self = happening
      return
    }
    switch event {
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

  private static func ofBreach(_ event: String, _ value: JSONValue) -> Self? {
    guard let key = AlarmKey(value) else { return nil }
    switch event {
    case "breach": return AlarmRule(key, value).map { .breach(key, $0) }
    case "breach-over": return .breachOver(key)
    case "held-back": return .heldBack(key)
    case "raised": return AlarmEntry.Raising(key, value).map { .raised($0) }
    default: return nil
    }
  }

  private static func ofAlarm(_ event: String, _ value: JSONValue) -> Self? {
    guard let number = value["alarm"]?.whole(UInt64.self) else { return nil }
    switch event {
    case "again":
      guard let began = value["began"]?.text.flatMap(Moment.parse),
        let worst = value["value"]?.double
      else { return nil }
      return .again(number, began: began, value: worst)
    case "worse": return value["value"]?.double.map { .worse(number, value: $0) }
    case "returned": return .returned(number)
    case "told": return value["name"]?.text.map { .told(number, name: $0) }
    case "acknowledged": return ZoneAlarm.Receipt(value).map { .acknowledged(number, $0) }
    case "expired": return .expired(number)
    case "closed": return .closed(number, ZoneAlarm.Receipt(value))
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

extension ZoneAlarm.Receipt {
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
