/// The inputs of a timer, its trigger, and the trigger output that other timers and the ADC follow.
extension TIM {
  /// Handles an edge of a pin that is connected to the timer.
  func inputDidChange(_ signal: TIMSignal, isHigh: Bool) {
    catchUp()
    switch signal {
    case .channel(let input):
      for channel in compare.indices where captures(channel, input, isHigh) { capture(channel) }
      applyTrigger(input, isHigh)
    case .trigger:
      let isRising = isHigh == (self[TIM.SMCR] & Bit.ETP == 0)
      if isRising, self[TIM.SMCR] & Bit.ECE != 0 { externalEdge(1 << UInt64(etrPrescaler)) }
      if isRising, self[TIM.SMCR] >> 4 & 7 == 7 { trigger(1 << UInt64(etrPrescaler)) }
    case .complementary: break
    }
    didHandleEdge()
  }

  /// Brings the gate, requests, outputs and the schedule up to date after an edge.
  private func didHandleEdge() {
    isGateOpen = isTriggerHigh
    requestTransfers()
    showTrigger()
    refresh()
    schedule()
  }

  private var etrPrescaler: UInt32 { self[TIM.SMCR] >> 12 & 3 }

  /// Returns whether an edge of input TIx is one that a channel captures.
  private func captures(_ channel: Int, _ input: Int, _ isHigh: Bool) -> Bool {
    let source = mode(channel) & 3
    guard source == 1 && input == channel || source == 2 && input == channel ^ 1 else {
      return false
    }
    return enables(channel) & Bit.CCxE != 0 && isActive(channel, isHigh)
  }

  /// Returns whether an edge has the polarity that CCER selects for a channel: rising, falling or both.
  func isActive(_ channel: Int, _ isHigh: Bool) -> Bool {
    let bits = enables(channel)
    if bits & (Bit.CCxP | Bit.CCxNP) == Bit.CCxP | Bit.CCxNP { return true }
    return isHigh == (bits & Bit.CCxP == 0)
  }

  /// Captures the count, unless the channel's prescaler skips this edge.
  func capture(_ channel: Int, isForced: Bool = false) {
    skipped[channel] += 1
    guard isForced || skipped[channel] >= 1 << (mode(channel) >> 2 & 3) else { return }
    skipped[channel] = 0
    self[TIM.CCR1 + UInt32(channel) * 4] = count.value
    let flag = Bit.CC1IF << UInt32(channel)
    if self[TIM.SR] & flag != 0 { self[TIM.SR] |= Bit.CC1OF << UInt32(channel) }
    self[TIM.SR] |= flag
    if channel == 0, triggerOutput == .compare { isTriggerDue = true }
    if requestsTransfers(channel) { dueRequests |= Bit.CC1DE << UInt32(channel) }
  }

  /// Applies an edge of TI1 or TI2 to the slave mode.
  private func applyTrigger(_ input: Int, _ isHigh: Bool) {
    guard input < 2 else { return }
    let slave = slaveMode
    if slave.isEncoder { return turn(input, isHigh) }
    switch self[TIM.SMCR] >> 4 & 7 {
    case 4 where input == 0: trigger(1)
    case 5 where input == 0, 6 where input == 1:
      if slave == .gated {
        self[TIM.SR] |= Bit.TIF
      } else if isActive(input, isHigh) {
        trigger(1)
      }
    default: break
    }
  }

  /// The level of the selected trigger, for gated mode.
  var isTriggerHigh: Bool {
    switch self[TIM.SMCR] >> 4 & 7 {
    case 0...3: triggerSource.map(chip.triggers.level) ?? false
    case 5: pins.inputLevel(self, .channel(0)) == (enables(0) & Bit.CCxP == 0)
    case 6: pins.inputLevel(self, .channel(1)) == (enables(1) & Bit.CCxP == 0)
    case 7: pins.inputLevel(self, .trigger) == (self[TIM.SMCR] & Bit.ETP == 0)
    default: false
    }
  }

  /// Handles an active edge of the selected trigger.
  private func trigger(_ edges: UInt64) {
    switch slaveMode {
    case .reset:
      self[TIM.SR] |= Bit.TIF
      reinitialize()
    case .trigger:
      self[TIM.SR] |= Bit.TIF
      if !isEnabled {
        self[TIM.CR1] |= Bit.CEN
        anchor = chip.now
      }
    case .clock:
      self[TIM.SR] |= Bit.TIF
      externalEdge(edges)
    default: break
    }
  }

  // MARK: Triggers between timers

  /// The timer whose trigger output this one follows (SMCR.TS, SMS); `nil` for none.
  var triggerSource: UInt32? {
    let selected = Int(self[TIM.SMCR] >> 4 & 7)
    guard slaveMode.rawValue > SlaveMode.encoderBoth.rawValue,
      instance.internalTriggers.indices.contains(selected)
    else { return nil }
    return instance.internalTriggers[selected]
  }

  var triggerOutput: TriggerOutput {
    guard instance.selectsTriggerOutput else { return .reference1 }
    return TriggerOutput(rawValue: self[TIM.CR2] >> 4 & 7) ?? .reset
  }

  /// The level of the trigger output; outputs that are pulses are low.
  var triggerLevel: Bool {
    let output = triggerOutput
    if output == .enable { return isEnabled && (slaveMode != .gated || isGateOpen) }
    return output.channel.map { compare.indices.contains($0) && references[$0] } ?? false
  }

  /// Starts or stops to show the trigger output.
  func observeTrigger(_ isObserved: Bool) {
    guard isObserved != isTriggerObserved else { return }
    catchUp()
    isTriggerObserved = isObserved
    (isTriggerDue, wasTriggerHigh) = (false, triggerLevel)
    schedule()
  }

  /// `true` if update events or matches change an observed trigger output.
  var triggersAtMatches: Bool {
    isTriggerObserved && triggerOutput.rawValue > TriggerOutput.enable.rawValue
  }

  /// Returns whether matches of a channel change an observed trigger output.
  func isTrigger(_ channel: Int) -> Bool {
    guard isTriggerObserved else { return false }
    let output = triggerOutput
    return output.channel == channel || output == .compare && channel == 0
  }

  /// Passes a pulse or a new level of the trigger output to its listeners.
  func showTrigger() {
    guard isTriggerObserved else { return }
    if isTriggerDue {
      isTriggerDue = false
      chip.triggers.pass(.pulse, of: instance.number)
    }
    let level = triggerLevel
    guard level != wasTriggerHigh else { return }
    wasTriggerHigh = level
    chip.triggers.pass(level ? .rising : .falling, of: instance.number)
  }

  /// Handles an edge of the trigger output of the source.
  func sourceDidTrigger(_ edge: TIMTriggers.Edge) {
    guard !isTriggering else { return }
    isTriggering = true
    defer { isTriggering = false }
    catchUp()
    if slaveMode == .gated {
      self[TIM.SR] |= Bit.TIF
    } else if edge != .falling {
      trigger(1)
    }
    for channel in compare.indices { updatePWM(channel) }
    drivePins(at: chip.now)
    didHandleEdge()
  }

  /// Counts an edge of an external clock; `edges` is the divisor of the clock before the timer's prescaler.
  private func externalEdge(_ edges: UInt64) {
    guard isEnabled, count.top > 0 else { return }
    externalEdges += 1
    guard externalEdges >= prescaler * edges else { return }
    externalEdges = 0
    _ = pass(1)
    drivePins(at: chip.now)
  }

  /// Counts an edge of an encoder (RM0383, table 50).
  private func turn(_ input: Int, _ isHigh: Bool) {
    let slave = slaveMode
    guard isEnabled, count.top > 0,
      slave == .encoderBoth || slave == (input == 0 ? .encoderTI1 : .encoderTI2)
    else { return }
    func level(_ input: Int, _ isHigh: Bool) -> Bool { isHigh != (enables(input) & Bit.CCxP != 0) }
    let other = level(1 - input, pins.inputLevel(self, .channel(1 - input)))
    let own = level(input, isHigh)
    // TI1 rising while TI2 is low counts up, and so does TI2 rising while TI1 is high.
    let isUp = input == 0 ? own != other : own == other
    count.alignment = isUp ? .up : .down
    count.isDown = !isUp
    _ = pass(1)
    drivePins(at: chip.now)
  }
}

/// The trigger outputs of the timers (TRGO), which start, stop, reset and clock other timers, and start the ADC.
///
/// They pass without delay. An output to which nothing listens costs its timer nothing.
final class TIMTriggers {
  enum Edge { case rising, falling, pulse }

  private var timers: [TIM] = []
  /// The timer whose trigger output starts conversions of the ADC; `nil` for none.
  private var source: UInt32?
  /// A callback for the edges of that output.
  var startConversions: (Edge) -> Void = { _ in }

  func add(_ timer: TIM) { timers.append(timer) }

  /// Releases the timers to break their reference cycles.
  func dismantle() { (timers, startConversions) = ([], { _ in }) }

  /// Selects the timer whose trigger output starts conversions; returns `false` if this model does not have it.
  func convert(atTriggersOf source: UInt32?) -> Bool {
    // A program that starts conversions by itself writes the same register for each.
    if source != self.source {
      self.source = source
      listenersDidChange()
    }
    return source.map(contains) ?? true
  }

  /// Returns whether this model has a timer.
  func contains(_ number: UInt32) -> Bool { timers.contains { $0.instance.number == number } }

  /// Tells each timer whether anything listens to its trigger output.
  func listenersDidChange() {
    for timer in timers {
      let number = timer.instance.number
      timer.observeTrigger(source == number || timers.contains { $0.triggerSource == number })
    }
  }

  /// Passes an edge of a timer's trigger output to its listeners.
  func pass(_ edge: Edge, of number: UInt32) {
    for timer in timers where timer.triggerSource == number { timer.sourceDidTrigger(edge) }
    if source == number { startConversions(edge) }
  }

  /// Returns the level of a timer's trigger output.
  func level(of number: UInt32) -> Bool {
    timers.first { $0.instance.number == number }?.triggerLevel ?? false
  }
}
