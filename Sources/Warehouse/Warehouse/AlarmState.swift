/// The state of all alarms: open and closed alarms, pending breaches and silenced zones.
///
/// The state changes only by applying the entries of a log in order.
public struct AlarmState: Hashable, Sendable {
  /// A breach of a limit that has not yet persisted for the rule's delay.
  public struct Pending: Hashable, Sendable {
    /// The limit in force when the breach began.
    public let rule: AlarmRule
    /// The start of the breach, in nanoseconds since 1970.
    public let began: Int64
  }

  /// A step of the wall clock.
  public struct ClockStep: Hashable, Sendable {
    /// The time at which the hub detected the step, in nanoseconds since 1970 as read from the
    /// stepped clock.
    public let time: Int64
    /// The size of the step in nanoseconds; negative if the clock was set back.
    public let by: Int64
  }

  /// The open alarms by number.
  public private(set) var open: [UInt64: ZoneAlarm] = [:]
  /// The most recently closed alarms, in the order in which they were closed.
  ///
  /// The list contains fewer than twice `mostClosed` alarms, and at least `mostClosed` once that
  /// many have been closed. The log keeps all closed alarms.
  public private(set) var closed: [ZoneAlarm] = []
  /// The numbers of the open alarms, by key.
  public private(set) var numbers: [AlarmKey: UInt64] = [:]
  /// The pending breaches by key.
  public private(set) var pending: [AlarmKey: Pending] = [:]
  /// The active silences by zone name.
  public private(set) var silences: [String: AlarmSilence] = [:]
  /// The last step of the wall clock; `nil` if there was none.
  public private(set) var lastStep: ClockStep?
  /// The number of wall-clock steps so far.
  public private(set) var steps = 0
  /// The highest alarm number assigned so far.
  public private(set) var lastNumber: UInt64 = 0

  /// The times, in nanoseconds since 1970, at which people closed the no-data alarms of tags, by
  /// tag address.
  ///
  /// A tag's time is removed when its next no-data alarm is raised.
  public private(set) var closedAsLost: [String: Int64] = [:]
  /// The minimum number of closed alarms that the state keeps.
  public let mostClosed: Int

  /// Creates an empty state.
  ///
  /// Default for `mostClosed`: 1,000.
  public init(mostClosed: Int = 1000) { self.mostClosed = max(mostClosed, 1) }

  /// Creates the state that results from replaying a log.
  public init(replaying log: some Sequence<AlarmEntry>) {
    self.init()
    for entry in log { apply(entry) }
  }

  /// The open alarm for a key; `nil` if there is none.
  public subscript(_ key: AlarmKey) -> ZoneAlarm? { numbers[key].flatMap { open[$0] } }

  /// All alarms in this state, open and closed, sorted by number.
  public var all: [ZoneAlarm] {
    (closed + open.values).sorted { $0.number < $1.number }
  }

  /// Applies a log entry.
  ///
  /// An entry that refers to an alarm that is not open has no effect.
  public mutating func apply(_ entry: AlarmEntry) {
    switch entry.event {
    case .breach(let key, let rule): pending[key] = Pending(rule: rule, began: entry.time)
    case .breachOver(let key): pending[key] = nil
    case .heldBack: break
    case .raised(let raising): raise(raising, at: entry.time)
    case .again(let number, let began, let value):
      if let key = open[number]?.key { pending[key] = nil }
      change(number) { $0.takeAgain(began: began, value: value, at: entry.time) }
    case .worse(let number, let value):
      change(number) { ($0.peak, $0.peakTime) = (value, entry.time) }
    case .returned(let number): change(number) { $0.takeReturn(at: entry.time) }
    case .notified(let number, let name):
      change(number) { $0.take(ZoneAlarm.Notification(name: name, time: entry.time)) }
    case .acknowledged(let number, let acknowledgement): change(number) { $0.take(acknowledgement) }
    case .expired(let number): change(number) { $0.takeExpiry() }
    case .closed(let number, let acknowledgement): close(number, acknowledgement, at: entry.time)
    case .silenced(let silence): silences[silence.zone] = silence
    case .silenceOver(let zone, _): silences[zone] = nil
    case .clockStepped(let step): move(by: step, at: entry.time)
    }
  }

  /// Shifts the times of pending breaches, open alarms and silences by a step of the wall clock, so
  /// every duration stays the same.
  private mutating func move(by step: Int64, at time: Int64) {
    lastStep = ClockStep(time: time, by: step)
    steps += 1
    pending = pending.mapValues {
      Pending(rule: $0.rule, began: Moment.stepped($0.began, by: step))
    }
    open = open.mapValues { $0.moved(by: step) }
    silences = silences.mapValues { $0.moved(by: step) }
    closedAsLost = closedAsLost.mapValues { Moment.stepped($0, by: step) }
  }

  private mutating func raise(_ raising: AlarmEntry.Raising, at time: Int64) {
    pending[raising.key] = nil
    if raising.key.cause == .missing { closedAsLost[raising.key.tag] = nil }
    numbers[raising.key] = raising.number
    lastNumber = max(lastNumber, raising.number)
    open[raising.number] = ZoneAlarm(raising, at: time)
  }

  private mutating func change(_ number: UInt64, _ body: (inout ZoneAlarm) -> Void) {
    guard var alarm = open[number] else { return }
    body(&alarm)
    open[number] = alarm
  }

  private mutating func close(
    _ number: UInt64, _ acknowledgement: ZoneAlarm.Acknowledgement?, at time: Int64
  ) {
    guard var alarm = open.removeValue(forKey: number) else { return }
    if acknowledgement != nil, alarm.key.cause == .missing { closedAsLost[alarm.key.tag] = time }
    alarm.takeClosing(acknowledgement, at: time)
    numbers[alarm.key] = nil
    pending[alarm.key] = nil
    closed.append(alarm)
    // Removes half of the list at once, so the cost per closed alarm is constant.
    if closed.count >= 2 * mostClosed { closed.removeFirst(closed.count - mostClosed) }
  }
}
