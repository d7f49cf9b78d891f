import Support

/// An alarm, from the first reading beyond its limit until it is closed.
///
/// Alarms latch: an alarm that returned to normal stays open until it is acknowledged, and an
/// acknowledged alarm stays open until it returns to normal. All times refer to the wall clock as
/// currently set: while an alarm is open, a step of the clock shifts its times, so durations stay
/// correct. Log entries keep the time at which they were written.
public struct ZoneAlarm: Hashable, Sendable {
  /// The phase of an alarm's life cycle.
  public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// The breach continues and is not acknowledged.
    case active
    /// The breach continues and a person has acknowledged it.
    case acknowledged
    /// The value returned to normal and the alarm is not acknowledged.
    case returned
    /// The alarm returned to normal and is acknowledged, or a person closed it.
    case closed
  }

  /// A person's acknowledgement of an alarm.
  public struct Acknowledgement: Hashable, Sendable {
    /// The name of the person.
    public let name: String
    /// The person's note.
    public let note: String
    /// The time of the acknowledgement, in nanoseconds since 1970.
    public let time: Int64
    /// The time at which the acknowledgement expires if the breach continues; `nil` if it does not
    /// expire.
    public let expires: Int64?

    /// Creates an acknowledgement.
    public init(name: String, note: String, time: Int64, expires: Int64?) {
      (self.name, self.note, self.time, self.expires) = (name, note, time, expires)
    }
  }

  /// A notification sent to a person on call.
  public struct Notification: Hashable, Sendable {
    /// The name of the person.
    public let name: String
    /// The time of the notification, in nanoseconds since 1970.
    public let time: Int64

    /// Creates a notification.
    public init(name: String, time: Int64) { (self.name, self.time) = (name, time) }
  }

  /// The number that the hub assigned to the alarm, starting at 1.
  public let number: UInt64
  /// The tag, cause and level of the alarm.
  public let key: AlarmKey
  /// The zone of the tag when the alarm was raised.
  public let zone: String
  /// The rule in force when the breach began.
  public let rule: AlarmRule
  /// The start of the first breach, in nanoseconds since 1970.
  public internal(set) var began: Int64
  /// The time at which the breach became an alarm.
  public internal(set) var raised: Int64
  /// The current phase.
  public internal(set) var phase: Phase
  /// The worst value of the breach, in the unit of the limit.
  public internal(set) var peak: Double
  /// The time of the worst value.
  public internal(set) var peakTime: Int64
  /// The time of the last return to normal; `nil` while the breach continues.
  public internal(set) var returned: Int64?
  /// All acknowledgements in order, including expired and superseded ones.
  public internal(set) var acknowledgements: [Acknowledgement]
  /// All notifications in order.
  public internal(set) var notifications: [Notification]
  /// The number of people that the escalation has reached since the alarm was raised or its acknowledgement expired.
  var notifiedCount: Int
  /// The time at which the escalation reached the last of them; `nil` before the first.
  var escalated: Int64?
  /// `true` if the breach has recurred and no person has been notified since.
  var awaitsReminder = false
  /// The time at which the alarm was closed; `nil` while it is open.
  public internal(set) var closed: Int64?
  /// The closing by a person, with name and note; `nil` if the alarm closed because it returned to
  /// normal and was acknowledged.
  public internal(set) var closedBy: Acknowledgement?
  /// The start of the last breach, which is the first one unless the alarm has recurred.
  public internal(set) var breachBegan: Int64 = 0
  /// The number of breaches: one, and one for each recurrence.
  public internal(set) var breaches = 1
  /// The total time of the breaches that have ended, in nanoseconds.
  private var breachTime: Int64 = 0

  /// The most recent acknowledgement, including an expired one.
  public var acknowledgement: Acknowledgement? { acknowledgements.last }
  /// The total time of all breaches in nanoseconds, without the time between them; `nil` while a breach continues.
  public var duration: Int64? { returned == nil ? nil : breachTime }
  /// `true` in every phase except `closed`.
  public var isOpen: Bool { phase != .closed }
  /// `true` while the breach continues.
  public var lasts: Bool { phase == .active || phase == .acknowledged }
}

/// The state transitions that log entries cause.
extension ZoneAlarm {
  init(_ raising: AlarmEntry.Raising, at time: Int64) {
    self.init(
      number: raising.number, key: raising.key, zone: raising.zone, rule: raising.rule,
      began: raising.began, raised: time, phase: .active, peak: raising.peak,
      peakTime: raising.peakTime, returned: nil, acknowledgements: [], notifications: [],
      notifiedCount: 0, closed: nil,
      closedBy: nil)
    breachBegan = raising.began
  }

  /// Updates the alarm because the breach has recurred; the escalation continues where it was.
  mutating func takeAgain(began: Int64, value: Double, at time: Int64) {
    phase = .active
    returned = nil
    awaitsReminder = true
    breachBegan = began
    breaches += 1
    if rule.isWorse(value, than: peak) { (peak, peakTime) = (value, time) }
  }

  mutating func takeReturn(at time: Int64) {
    if lasts { breachTime += max(0, time - breachBegan) }
    returned = time
    if phase == .active { phase = .returned }
  }

  mutating func take(_ notification: Notification) {
    let isReminder = awaitsReminder && notifications.last?.name == notification.name
    notifications.append(notification)
    awaitsReminder = false
    guard !isReminder else { return }
    notifiedCount += 1
    escalated = notification.time
  }

  mutating func take(_ acknowledgement: Acknowledgement) {
    acknowledgements.append(acknowledgement)
    if phase == .active { phase = .acknowledged }
  }

  /// Updates the alarm because its acknowledgement has expired; escalation then restarts with the
  /// first person on call.
  mutating func takeExpiry() {
    phase = .active
    notifiedCount = 0
    awaitsReminder = false
  }

  mutating func takeClosing(_ acknowledgement: Acknowledgement?, at time: Int64) {
    phase = .closed
    closed = time
    closedBy = acknowledgement
  }

  /// Returns the alarm with its times shifted by a step of the wall clock.
  func moved(by step: Int64) -> ZoneAlarm {
    func moved(_ time: Int64) -> Int64 { Moment.stepped(time, by: step) }
    var alarm = self
    (alarm.began, alarm.raised) = (moved(began), moved(raised))
    (alarm.peakTime, alarm.breachBegan) = (moved(peakTime), moved(breachBegan))
    alarm.returned = returned.map(moved)
    alarm.escalated = escalated.map(moved)
    alarm.notifications = notifications.map { Notification(name: $0.name, time: moved($0.time)) }
    alarm.acknowledgements = acknowledgements.map {
      Acknowledgement(
        name: $0.name, note: $0.note, time: moved($0.time), expires: $0.expires.map(moved))
    }
    return alarm
  }
}

/// A period in which breaches in a zone are expected, such as a delivery through an open door.
///
/// Breaches are logged, but do not become alarms until the silence ends. Alarms for missing data,
/// faults and batteries are raised as usual.
public struct AlarmSilence: Hashable, Sendable {
  /// The name of the zone.
  public let zone: String
  /// The person who requested the silence.
  public let name: String
  /// The reason for the silence.
  public let note: String
  /// The start and end of the silence, in nanoseconds since 1970.
  public let from, until: Int64

  /// Creates a silence.
  public init(zone: String, name: String, note: String, from: Int64, until: Int64) {
    (self.zone, self.name, self.note, self.from, self.until) = (zone, name, note, from, until)
  }

  /// Returns the silence shifted by a step of the wall clock.
  func moved(by step: Int64) -> AlarmSilence {
    AlarmSilence(
      zone: zone, name: name, note: note, from: Moment.stepped(from, by: step),
      until: Moment.stepped(until, by: step))
  }
}

/// Alarms as comma-separated values (RFC 4180) for spreadsheets, one alarm per row.
///
/// A field with several values, such as the acknowledgements, contains one value per line. Line n
/// of each acknowledgement field (name, time, expiry and note) belongs to the n-th acknowledgement.
public enum AlarmTable {
  private static let columns: [(name: String, value: @Sendable (ZoneAlarm) -> String)] = [
    ("number", { "\($0.number)" }),
    ("tag", { $0.key.tag }),
    ("zone", { $0.zone }),
    ("cause", { $0.key.cause.rawValue }),
    ("level", { $0.key.level.rawValue }),
    ("limit", { Decimal.shortest($0.rule.limit) }),
    ("began", { Moment.text($0.began) }),
    ("raised", { Moment.text($0.raised) }),
    ("peak", { Decimal.shortest($0.peak) }),
    ("peak_time", { Moment.text($0.peakTime) }),
    ("returned", { $0.returned.map(Moment.text) ?? "" }),
    ("duration_s", { $0.duration.map { Decimal.shortest(Double($0) / 1e9) } ?? "" }),
    ("told", { $0.notifications.map(\.name).joined(separator: "; ") }),
    ("acknowledged_by", { lines($0.acknowledgements.map(\.name)) }),
    ("acknowledged", { lines($0.acknowledgements.map { Moment.text($0.time) }) }),
    (
      "acknowledged_until", { lines($0.acknowledgements.map { $0.expires.map(Moment.text) ?? "" }) }
    ),
    ("note", { lines($0.acknowledgements.map(\.note)) }),
    ("phase", { $0.phase.rawValue }),
    ("closed", { $0.closed.map(Moment.text) ?? "" }),
    ("closed_by", { $0.closedBy?.name ?? "" }),
    ("closing_note", { $0.closedBy?.note ?? "" }),
    ("breaches", { "\($0.breaches)" }),
  ]

  /// Joins texts with line breaks.
  private static func lines(_ texts: [String]) -> String { texts.joined(separator: "\n") }

  /// Returns the table with a header row; every row ends with CR LF.
  public static func csv(_ alarms: [ZoneAlarm]) -> String {
    let header = columns.map(\.name).joined(separator: ",")
    let rows = alarms.map { alarm in
      columns.map { field($0.value(alarm)) }.joined(separator: ",")
    }
    return ([header] + rows).map { $0 + "\r\n" }.joined()
  }

  /// Quotes a field if needed, and prefixes text that a spreadsheet would evaluate as a formula with an apostrophe.
  public static func field(_ text: String) -> String {
    let isNumber = Double(text) != nil
    let isFormula = !isNumber && "=+-@\t\r".contains { text.first == $0 }
    let safe = (isFormula ? "'" : "") + text
    let needsQuotes = safe.unicodeScalars.contains { ",\"\r\n".unicodeScalars.contains($0) }
    return needsQuotes ? "\"" + safe.replacing("\"", with: "\"\"") + "\"" : safe
  }
}
