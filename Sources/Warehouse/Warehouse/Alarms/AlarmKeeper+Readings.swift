import Quantities

extension AlarmKeeper {
  /// Takes a reading.
  ///
  /// One of a tag that the policy does not know, or from before the last that was heard of it, changes nothing. What is
  /// flagged counts as heard and not as a value: a breach neither ends nor grows older by it.
  public mutating func take(_ reading: TagReading) {
    guard Self.times.contains(reading.time), let place = places[reading.tag],
      reading.time >= heard[place]
    else { return }
    advance(to: reading.time)
    let tag = policy.tags[place]
    hear(tag)
    heard[place] = reading.time
    givenUp.remove(tag.address)
    nextLost = min(nextLost, reading.time + patience(with: tag))
    takeFault(reading, place)
    for rule in rules[place] {
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

  /// The tag is back.
  private mutating func hear(_ tag: WarehousePolicy.ExpectedTag) {
    let key = AlarmKey(tag: tag.address, cause: .missing, level: .alarm)
    guard let alarm = book[key], alarm.lasts else { return }
    note(.worse(alarm.number, value: periods(tag)))
    end(alarm)
  }

  /// For how many of its periods a tag has been silent.
  private func periods(_ tag: WarehousePolicy.ExpectedTag) -> Double {
    let since = places[tag.address].map { heard[$0] } ?? now
    return Double(now - since) / Double(max(tag.period, 1))
  }

  private mutating func takeFault(_ reading: TagReading, _ place: Int) {
    if reading.isGood {
      faulty[place].remove(reading.characteristic)
    } else if faulty[place].count < 32 {
      faulty[place].insert(reading.characteristic)
    }
    let rule = AlarmRule(.sensorFault, .alarm, limit: 0, onDelay: policy.faultDelay)
    let key = AlarmKey(tag: reading.tag, cause: .sensorFault, level: .alarm)
    // A fault counts as a value of -1 below a limit of 0: which flags there were stands in the reading.
    judge(key, rule, faulty[place].isEmpty ? 0 : -1, in: policy.tags[place])
  }

  /// Judges a value by one limit.
  private mutating func judge(
    _ key: AlarmKey, _ rule: AlarmRule, _ value: Double, in tag: WarehousePolicy.ExpectedTag
  ) {
    if let alarm = book[key], alarm.lasts {
      // The limit of the breach, not that of today.
      if alarm.rule.isOver(at: value) {
        end(alarm)
      } else if alarm.rule.isWorse(value, than: alarm.peak) {
        note(.worse(alarm.number, value: value))
      }
      return
    }
    guard rule.isBreached(by: value) else {
      if book.pending[key] != nil { drop(key) }
      return
    }
    if book.pending[key] == nil {
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
    guard let pending = book.pending[key], now - pending.began >= pending.rule.onDelay else {
      return
    }
    if key.cause.quantity != nil, book.silences[tag.zone] != nil {
      if heldBack.insert(key).inserted { note(.heldBack(key)) }
      return
    }
    raise(
      key, pending.rule, began: pending.began, worst[key] ?? (value, now), in: tag)
  }

  /// Raises an alarm, or the one that still waits for its acknowledgement again, and tells the first on duty.
  mutating func raise(
    _ key: AlarmKey, _ rule: AlarmRule, began: Int64, _ peak: (value: Double, time: Int64),
    in tag: WarehousePolicy.ExpectedTag
  ) {
    worst[key] = nil
    heldBack.remove(key)
    // After a step back to the first days of 1970 what began before them cannot be written.
    let (began, peak) = (max(began, 0), (value: peak.value, time: max(peak.time, 0)))
    if let alarm = book[key] {
      note(.again(alarm.number, began: began, value: peak.value))
      // What flaps about its limit is told once in a while.
      if let last = alarm.told.last, now < last.time + quiet {
        return becomesDue(at: last.time + quiet)
      }
    } else {
      note(
        .raised(
          AlarmEntry.Raising(
            number: book.lastNumber + 1, key: key, zone: tag.zone, rule: rule, began: began,
            peakTime: peak.time, peak: peak.value)))
    }
    if let alarm = book[key] { tell(alarm) }
  }

  /// A breach is over before it became an alarm.
  mutating func drop(_ key: AlarmKey) {
    note(.breachOver(key))
    worst[key] = nil
    heldBack.remove(key)
  }

  /// An alarm is over: it waits for its acknowledgement, or is closed where it has one.
  mutating func end(_ alarm: ZoneAlarm) {
    note(.returned(alarm.number))
    if alarm.phase == .acknowledged { note(.closed(alarm.number, nil)) }
  }

  /// For how long nobody is told again of an alarm that comes again, in nanoseconds: not longer than until the next would be.
  var quiet: Int64 { min(policy.duty.quiet, policy.duty.escalateAfter) }

  /// Tells the next on duty.
  mutating func tell(_ alarm: ZoneAlarm) {
    guard let name = policy.duty.person(afterTelling: alarm.turn, at: now) else { return }
    note(.told(alarm.number, name: name))
    becomesDue(at: now + policy.duty.escalateAfter)
  }
}
