extension AlarmKeeper {
  /// Looks at what happens as time passes: tags that are not heard, people who do not answer, silences that end.
  ///
  /// A time that lies before the last changes nothing. A hub calls it each second; a rarer call tells later.
  public mutating func advance(to time: Int64) {
    guard Self.times.contains(time), time > now else { return }
    now = time
    for silence in book.silences.values.sorted(by: { $0.zone < $1.zone }) where silence.until <= now
    {
      end(silence, by: nil)
    }
    if nextLost <= now { lookForLost() }
    guard nextDue <= now else { return }
    nextDue = .max
    for alarm in book.open.values.sorted(by: { $0.number < $1.number }) { advance(alarm) }
  }

  /// The wall clock was stepped: from now on times are those of the clock as it is set now.
  ///
  /// All that is under way moves with it, so that no delay, silence, expiry or loss comes sooner or later.
  ///
  /// - Parameter step: by how many nanoseconds, of which whole milliseconds count; one that would leave 1970 to 2199 is
  ///   ignored.
  public mutating func step(by step: Int64) {
    let step = step / 1_000_000 * 1_000_000
    let time = Moment.stepped(now, by: step)
    guard step != 0, Self.times.contains(time) else { return }
    func moved(_ time: Int64) -> Int64 { Moment.stepped(time, by: step) }
    now = time
    began = moved(began)
    heard = heard.map(moved)
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
      if givenUp.contains(tag.address) { continue }
      if let alarm = book[key], alarm.lasts { continue }
      var latest = heard[index] + patience(with: tag)
      if heard[index] < began { latest = max(latest, began + tag.period) }
      guard latest <= now else {
        nextLost = min(nextLost, latest)
        continue
      }
      let lost = book.pending.keys.filter { $0.tag == tag.address }
      for key in lost.sorted(by: { $0.sortingText < $1.sortingText }) { drop(key) }
      let rule = AlarmRule(.missing, .alarm, limit: policy.missingPeriods)
      let periods = Double(now - heard[index]) / Double(max(tag.period, 1))
      raise(key, rule, began: heard[index], (periods, now), in: tag)
    }
  }

  /// An acknowledgement expires, or the next on duty is told.
  private mutating func advance(_ alarm: ZoneAlarm) {
    switch alarm.phase {
    case .acknowledged:
      guard let expires = alarm.receipt?.expires else { return }
      guard expires <= now else { return becomesDue(at: expires) }
      note(.expired(alarm.number))
      if let alarm = book.open[alarm.number] { tell(alarm) }
    case .active:
      // One that came again while it was quiet has told nobody yet.
      let isAgain = alarm.turn == 0
      guard isAgain || alarm.key.level == .alarm, let last = alarm.told.last, !isSilenced(alarm)
      else { return }
      let due = last.time + (isAgain ? quiet : policy.duty.escalateAfter)
      guard due <= now else { return becomesDue(at: due) }
      tell(alarm)
    case .returned, .closed: break
    }
  }

  /// Something is to be done about an alarm at a moment.
  mutating func becomesDue(at time: Int64) { nextDue = min(nextDue, time) }

  /// Whether its zone is silenced, and it is about a limit of the air.
  func isSilenced(_ alarm: ZoneAlarm) -> Bool {
    alarm.key.cause.quantity != nil && book.silences[alarm.zone] != nil
  }
}

extension AlarmKey {
  /// What keys are put in order by.
  var sortingText: String { "\(tag) \(cause.rawValue) \(level.rawValue)" }
}
