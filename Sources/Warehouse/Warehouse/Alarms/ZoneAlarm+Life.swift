/// How the entries of a log change an alarm.
extension ZoneAlarm {
  init(_ raising: AlarmEntry.Raising, at time: Int64) {
    self.init(
      number: raising.number, key: raising.key, zone: raising.zone, rule: raising.rule,
      began: raising.began, raised: time, phase: .active, peak: raising.peak,
      peakTime: raising.peakTime, returned: nil, receipts: [], told: [], turn: 0, closed: nil,
      closedBy: nil)
  }

  /// It lasts again: those on duty are told from the first on.
  mutating func takeAgain(began: Int64, value: Double, at time: Int64) {
    phase = .active
    returned = nil
    turn = 0
    if rule.isWorse(value, than: peak) { (peak, peakTime) = (value, time) }
  }

  mutating func takeReturn(at time: Int64) {
    returned = time
    if phase == .active { phase = .returned }
  }

  mutating func take(_ told: Told) {
    self.told.append(told)
    turn += 1
  }

  mutating func take(_ receipt: Receipt) {
    receipts.append(receipt)
    if phase == .active { phase = .acknowledged }
  }

  /// It counts as not acknowledged again: those on duty are told from the first on.
  mutating func takeExpiry() {
    phase = .active
    turn = 0
  }

  mutating func takeClosing(_ receipt: Receipt?, at time: Int64) {
    phase = .closed
    closed = time
    closedBy = receipt
  }

  /// The alarm after a step of the wall clock.
  func moved(by step: Int64) -> ZoneAlarm {
    func moved(_ time: Int64) -> Int64 { Moment.stepped(time, by: step) }
    var alarm = self
    (alarm.began, alarm.raised) = (moved(began), moved(raised))
    alarm.peakTime = moved(peakTime)
    alarm.returned = returned.map(moved)
    alarm.told = told.map { Told(name: $0.name, time: moved($0.time)) }
    alarm.receipts = receipts.map {
      Receipt(
        name: $0.name, note: $0.note, time: moved($0.time), expires: $0.expires.map(moved))
    }
    return alarm
  }
}
