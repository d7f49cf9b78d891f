import Quantities
import Support

/// Evaluates readings against a policy, raises and escalates alarms, and executes commands.
///
/// The caller passes in the time: with every reading, with every command, and by calling
/// `advance(to:)`, which detects conditions that arise without a reading. The engine records
/// every decision as an `AlarmEntry`, and only these entries change the alarm state. After a
/// restart, the engine continues from the state replayed from the log and from the time of each
/// tag's last reading; the time for which a tag was silent before the restart counts toward its
/// loss.
///
/// The time passed in never decreases. The caller uses a monotonic clock and reports steps of the wall clock with
/// `step(by:)`; a step does not change any decision.
public struct AlarmEngine: Sendable {
  /// The policy to evaluate readings against.
  public let policy: WarehousePolicy
  /// The current alarm state.
  public private(set) var alarmState: AlarmState
  /// The entries created since the last call of `takeEntries()`.
  private var entries: [AlarmEntry] = []
  /// The time of the last evaluation, in nanoseconds since 1970.
  public internal(set) var now: Int64

  // The following state is not in the log; the next readings restore it.

  /// The index of each tag, by address.
  let tagIndices: [String: Int]
  /// The rules for each tag: those of its zone and of its battery.
  let rules: [[AlarmRule]]
  /// The time of each tag's last reading; the start time of the engine for a tag without readings.
  var lastReceived: [Int64]
  /// For each tag, the quantities that its zone limits.
  let limited: [Set<Quantity>]
  /// For each tag, the time of the last reading of each limited quantity that it has sent.
  var measured: [[Quantity: Int64]]
  /// For each tag, the time from which it is silent as long as it has sent no limited quantity.
  var silentFrom: [Int64]
  /// The time at which the engine started, in nanoseconds since 1970.
  ///
  /// A tag that was already silent at the start counts as lost one period later at the earliest, so
  /// every tag has time to report.
  var began: Int64
  /// For each tag, the characteristics whose last value was invalid.
  var faulty: [Set<String>]
  /// For each tag, the characteristics whose last value, and only that, changed too fast.
  var outliers: [Set<String>] = []
  /// The worst value of each pending breach, and the time of that value.
  var worst: [AlarmKey: (value: Double, time: Int64)] = [:]
  /// The pending breaches for which a `AlarmEntry/Event/heldBack(_:)` entry has already been
  /// logged.
  var heldBack: Set<AlarmKey> = []

  /// The tags whose no-data alarm a person closed.
  ///
  /// No new no-data alarm is raised before the next reading of the tag.
  public internal(set) var closedAsLost: Set<String> = []
  /// The earliest time at which a tag can count as lost, and the earliest time at which a
  /// notification is due or an acknowledgement expires.
  var nextLost: Int64 = 0, nextDue: Int64 = 0

  /// The range of valid times: 1970 to 2199.
  static let times = Moment.all

  /// Creates an engine.
  ///
  /// - Parameters:
  ///   - policy: The policy. It must have no `WarehousePolicy/errors`.
  ///   - alarmState: The alarm state from which the engine continues.
  ///   - lastReceived: The time of each tag's last reading, by address, in nanoseconds since 1970.
  ///     Default for a tag: `time`.
  ///   - time: The current time in nanoseconds since 1970.
  public init(
    _ policy: WarehousePolicy, alarmState: AlarmState = AlarmState(),
    lastReceived: [String: Int64] = [:],
    at time: Int64
  ) {
    self.policy = policy
    self.alarmState = alarmState
    now = min(max(time, Self.times.lowerBound), Self.times.upperBound)
    let tags = policy.tags
    outliers = Array(repeating: [], count: tags.count)
    tagIndices = Dictionary(
      tags.enumerated().map { ($1.address, $0) }, uniquingKeysWith: { first, _ in first })
    let ofZone = Dictionary(
      policy.zones.map { ($0.name, $0.rules) }, uniquingKeysWith: { first, _ in first })
    let battery = AlarmRule(
      .batteryLow, .warning, limit: policy.batteryLimit, hysteresis: 5)
    rules = tags.map { ofZone[$0.zone, default: []] + [battery] }
    limited = rules.map { Set($0.compactMap(\.cause.quantity)) }
    measured = Array(repeating: [:], count: tags.count)
    let now = now
    began = now
    self.lastReceived = tags.map {
      min(max(lastReceived[$0.address] ?? now, Self.times.lowerBound), now)
    }
    silentFrom = self.lastReceived
    closedAsLost = Set(
      alarmState.closedAsLost.filter { tag, time in lastReceived[tag].map { $0 <= time } ?? true }
        .keys)
    faulty = Array(repeating: [], count: tags.count)
  }

  /// Returns the entries created since the last call, in order.
  ///
  /// The caller must store the entries before it acts on them.
  public mutating func takeEntries() -> [AlarmEntry] {
    defer { entries.removeAll() }
    return entries
  }

  /// Records and applies an entry at the current time.
  mutating func note(_ event: AlarmEntry.Event) {
    let entry = AlarmEntry(time: now, event)
    alarmState.apply(entry)
    entries.append(entry)
  }

  /// Returns the expected tag with an address; `nil` if no such tag is configured.
  func tag(_ address: String) -> WarehousePolicy.ExpectedTag? {
    tagIndices[address].map { policy.tags[$0] }
  }

  /// The time without readings after which a tag counts as lost, in nanoseconds.
  func silenceLimit(of tag: WarehousePolicy.ExpectedTag) -> Int64 {
    Int64(min(policy.missingPeriods * Double(tag.period), 1e17))
  }
}

extension AlarmEngine {
  /// Executes a person's command.
  ///
  /// - Throws: `HubCommand/Rejection` if the command cannot be executed; the state is unchanged.
  public mutating func take(
    _ command: HubCommand, at time: Int64
  ) throws(HubCommand.Rejection) {
    advance(to: time)
    switch command {
    case .acknowledge(let number, let name, let note, let duration):
      try acknowledge(try open(number), name, note, duration)
    case .silence(let zone, let name, let note, let duration):
      try silence(zone, name, note, duration)
    case .endSilence(let zone, let name):
      guard let silence = alarmState.silences[zone] else {
        try check(zone)
        throw HubCommand.Rejection("the zone '\(zone.clipped)' is not silenced")
      }
      end(silence, by: name)
    case .close(let number, let name, let note):
      try close(try open(number), name, note)
    }
  }

  private func open(_ number: UInt64) throws(HubCommand.Rejection) -> ZoneAlarm {
    if let alarm = alarmState.open[number] { return alarm }
    throw HubCommand.Rejection(
      number > 0 && number <= alarmState.lastNumber
        ? "alarm \(number) is already closed" : "there is no alarm \(number)")
  }

  private mutating func acknowledge(
    _ alarm: ZoneAlarm, _ name: String, _ note: String, _ duration: Int64?
  ) throws(HubCommand.Rejection) {
    if let duration { try check(duration) }
    let acknowledgement = ZoneAlarm.Acknowledgement(
      name: name, note: note, time: now, expires: duration.map { now + $0 })
    self.note(.acknowledged(alarm.number, acknowledgement))
    if let expires = acknowledgement.expires { becomesDue(at: expires) }
    if alarm.phase == .returned { self.note(.closed(alarm.number, nil)) }
  }

  private mutating func silence(
    _ zone: String, _ name: String, _ note: String, _ duration: Int64
  ) throws(HubCommand.Rejection) {
    try check(zone)
    try check(duration)
    self.note(
      .silenced(
        AlarmSilence(zone: zone, name: name, note: note, from: now, until: now + duration)))
  }

  private func check(_ zone: String) throws(HubCommand.Rejection) {
    let zones = policy.zones.map(\.name)
    guard !zones.contains(zone) else { return }
    throw HubCommand.Rejection(
      "unknown zone '\(zone.clipped)'" + NearestWord.hint(zone.clipped, among: zones))
  }

  private func check(_ duration: Int64) throws(HubCommand.Rejection) {
    guard duration > 0, duration <= policy.longestSilence else {
      let hours = Decimal.shortest(Double(policy.longestSilence) / 3_600_000_000_000)
      throw HubCommand.Rejection("the duration must be greater than 0 and at most \(hours) hours")
    }
  }

  /// Closes an alarm whose sensor or tag is lost, because no reading can end such an alarm.
  private mutating func close(
    _ alarm: ZoneAlarm, _ name: String, _ note: String
  ) throws(HubCommand.Rejection) {
    let missing = alarmState[AlarmKey(tag: alarm.key.tag, cause: .missing, level: .alarm)]
    let fault = alarmState[AlarmKey(tag: alarm.key.tag, cause: .sensorFault, level: .alarm)]
    let isLost =
      tag(alarm.key.tag) == nil || missing?.lasts == true || closedAsLost.contains(alarm.key.tag)
      || fault?.lasts == true && fault?.number != alarm.number
    guard isLost else {
      throw HubCommand.Rejection(
        alarm.phase == .acknowledged
          ? "alarm \(alarm.number) is acknowledged and its sensor still reports; it closes when its value returns to normal"
          : alarm.lasts
            ? "alarm \(alarm.number) is active and its sensor still reports; acknowledge it instead"
            : "alarm \(alarm.number) has returned to normal; acknowledge it instead")
    }
    if alarm.key.cause == .missing { closedAsLost.insert(alarm.key.tag) }
    self.note(
      .closed(
        alarm.number, ZoneAlarm.Acknowledgement(name: name, note: note, time: now, expires: nil)))
  }
}

extension AlarmEngine {
  /// Evaluates a reading.
  ///
  /// A reading from an unknown tag, or one older than the tag's last reading, has no effect. A
  /// flagged reading proves that the tag still works, but its values are ignored: it neither ends a
  /// breach nor extends one.
  public mutating func take(_ reading: TagReading) {
    guard Self.times.contains(reading.time), let tagIndex = tagIndices[reading.tag],
      reading.time >= lastReceived[tagIndex]
    else { return }
    advance(to: reading.time)
    let tag = policy.tags[tagIndex]
    markReceived(reading, tagIndex)
    nextLost = min(nextLost, reading.time + silenceLimit(of: tag))
    takeFault(reading, tagIndex)
    for rule in rules[tagIndex] {
      let key = AlarmKey(tag: tag.address, cause: rule.cause, level: rule.level)
      let value: Double?
      if let quantity = rule.cause.quantity {
        value = reading.isGood ? reading.values[quantity] : nil
      } else {
        value = reading.battery.map(Double.init)
      }
      if let value, value.isFinite { judge(key, rule, value, in: tag) }
    }
  }

  /// Records a reading, and ends the no-data alarm of a tag that reports again.
  ///
  /// A reading of something else, such as the battery or an unknown characteristic, is no sign of the quantities that
  /// the zone limits. A flagged reading is a sign of all: the sensor-fault alarm is responsible for it.
  private mutating func markReceived(_ reading: TagReading, _ tagIndex: Int) {
    let tag = policy.tags[tagIndex]
    let periods = Double(now - silentSince(tagIndex)) / Double(max(tag.period, 1))
    lastReceived[tagIndex] = reading.time
    if reading.isGood {
      for quantity in limited[tagIndex] where reading.values[quantity] != nil {
        measured[tagIndex][quantity] = reading.time
      }
    } else {
      measured[tagIndex] = measured[tagIndex].mapValues { _ in reading.time }
      silentFrom[tagIndex] = reading.time
    }
    guard now - silentSince(tagIndex) < silenceLimit(of: tag) else { return }
    closedAsLost.remove(tag.address)
    let key = AlarmKey(tag: tag.address, cause: .missing, level: .alarm)
    guard let alarm = alarmState[key], alarm.lasts else { return }
    note(.worse(alarm.number, value: periods))
    end(alarm)
  }

  /// Returns the time since which a tag has not sent one of the limited quantities that it sends.
  func silentSince(_ tagIndex: Int) -> Int64 {
    if limited[tagIndex].isEmpty { return lastReceived[tagIndex] }
    return measured[tagIndex].values.min() ?? silentFrom[tagIndex]
  }

  /// Judges whether the sensor of a reading works.
  ///
  /// A first change that is too fast is no fault yet: the next reading shows whether it was an outlier or a change.
  private mutating func takeFault(_ reading: TagReading, _ tagIndex: Int) {
    if reading.quality == .rate, outliers[tagIndex].count < 32 {
      if outliers[tagIndex].insert(reading.characteristic).inserted { return }
    } else {
      outliers[tagIndex].remove(reading.characteristic)
    }
    if reading.isGood {
      faulty[tagIndex].remove(reading.characteristic)
    } else if faulty[tagIndex].count < 32 {
      faulty[tagIndex].insert(reading.characteristic)
    }
    let rule = AlarmRule(.sensorFault, .alarm, limit: 0, onDelay: policy.faultDelay)
    let key = AlarmKey(tag: reading.tag, cause: .sensorFault, level: .alarm)
    // A fault is represented by the value -1, which is below the limit of 0. The reading contains
    // the flags.
    judge(key, rule, faulty[tagIndex].isEmpty ? 0 : -1, in: policy.tags[tagIndex])
  }

  /// Evaluates a value against one rule.
  private mutating func judge(
    _ key: AlarmKey, _ rule: AlarmRule, _ value: Double, in tag: WarehousePolicy.ExpectedTag
  ) {
    if let alarm = alarmState[key], alarm.lasts {
      // Uses the rule that was in force when the breach began, not the current one.
      if alarm.rule.isOver(at: value) {
        end(alarm)
      } else if alarm.rule.isWorse(value, than: alarm.peak) {
        note(.worse(alarm.number, value: value))
      }
      return
    }
    guard rule.isBreached(by: value) else {
      if alarmState.pending[key] != nil { drop(key) }
      return
    }
    if alarmState.pending[key] == nil {
      note(.breach(key, rule))
      worst[key] = (value, now)
    } else if rule.isWorse(value, than: worst[key]?.value ?? rule.limit) {
      worst[key] = (value, now)
    }
    raiseIfDue(key, in: tag, value)
  }

  private mutating func raiseIfDue(
    _ key: AlarmKey, in tag: WarehousePolicy.ExpectedTag, _ value: Double
  ) {
    guard let pending = alarmState.pending[key], now - pending.began >= pending.rule.onDelay else {
      return
    }
    if key.cause.quantity != nil, alarmState.silences[tag.zone] != nil {
      if heldBack.insert(key).inserted { note(.heldBack(key)) }
      return
    }
    raise(
      key, pending.rule, began: pending.began, worst[key] ?? (value, now), in: tag)
  }

  /// Raises an alarm, or reactivates an alarm that awaits acknowledgement, and notifies a person on call.
  mutating func raise(
    _ key: AlarmKey, _ rule: AlarmRule, began: Int64, _ peak: (value: Double, time: Int64),
    in tag: WarehousePolicy.ExpectedTag
  ) {
    worst[key] = nil
    heldBack.remove(key)
    // A step of the clock back to January 1970 can move the start before 1970, which time stamps
    // cannot represent.
    let (began, peak) = (max(began, 0), (value: peak.value, time: max(peak.time, 0)))
    if let alarm = alarmState[key] {
      note(.again(alarm.number, began: began, value: peak.value))
      // Limits how often people are notified of an alarm whose value oscillates around the limit.
      if let last = alarm.notifications.last, now < last.time + quiet {
        return becomesDue(at: last.time + quiet)
      }
    } else {
      note(
        .raised(
          AlarmEntry.Raising(
            number: alarmState.lastNumber + 1, key: key, zone: tag.zone, rule: rule, began: began,
            peakTime: peak.time, peak: peak.value)))
    }
    if let alarm = alarmState[key] { notify(alarm) }
  }

  /// Ends a breach that did not become an alarm.
  mutating func drop(_ key: AlarmKey) {
    note(.breachOver(key))
    worst[key] = nil
    heldBack.remove(key)
  }

  /// Ends the breach of an alarm, and closes the alarm if it is acknowledged.
  mutating func end(_ alarm: ZoneAlarm) {
    note(.returned(alarm.number))
    if alarm.phase == .acknowledged { note(.closed(alarm.number, nil)) }
  }

  /// The minimum time between two notifications of an alarm that recurs, in nanoseconds; at most
  /// the escalation time.
  var quiet: Int64 { min(policy.onCall.quiet, policy.onCall.escalateAfter) }

  /// Notifies the next person on call of an alarm.
  ///
  /// When an alarm recurs within the escalation time, the person who was notified last is reminded instead. The
  /// escalation time counts from that person's first notification, so an alarm that comes and goes reaches the next
  /// person, too. A warning does not escalate.
  mutating func notify(_ alarm: ZoneAlarm) {
    let isReminder =
      alarm.awaitsReminder && (alarm.key.level != .alarm || now < escalation(of: alarm))
    let count = isReminder ? max(alarm.notifiedCount - 1, 0) : alarm.notifiedCount
    guard let name = policy.onCall.person(afterNotifying: count, at: now) else { return }
    note(.notified(alarm.number, name: name))
    becomesDue(at: now + policy.onCall.escalateAfter)
  }
}

extension AlarmEngine {
  /// Returns the time at which an alarm escalates to the next person.
  private func escalation(of alarm: ZoneAlarm) -> Int64 {
    (alarm.escalated ?? alarm.raised) + policy.onCall.escalateAfter
  }

  /// Detects conditions that arise as time passes: silent tags, due escalations, expired
  /// acknowledgements and expired silences.
  ///
  /// A time earlier than `now` has no effect. A hub calls this method once a second; with less
  /// frequent calls, conditions are detected later.
  public mutating func advance(to time: Int64) {
    guard Self.times.contains(time), time > now else { return }
    now = time
    for silence in alarmState.silences.values.sorted(by: { $0.zone < $1.zone })
    where silence.until <= now {
      end(silence, by: nil)
    }
    if nextLost <= now { lookForLost() }
    guard nextDue <= now else { return }
    nextDue = .max
    for alarm in alarmState.open.values.sorted(by: { $0.number < $1.number }) { advance(alarm) }
  }

  /// Adjusts the engine to a step of the wall clock, after which all times refer to the new
  /// wall-clock time.
  ///
  /// All running delays, silences, expiries and no-data timeouts shift by the step, so none of them
  /// ends sooner or later.
  ///
  /// - Parameter step: The step in nanoseconds, truncated to whole milliseconds. A step that would
  ///   move the time out of the range from 1970 to 2199 is ignored.
  public mutating func step(by step: Int64) {
    let step = step / 1_000_000 * 1_000_000
    let time = Moment.stepped(now, by: step)
    guard step != 0, Self.times.contains(time) else { return }
    func moved(_ time: Int64) -> Int64 { Moment.stepped(time, by: step) }
    now = time
    began = moved(began)
    lastReceived = lastReceived.map(moved)
    measured = measured.map { $0.mapValues(moved) }
    silentFrom = silentFrom.map(moved)
    worst = worst.mapValues { ($0.value, moved($0.time)) }
    if nextLost < .max { nextLost = moved(nextLost) }
    if nextDue < .max { nextDue = moved(nextDue) }
    note(.clockStepped(by: step))
  }

  mutating func end(_ silence: AlarmSilence, by name: String?) {
    note(.silenceOver(zone: silence.zone, name: name))
    heldBack = heldBack.filter { tag($0.tag)?.zone != silence.zone }
    nextDue = now
  }

  private mutating func lookForLost() {
    nextLost = .max
    for (index, tag) in policy.tags.enumerated() {
      let key = AlarmKey(tag: tag.address, cause: .missing, level: .alarm)
      if closedAsLost.contains(tag.address) { continue }
      if let alarm = alarmState[key], alarm.lasts { continue }
      let since = silentSince(index)
      var latest = since + silenceLimit(of: tag)
      if since < began { latest = max(latest, began + tag.period) }
      guard latest <= now else {
        nextLost = min(nextLost, latest)
        continue
      }
      let lost = alarmState.pending.keys.filter { $0.tag == tag.address }
      for key in lost.sorted(by: { $0.sortingText < $1.sortingText }) { drop(key) }
      let rule = AlarmRule(.missing, .alarm, limit: policy.missingPeriods)
      let periods = Double(now - since) / Double(max(tag.period, 1))
      raise(key, rule, began: since, (periods, now), in: tag)
    }
  }

  /// Ends an acknowledgement that has expired, or notifies the next person on call of an alarm.
  private mutating func advance(_ alarm: ZoneAlarm) {
    switch alarm.phase {
    case .acknowledged:
      guard let expires = alarm.acknowledgement?.expires else { return }
      guard expires <= now else { return becomesDue(at: expires) }
      note(.expired(alarm.number))
      if let alarm = alarmState.open[alarm.number] { notify(alarm) }
    case .active:
      // After a recurrence within the quiet time, a notification is still due.
      let isAgain = alarm.awaitsReminder
      guard isAgain || alarm.key.level == .alarm, let last = alarm.notifications.last,
        !isSilenced(alarm)
      else { return }
      let due = max(last.time + quiet, isAgain ? last.time : escalation(of: alarm))
      guard due <= now else { return becomesDue(at: due) }
      notify(alarm)
    case .returned, .closed: break
    }
  }

  /// Schedules the next check of the alarms for a time, unless an earlier check is scheduled.
  mutating func becomesDue(at time: Int64) { nextDue = min(nextDue, time) }

  /// `true` if a temperature, pressure or humidity limit caused the alarm and the alarm's zone is
  /// silenced.
  func isSilenced(_ alarm: ZoneAlarm) -> Bool {
    alarm.key.cause.quantity != nil && alarmState.silences[alarm.zone] != nil
  }
}

extension AlarmKey {
  /// The text by which alarm keys are sorted.
  var sortingText: String { "\(tag) \(cause.rawValue) \(level.rawValue)" }
}
