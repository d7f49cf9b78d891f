import Text

extension AlarmKeeper {
  /// Does what a person wants.
  ///
  /// - Throws: ``HubCommand/Refusal`` where it cannot be done; nothing has changed then.
  public mutating func take(
    _ command: HubCommand, at time: Int64
  ) throws(HubCommand.Refusal) {
    advance(to: time)
    switch command {
    case .acknowledge(let number, let name, let note, let duration):
      try acknowledge(try open(number), name, note, duration)
    case .silence(let zone, let name, let note, let duration):
      try silence(zone, name, note, duration)
    case .endSilence(let zone, let name):
      guard let silence = book.silences[zone] else {
        try check(zone)
        throw HubCommand.Refusal("the zone '\(zone.clipped)' is not silenced")
      }
      end(silence, by: name)
    case .close(let number, let name, let note):
      try close(try open(number), name, note)
    }
  }

  private func open(_ number: UInt64) throws(HubCommand.Refusal) -> ZoneAlarm {
    if let alarm = book.open[number] { return alarm }
    throw HubCommand.Refusal(
      number > 0 && number <= book.lastNumber
        ? "the alarm \(number) is closed already" : "there is no alarm \(number)")
  }

  private mutating func acknowledge(
    _ alarm: ZoneAlarm, _ name: String, _ note: String, _ duration: Int64?
  ) throws(HubCommand.Refusal) {
    if let duration { try check(duration) }
    let receipt = ZoneAlarm.Receipt(
      name: name, note: note, time: now, expires: duration.map { now + $0 })
    self.note(.acknowledged(alarm.number, receipt))
    if let expires = receipt.expires { becomesDue(at: expires) }
    if alarm.phase == .returned { self.note(.closed(alarm.number, nil)) }
  }

  private mutating func silence(
    _ zone: String, _ name: String, _ note: String, _ duration: Int64
  ) throws(HubCommand.Refusal) {
    try check(zone)
    try check(duration)
    self.note(
      .silenced(
        AlarmSilence(zone: zone, name: name, note: note, from: now, until: now + duration)))
  }

  private func check(_ zone: String) throws(HubCommand.Refusal) {
    let zones = policy.zones.map(\.name)
    guard !zones.contains(zone) else { return }
    throw HubCommand.Refusal(
      "there is no zone '\(zone.clipped)'" + NearestWord.hint(zone.clipped, among: zones))
  }

  private func check(_ duration: Int64) throws(HubCommand.Refusal) {
    guard duration > 0, duration <= policy.longestSilence else {
      let hours = Decimal.shortest(Double(policy.longestSilence) / 3_600_000_000_000)
      throw HubCommand.Refusal("the time must be longer than nothing and at most \(hours) hours")
    }
  }

  /// Closes an alarm whose sensor is lost: nobody can say any more that it is over.
  private mutating func close(
    _ alarm: ZoneAlarm, _ name: String, _ note: String
  ) throws(HubCommand.Refusal) {
    let missing = book[AlarmKey(tag: alarm.key.tag, cause: .missing, level: .alarm)]
    let fault = book[AlarmKey(tag: alarm.key.tag, cause: .sensorFault, level: .alarm)]
    let isLost =
      tag(alarm.key.tag) == nil || missing?.lasts == true || givenUp.contains(alarm.key.tag)
      || fault?.lasts == true && fault?.number != alarm.number
    guard isLost else {
      throw HubCommand.Refusal(
        alarm.lasts
          ? "the alarm \(alarm.number) lasts, and its sensor is heard; acknowledge it"
          : "the alarm \(alarm.number) is over; acknowledge it")
    }
    if alarm.key.cause == .missing { givenUp.insert(alarm.key.tag) }
    self.note(
      .closed(
        alarm.number, ZoneAlarm.Receipt(name: name, note: note, time: now, expires: nil)))
  }
}
