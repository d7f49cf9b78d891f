package import Text

extension AlarmEntry {
  /// The entry as one line of JSON, its keys in a fixed order.
  ///
  ///     {"time":"2026-01-01T00:20:00.000000000Z","event":"raised","alarm":1,"tag":"A4:DA:32:00:00:01","cause":
  ///      "humidity-high","level":"alarm","limit":65,"on_delay_s":600,"hysteresis":2,"zone":"shelf","began":...,"peak":66.1}
  public var json: String {
    JSONValue.object([("time", .string(Moment.text(time)))] + members).compact
  }

  /// What the entry says besides its time, in order; `event` comes first.
  package var members: [(key: String, value: JSONValue)] {
    let (event, fields) = happening.record
    return [("event", .string(event))] + fields
  }
}

extension AlarmEntry.Happening {
  /// The name of the event, and its fields.
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
    case .told(let number, let name): ("told", [Self.alarm(number), ("name", .string(name))])
    case .acknowledged(let number, let receipt):
      ("acknowledged", [Self.alarm(number)] + receipt.fields)
    case .expired(let number): ("expired", [Self.alarm(number)])
    case .closed(let number, let receipt):
      ("closed", [Self.alarm(number)] + (receipt?.fields ?? []))
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

extension ZoneAlarm.Receipt {
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
