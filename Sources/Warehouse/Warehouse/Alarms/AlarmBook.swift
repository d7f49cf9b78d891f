/// All that is known of alarms: those there are, breaches on their way, and zones that are silenced.
///
/// It is what the entries of a log make of it, in their order, and nothing else.
public struct AlarmBook: Hashable, Sendable {
  /// A breach whose delay is not over.
  public struct Pending: Hashable, Sendable {
    /// The limit as it was when the breach began.
    public let rule: AlarmRule
    /// When it began, in nanoseconds since 1970.
    public let began: Int64
  }

  /// A step of the wall clock.
  public struct ClockStep: Hashable, Sendable {
    /// When the hub noticed it, by the clock after the step, in nanoseconds since 1970.
    public let time: Int64
    /// By how many nanoseconds the clock was stepped; below 0 where it was put back.
    public let by: Int64
  }

  /// The alarms that are not closed, by their numbers.
  public private(set) var open: [UInt64: ZoneAlarm] = [:]
  /// The alarms that were closed last, in the order in which they were: at least ``mostClosed``
  /// of them, and fewer than twice as many.
  ///
  /// The log keeps all.
  public private(set) var closed: [ZoneAlarm] = []
  /// The number of the alarm that is open for each key.
  public private(set) var numbers: [AlarmKey: UInt64] = [:]
  /// Breaches on their way.
  public private(set) var pending: [AlarmKey: Pending] = [:]
  /// The silence of each zone that has one.
  public private(set) var silences: [String: AlarmSilence] = [:]
  /// The last step of the wall clock; `nil` where there was none.
  public private(set) var lastStep: ClockStep?
  /// How many steps of the wall clock there were.
  public private(set) var steps = 0
  /// The highest number of an alarm.
  public private(set) var lastNumber: UInt64 = 0

  /// The tags whose loss somebody closed by hand, and when, in nanoseconds since 1970; until they are told as lost again.
  public private(set) var givenUp: [String: Int64] = [:]
  /// How many closed alarms it keeps.
  public let mostClosed: Int

  /// Creates a book in which nothing stands, and which keeps 1,000 closed alarms unless told otherwise.
  public init(mostClosed: Int = 1000) { self.mostClosed = max(mostClosed, 1) }

  /// Creates the book that a log makes.
  public init(replaying log: some Sequence<AlarmEntry>) {
    self.init()
    for entry in log { apply(entry) }
  }

  /// The open alarm of a key.
  public subscript(_ key: AlarmKey) -> ZoneAlarm? { numbers[key].flatMap { open[$0] } }

  /// All alarms that it keeps by their numbers, open and closed.
  public var all: [ZoneAlarm] {
    (closed + open.values).sorted { $0.number < $1.number }
  }

  /// Takes an entry; one about an alarm that is not open changes nothing.
  public mutating func apply(_ entry: AlarmEntry) {
    switch entry.happening {
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
    case .told(let number, let name):
      change(number) { $0.take(ZoneAlarm.Told(name: name, time: entry.time)) }
    case .acknowledged(let number, let receipt): change(number) { $0.take(receipt) }
    case .expired(let number): change(number) { $0.takeExpiry() }
    case .closed(let number, let receipt): close(number, receipt, at: entry.time)
    case .silenced(let silence): silences[silence.zone] = silence
    case .silenceOver(let zone, _): silences[zone] = nil
    case .clockStepped(let step): move(by: step, at: entry.time)
    }
  }

  /// The wall clock was stepped: what is under way moves with it, so that every duration stays what it was.
  private mutating func move(by step: Int64, at time: Int64) {
    lastStep = ClockStep(time: time, by: step)
    steps += 1
    pending = pending.mapValues {
      Pending(rule: $0.rule, began: Moment.stepped($0.began, by: step))
    }
    open = open.mapValues { $0.moved(by: step) }
    silences = silences.mapValues { $0.moved(by: step) }
    givenUp = givenUp.mapValues { Moment.stepped($0, by: step) }
  }

  private mutating func raise(_ raising: AlarmEntry.Raising, at time: Int64) {
    pending[raising.key] = nil
    if raising.key.cause == .missing { givenUp[raising.key.tag] = nil }
    numbers[raising.key] = raising.number
    lastNumber = max(lastNumber, raising.number)
    open[raising.number] = ZoneAlarm(raising, at: time)
  }

  private mutating func change(_ number: UInt64, _ body: (inout ZoneAlarm) -> Void) {
    guard var alarm = open[number] else { return }
    body(&alarm)
    open[number] = alarm
  }

  private mutating func close(_ number: UInt64, _ receipt: ZoneAlarm.Receipt?, at time: Int64) {
    guard var alarm = open.removeValue(forKey: number) else { return }
    if receipt != nil, alarm.key.cause == .missing { givenUp[alarm.key.tag] = time }
    alarm.takeClosing(receipt, at: time)
    numbers[alarm.key] = nil
    pending[alarm.key] = nil
    closed.append(alarm)
    // Half of it at once, so that each is moved once.
    if closed.count >= 2 * mostClosed { closed.removeFirst(closed.count - mostClosed) }
  }
}
