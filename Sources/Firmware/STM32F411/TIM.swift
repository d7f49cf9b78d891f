import Machines

/// TIM1 to TIM14: counters with up to four channels, each an output of compare matches or PWM, or an input that captures
/// the count.
///
/// The count is calculated when it is read, and an event is scheduled for the next enabled interrupt and for the edges of
/// pins and trigger outputs that are observed, so ticks cost nothing. The XOR of three inputs (TI1S), break inputs, dead
/// time and bursts of DMA are reported as unmodelled. Input filters and synchronizers delay nothing.
package final class TIM: Peripheral {
  package static let CR1: UInt32 = 0x00
  package static let CR2: UInt32 = 0x04
  package static let SMCR: UInt32 = 0x08
  package static let DIER: UInt32 = 0x0C
  package static let SR: UInt32 = 0x10
  package static let EGR: UInt32 = 0x14
  package static let CCMR1: UInt32 = 0x18
  package static let CCMR2: UInt32 = 0x1C
  package static let CCER: UInt32 = 0x20
  package static let CNT: UInt32 = 0x24
  package static let PSC: UInt32 = 0x28
  package static let ARR: UInt32 = 0x2C
  package static let RCR: UInt32 = 0x30
  package static let CCR1: UInt32 = 0x34
  package static let CCR2: UInt32 = 0x38
  package static let CCR3: UInt32 = 0x3C
  package static let CCR4: UInt32 = 0x40
  package static let BDTR: UInt32 = 0x44
  package static let DCR: UInt32 = 0x48
  package static let DMAR: UInt32 = 0x4C
  package static let OR: UInt32 = 0x50

  /// Bits of CR1, CR2, SMCR, DIER, SR, EGR, CCER and BDTR.
  enum Bit {
    static let CEN: UInt32 = 1, UDIS: UInt32 = 1 << 1, URS: UInt32 = 1 << 2, OPM: UInt32 = 1 << 3
    static let DIR: UInt32 = 1 << 4, ARPE: UInt32 = 1 << 7
    static let CCDS: UInt32 = 1 << 3, TI1S: UInt32 = 1 << 7
    static let ECE: UInt32 = 1 << 14, ETP: UInt32 = 1 << 15
    static let UIE: UInt32 = 1, UDE: UInt32 = 1 << 8, CC1DE: UInt32 = 1 << 9
    /// UDE and CC1DE to CC4DE.
    static let DE: UInt32 = 0x1F00
    static let UIF: UInt32 = 1, CC1IF: UInt32 = 1 << 1, TIF: UInt32 = 1 << 6
    static let CC1OF: UInt32 = 1 << 9
    static let UG: UInt32 = 1, TG: UInt32 = 1 << 6
    static let CCxE: UInt32 = 1, CCxP: UInt32 = 2, CCxNE: UInt32 = 4, CCxNP: UInt32 = 8
    static let BKE: UInt32 = 1 << 12, MOE: UInt32 = 1 << 15, DTG: UInt32 = 0xFF
  }

  /// SMCR.SMS: what a trigger does.
  enum SlaveMode: UInt32 {
    case off, encoderTI2, encoderTI1, encoderBoth, reset, gated, trigger, clock

    var isEncoder: Bool { (1...3).contains(rawValue) }
  }

  /// CR2.MMS: what the trigger output shows.
  enum TriggerOutput: UInt32 {
    case reset, enable, update, compare, reference1, reference2, reference3, reference4

    /// The channel whose reference is the output; `nil` for the other outputs.
    var channel: Int? { rawValue < 4 ? nil : Int(rawValue) - 4 }
  }

  let instance: TIMInstance
  unowned let pins: TIMPins
  var count: TIMCount
  /// The cycle at which the count had its value, from which later counts are calculated.
  var anchor: UInt64 = 0
  /// The active prescaler plus 1; PSC takes effect at an update event.
  var prescaler: UInt64 = 1
  /// The number of core cycles per timer clock.
  private var divider: UInt64 = 1
  /// The repetition counter: the overflows that remain before an update event.
  private var repetitions: UInt32 = 0
  /// The active compare values; a preloaded CCRx takes effect at an update event.
  var compare: [UInt32]
  /// OCxREF of each channel, before polarity.
  var references: [Bool]
  /// The DMA requests of the current step, a bit each as in DIER.
  var dueRequests: UInt32 = 0
  /// The captures that each input channel has skipped because of its prescaler.
  var skipped: [UInt32]
  /// `true` while the trigger of gated mode lets the count run.
  var isGateOpen = false
  /// The edges that the prescaler has counted since the last tick of an external clock.
  var externalEdges: UInt64 = 0
  /// `true` if another timer or the ADC listens to the trigger output.
  var isTriggerObserved = false
  /// `true` while a pulse of the trigger output was not yet passed to its listeners.
  var isTriggerDue = false
  /// The level of the trigger output that its listeners have seen.
  var wasTriggerHigh = false
  /// `true` while an edge of the source is handled, which cannot return to this timer in a circle.
  var isTriggering = false
  private lazy var slot = chip.schedule.slot { [unowned self] _ in
    catchUp()
    schedule()
  }

  init(_ instance: TIMInstance, _ pins: TIMPins, _ chip: Chip) {
    self.instance = instance
    self.pins = pins
    count = TIMCount(range: instance.isWide ? 1 << 32 : 1 << 16)
    compare = Array(repeating: 0, count: instance.channels)
    references = Array(repeating: false, count: instance.channels)
    skipped = compare
    super.init(at: instance.base, chip)
    let width: UInt32 = instance.isWide ? .max : 0xFFFF
    for offset in [
      TIM.CR2, TIM.SMCR, TIM.DIER, TIM.CCMR1, TIM.CCMR2, TIM.CCER, TIM.BDTR, TIM.DCR, TIM.DMAR,
      TIM.OR,
    ] {
      define(offset, mask: 0xFFFF)
    }
    define(TIM.CR1, mask: 0x3FF)
    define(TIM.SR, mask: 0)
    define(TIM.EGR, mask: 0)
    define(TIM.CNT, mask: width)
    define(TIM.PSC, mask: 0xFFFF)
    define(TIM.ARR, mask: width, reset: width)
    define(TIM.RCR, mask: instance.isAdvanced ? 0xFF : 0)
    for offset in [TIM.CCR1, TIM.CCR2, TIM.CCR3, TIM.CCR4] { define(offset, mask: width) }
    pins.add(self)
    chip.triggers.add(self)
  }

  override func reset() {
    super.reset()
    count = TIMCount(range: count.range)
    (anchor, prescaler, externalEdges, repetitions, isGateOpen) = (chip.now, 1, 0, 0, false)
    (dueRequests, isTriggerDue, wasTriggerHigh) = (0, false, false)
    chip.triggers.listenersDidChange()
    for channel in compare.indices {
      (compare[channel], references[channel], skipped[channel]) = (0, false, 0)
    }
    chip.schedule.clear(slot)
    findDivider()
    refresh()
    pins.outputsDidChange(of: self, at: chip.nanoseconds(chip.now))
  }

  /// Updates the divider.
  ///
  /// A timer runs at its bus clock, or at twice the bus clock if the bus clock is divided.
  private func findDivider() {
    let bus = (instance.isOnAPB2 ? chip.clocks?.apb2Divider : chip.clocks?.apb1Divider) ?? 1
    divider = bus == 1 ? 1 : bus / 2
  }

  override func clocksWillChange() { catchUp() }

  override func clocksDidChange() {
    catchUp()
    findDivider()
    schedule()
  }

  var isEnabled: Bool { self[TIM.CR1] & Bit.CEN != 0 }
  var slaveMode: SlaveMode { SlaveMode(rawValue: self[TIM.SMCR] & 7) ?? .off }

  /// `true` if edges of pins move the count, and not the timer's clock.
  private var isClockedByPins: Bool {
    slaveMode.isEncoder || slaveMode == .clock || self[TIM.SMCR] & Bit.ECE != 0
  }

  /// `true` if the timer's clock moves the count.
  private var isRunning: Bool {
    guard isEnabled, !chip.isStopped, count.top > 0, !isClockedByPins else { return false }
    return slaveMode != .gated || isGateOpen
  }

  // MARK: Counting

  /// Advances the count to now, with the flags and the output levels of all events until then.
  func catchUp() {
    guard isRunning else {
      anchor = chip.now
      return
    }
    let isExact = drivesObservedPin || triggersAtMatches || self[TIM.DIER] & Bit.DE != 0
    var ticks = elapsedTicks
    while ticks > 0 {
      var step = min(ticks, count.ticksToUpdate)
      if isExact { step = min(step, ticksToMatch(where: isWatched) ?? .max) }
      anchor += step * prescaler * divider
      let overflows = pass(step)
      if isExact {
        drivePins(at: anchor)
        requestTransfers()
        showTrigger()
      }
      guard isRunning else { break }
      // The prescaler may have changed, or a transfer may have changed a register.
      ticks = elapsedTicks
      if overflows, !isExact, ticks > count.period, self[TIM.CR1] & Bit.OPM == 0 {
        let periods = ticks / count.period
        passPeriods(periods)
        anchor += periods * count.period * prescaler * divider
        ticks %= count.period
      }
    }
    if !isExact { drivePins(at: chip.now) }
    refresh()
  }

  /// Returns whether the exact times of a channel's matches matter.
  private func isWatched(_ channel: Int) -> Bool {
    requestsTransfers(channel) || drivesPin(channel) || isTrigger(channel)
  }

  /// Returns whether a channel's matches and captures request transfers.
  func requestsTransfers(_ channel: Int) -> Bool {
    self[TIM.DIER] & Bit.CC1DE << UInt32(channel) != 0 && self[TIM.CR2] & Bit.CCDS == 0
  }

  /// Requests the DMA transfers that are due; a transfer may write the timer's registers.
  func requestTransfers() {
    while dueRequests != 0 {
      let bit = dueRequests.trailingZeroBitCount
      dueRequests &= dueRequests - 1
      let event: DMARequest.TimerEvent = bit == 8 ? .update : .channel(bit - 9)
      chip.requests?.pulse(.tim(Int(instance.number), event))
    }
  }

  private var elapsedTicks: UInt64 { (chip.now - anchor) / (prescaler * divider) }

  /// Advances the count by ticks up to the next overflow; returns whether this was one.
  func pass(_ ticks: UInt64) -> Bool {
    for channel in compare.indices where count.reaches(compare[channel], within: ticks) {
      match(channel)
    }
    let overflows = ticks == count.ticksToUpdate
    count.advance(ticks)
    if overflows { didOverflow() }
    for channel in compare.indices { updatePWM(channel) }
    return overflows
  }

  /// Advances by a number of whole counter periods at once; an update event occurs every RCR + 1 overflows.
  private func passPeriods(_ periods: UInt64) {
    for channel in compare.indices {
      let matches = count.matches(perPeriod: compare[channel])
      guard matches > 0 else { continue }
      flag(channel)
      let isOdd = matches * periods % 2 != 0
      switch outputMode(channel) {
      case .toggle: references[channel] = references[channel] != isOdd
      case .active, .inactive: match(channel)
      default: break
      }
    }
    guard self[TIM.CR1] & Bit.UDIS == 0 else { return }
    let overflows = periods * count.updatesPerPeriod
    guard overflows > UInt64(repetitions) else {
      repetitions -= UInt32(overflows)
      return
    }
    let remainder = (overflows - UInt64(repetitions) - 1) % (UInt64(self[TIM.RCR]) + 1)
    repetitions = self[TIM.RCR] - UInt32(remainder)
    update()
  }

  /// Handles an overflow or underflow, which is an update event after RCR repetitions.
  private func didOverflow() {
    guard self[TIM.CR1] & Bit.UDIS == 0 else { return }
    guard repetitions == 0 else {
      repetitions -= 1
      return
    }
    repetitions = self[TIM.RCR]
    update()
    if self[TIM.CR1] & Bit.OPM != 0 { self[TIM.CR1] &= ~Bit.CEN }
  }

  /// Sets UIF and loads the preloaded registers.
  private func update() {
    self[TIM.SR] |= Bit.UIF
    loadPreloaded()
    requestAtUpdate()
    if triggerOutput == .update { isTriggerDue = true }
  }

  private func requestAtUpdate() {
    let enabled = self[TIM.DIER] & Bit.DE
    dueRequests |= self[TIM.CR2] & Bit.CCDS != 0 ? enabled : enabled & Bit.UDE
  }

  private func loadPreloaded() {
    prescaler = UInt64(self[TIM.PSC]) + 1
    count.setTop(self[TIM.ARR])
    for channel in compare.indices where isOutput(channel) {
      compare[channel] = self[TIM.CCR1 + UInt32(channel) * 4]
    }
  }

  /// The ticks until the next compare match of any channel for which `isWanted` holds; `nil` if there is none.
  private func ticksToMatch(where isWanted: (Int) -> Bool) -> UInt64? {
    compare.indices.lazy.filter(isWanted).compactMap { [self] in
      count.ticks(to: compare[$0])
    }.min()
  }

  /// Schedules the next event: an enabled interrupt, the end of a single pulse, or an edge of an observed pin.
  func schedule() {
    chip.schedule.clear(slot)
    guard isRunning else { return }
    var ticks = UInt64.max
    let enabled = self[TIM.DIER]
    let requestsAtUpdate = self[TIM.CR2] & Bit.CCDS != 0 ? Bit.DE : Bit.UDE
    let endsAtUpdate = self[TIM.CR1] & Bit.OPM != 0
    let triggersAtUpdate = isTriggerObserved && triggerOutput == .update
    if enabled & (Bit.UIE | requestsAtUpdate) != 0 || endsAtUpdate || triggersAtUpdate {
      ticks = count.ticksToUpdate + UInt64(repetitions) * count.period / count.updatesPerPeriod
    }
    let due = ticksToMatch { [self] in
      isOutput($0) && (enabled >> UInt32($0 + 1) & 1 != 0 || requestsTransfers($0))
    }
    ticks = min(ticks, due ?? .max)
    if drivesObservedPin || compare.indices.contains(where: isTrigger) {
      let due = ticksToMatch { [self] in drivesPin($0) || isTrigger($0) }
      ticks = min(ticks, count.ticksToUpdate, due ?? .max)
    }
    guard ticks != .max else { return }
    chip.schedule.set(slot, at: anchor + ticks * prescaler * divider)
  }

  func refresh() {
    let requested = self[TIM.SR] & self[TIM.DIER]
    for (interrupt, flags) in instance.interrupts {
      chip.setLine(interrupt, source: instance.number, requested & flags != 0)
    }
  }

  /// Records when a register that the program has read will change: CNT at the next tick, SR at an overflow or compare
  /// match.
  private func noteNext(isCount: Bool) {
    guard isRunning else { return }
    let ticks = isCount ? 1 : min(count.ticksToUpdate, ticksToMatch { _ in true } ?? .max)
    chip.run.polls.changes(at: anchor + ticks * prescaler * divider)
  }

  // MARK: Channels

  /// CCMRx.OCxM.
  private enum OutputMode: UInt32 {
    case frozen, active, inactive, toggle, forcedInactive, forcedActive, pwm1, pwm2
  }

  /// Returns the eight bits of CCMRx for a channel.
  func mode(_ channel: Int) -> UInt32 {
    self[channel < 2 ? TIM.CCMR1 : TIM.CCMR2] >> UInt32(channel % 2 * 8) & 0xFF
  }
  func isOutput(_ channel: Int) -> Bool { mode(channel) & 3 == 0 }
  private func outputMode(_ channel: Int) -> OutputMode {
    isOutput(channel) ? OutputMode(rawValue: mode(channel) >> 4 & 7) ?? .frozen : .frozen
  }
  /// Returns the four bits of CCER for a channel.
  func enables(_ channel: Int) -> UInt32 { self[TIM.CCER] >> UInt32(channel * 4) & 15 }

  private func flag(_ channel: Int) {
    guard isOutput(channel) else { return }
    self[TIM.SR] |= Bit.CC1IF << UInt32(channel)
    if channel == 0, triggerOutput == .compare { isTriggerDue = true }
    if requestsTransfers(channel) { dueRequests |= Bit.CC1DE << UInt32(channel) }
  }

  /// Handles a compare match.
  private func match(_ channel: Int) {
    // In center-aligned mode 1 the flag is set only while counting down, in mode 2 only while counting up.
    let alignment = self[TIM.CR1] >> 5 & 3
    if alignment != (count.isDown ? 2 : 1) { flag(channel) }
    // A value above ARR sets the flag at the overflow, but the output does not change.
    guard compare[channel] <= count.top else { return }
    switch outputMode(channel) {
    case .active: references[channel] = true
    case .inactive: references[channel] = false
    case .toggle: references[channel].toggle()
    default: break
    }
  }

  /// Sets the level of a PWM wave, which follows from the count, or the forced level.
  func updatePWM(_ channel: Int) {
    let isBelow =
      count.isDown ? count.value <= compare[channel] : count.value < compare[channel]
    switch outputMode(channel) {
    case .pwm1: references[channel] = isBelow
    case .pwm2: references[channel] = !isBelow
    case .forcedActive: references[channel] = true
    case .forcedInactive: references[channel] = false
    default: break
    }
  }

  /// The level of an output; `nil` if the timer does not drive it.
  func level(of signal: TIMSignal) -> Bool? {
    guard !instance.isAdvanced || self[TIM.BDTR] & Bit.MOE != 0 else { return nil }
    switch signal {
    case .channel(let channel):
      let bits = enables(channel)
      guard isOutput(channel), bits & Bit.CCxE != 0 else { return nil }
      return references[channel] != (bits & Bit.CCxP != 0)
    case .complementary(let channel):
      let bits = enables(channel)
      guard isOutput(channel), bits & Bit.CCxNE != 0 else { return nil }
      // The output is the complement only if both are enabled.
      let inverts = (bits & Bit.CCxE != 0) != (bits & Bit.CCxNP != 0)
      return references[channel] != inverts
    case .trigger: return nil
    }
  }

  private func drivesPin(_ channel: Int) -> Bool { pins.isObserved(self, channel) }
  private var drivesObservedPin: Bool {
    self[TIM.CCER] & 0x5555 != 0 && compare.indices.contains(where: drivesPin)
  }

  func drivePins(at cycle: UInt64) {
    guard self[TIM.CCER] & 0x5555 != 0 else { return }
    pins.outputsDidChange(of: self, at: chip.nanoseconds(cycle))
  }

  /// Brings the output pins up to date before the program reads them.
  func syncOutputs() {
    guard self[TIM.CCER] & 0x5555 != 0 else { return }
    catchUp()
    if isRunning, let ticks = ticksToMatch(where: { _ in true }) {
      let next = min(ticks, count.ticksToUpdate)
      chip.run.polls.changes(at: anchor + next * prescaler * divider)
    }
  }

  // MARK: Registers

  override func load(_ offset: UInt32) -> UInt32 {
    switch offset {
    case TIM.CNT, TIM.SR:
      catchUp()
      noteNext(isCount: offset == TIM.CNT)
      return offset == TIM.CNT ? count.value : self[offset]
    case TIM.CR1:
      guard count.alignment == .center || slaveMode.isEncoder else { return self[offset] }
      catchUp()
      noteNext(isCount: true)
      return self[offset] & ~Bit.DIR | (count.isDown ? Bit.DIR : 0)
    case TIM.CCR1...TIM.CCR4:
      let channel = Int(offset - TIM.CCR1) / 4
      // Reading a captured value clears the flag.
      if compare.indices.contains(channel), !isOutput(channel) {
        self[TIM.SR] &= ~(Bit.CC1IF << UInt32(channel))
        refresh()
      }
      return self[offset]
    default: return self[offset]
    }
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    let new = self[offset]
    // The time up to now is counted with the old register values.
    self[offset] = before
    catchUp()
    switch offset {
    case TIM.SR: self[TIM.SR] &= value
    case TIM.EGR: generate(value)
    case TIM.CNT:
      count.set(new)
      anchor = chip.now
    case TIM.CCR1...TIM.CCR4: setCompare(Int(offset - TIM.CCR1) / 4, new)
    case TIM.ARR:
      self[offset] = new
      if self[TIM.CR1] & Bit.ARPE == 0 { count.setTop(new) }
    default: self[offset] = new
    }
    noteMode(offset, new)
    if offset == TIM.CR1 { setControl(before) }
    if offset == TIM.SMCR { chip.triggers.listenersDidChange() }
    if offset == TIM.SMCR || offset == TIM.CCER { isGateOpen = isTriggerHigh }
    for channel in compare.indices { updatePWM(channel) }
    requestTransfers()
    showTrigger()
    refresh()
    if [TIM.CCER, TIM.BDTR, TIM.CCMR1, TIM.CCMR2].contains(offset) {
      pins.outputsDidChange(of: self, at: chip.nanoseconds(chip.now))
    } else {
      drivePins(at: chip.now)
    }
    schedule()
  }

  private func setCompare(_ channel: Int, _ value: UInt32) {
    guard compare.indices.contains(channel) else { return }
    // CCRx of an input is read-only.
    guard isOutput(channel) else { return }
    self[TIM.CCR1 + UInt32(channel) * 4] = value
    // OCxPE.
    if mode(channel) & 8 == 0 { compare[channel] = value }
  }

  private func setControl(_ before: UInt32) {
    if before & Bit.CEN == 0 { anchor = chip.now }
    guard !slaveMode.isEncoder else { return }
    let isCenter = self[TIM.CR1] >> 5 & 3 != 0
    count.alignment = isCenter ? .center : self[TIM.CR1] & Bit.DIR != 0 ? .down : .up
    if !isCenter { count.isDown = count.alignment == .down }
    count.set(count.value)
  }

  /// Reports an unmodelled mode by its name (RM0383, sections 12.4, 13.4 and 14.5).
  private func noteMode(_ offset: UInt32, _ value: UInt32) {
    let mode: String
    switch offset {
    case TIM.SMCR where value & 7 > 3 && value >> 4 & 7 < 4:
      guard triggerSource.map(chip.triggers.contains) != true else { return }
      mode = "a trigger that is no timer's (SMCR.TS)"
    case TIM.CR2 where value & Bit.TI1S != 0: mode = "the XOR of three inputs (CR2.TI1S)"
    case TIM.BDTR where value & Bit.BKE != 0: mode = "the break input (BDTR.BKE)"
    case TIM.BDTR where value & Bit.DTG != 0: mode = "dead time (BDTR.DTG)"
    case TIM.DIER where value & 0x6000 != 0: mode = "DMA requests of triggers (DIER.TDE, COMDE)"
    case TIM.DMAR: mode = "bursts of DMA (DMAR)"
    case TIM.CCMR1 where value & 3 == 3 || value >> 8 & 3 == 3,
      TIM.CCMR2 where value & 3 == 3 || value >> 8 & 3 == 3:
      mode = "captures at the trigger (CCxS)"
    default: return
    }
    chip.run.unmodelledRegisters.note(
      base + offset, bytes: 4, isWrite: true, mode: "\(mode) of TIM\(instance.number)")
  }

  /// Clears the count and the prescaler, and loads the preloaded registers.
  func reinitialize() {
    let hasOverflowed = self[TIM.CR1] & (Bit.UDIS | Bit.URS) == 0
    let shows: TriggerOutput? = self[TIM.CR1] & Bit.UDIS == 0 ? .update : nil
    if shows != nil { loadPreloaded() }
    if triggerOutput == .reset || triggerOutput == shows { isTriggerDue = true }
    (anchor, externalEdges, repetitions) = (chip.now, 0, self[TIM.RCR])
    count.restart()
    guard hasOverflowed else { return }
    self[TIM.SR] |= Bit.UIF
    requestAtUpdate()
  }

  /// Applies a write of EGR: events that the program generates.
  private func generate(_ value: UInt32) {
    for channel in compare.indices where value >> UInt32(channel + 1) & 1 != 0 {
      if isOutput(channel) { flag(channel) } else { capture(channel, isForced: true) }
    }
    if value & Bit.TG != 0 { self[TIM.SR] |= Bit.TIF }
    if value & Bit.UG != 0 { reinitialize() }
  }
}
