import Machines

/// RTC0 to RTC2: 24-bit counters of the 32,768 Hz clock divided by 1 to 4,096.
package final class RTC: TaskPeripheral {
  package static let TASKS_START: UInt32 = 0x000
  package static let TASKS_STOP: UInt32 = 0x004
  package static let TASKS_CLEAR: UInt32 = 0x008
  package static let TASKS_TRIGOVRFLW: UInt32 = 0x00C
  package static let EVENTS_TICK: UInt32 = 0x100
  package static let EVENTS_OVRFLW: UInt32 = 0x104
  /// EVENTS_COMPARE[0], the first of three or four.
  package static let EVENTS_COMPARE: UInt32 = 0x140
  package static let EVTEN: UInt32 = 0x340
  package static let EVTENSET: UInt32 = 0x344
  package static let EVTENCLR: UInt32 = 0x348
  package static let COUNTER: UInt32 = 0x504
  package static let PRESCALER: UInt32 = 0x508
  /// CC[0], the first of three or four.
  package static let CC: UInt32 = 0x540
  private static let mask: UInt32 = 0xFF_FFFF

  private let compares: Int
  private let low: CLOCK
  /// The count at `start`.
  @exclusivity(unchecked) private var origin: UInt32 = 0
  /// The tick of the 32,768 Hz clock from which the RTC counts.
  @exclusivity(unchecked) private var start: UInt64 = 0
  @exclusivity(unchecked) private var isStarted = false
  /// The value of EVTEN, whose bits select the events that PPI receives.
  @exclusivity(unchecked) private var routed: UInt32 = 0
  @exclusivity(unchecked) private var made: EventSchedule.Slot?
  private var slot: EventSchedule.Slot { chip.slot(&made, of: self) { $0.fire(at: $1) } }

  /// - Parameters:
  ///   - number: the peripheral ID.
  ///   - compares: the number of its compare registers, 3 or 4.
  ///   - clocks: the source of the 32,768 Hz clock.
  ///   - chip: the shared resources of the chip.
  init(_ number: Int, compares: Int, _ clocks: CLOCK, _ chip: Chip) {
    self.compares = compares
    low = clocks
    super.init(
      number,
      events: [RTC.EVENTS_TICK, RTC.EVENTS_OVRFLW]
        + (0..<UInt32(compares)).map { RTC.EVENTS_COMPARE + $0 * 4 }, chip)
    define(RTC.PRESCALER, mask: 0xFFF)
    for index in 0..<UInt32(compares) { define(RTC.CC + index * 4, mask: Self.mask) }
    clocks.lowWillStop.append { [unowned self] in stopCounting(at: $0) }
    clocks.lowDidChange.append { [unowned self] in lowDidChange(at: $0) }
  }

  override func reset() {
    (origin, isStarted, routed) = (0, false, 0)
    chip.schedule.clear(slot)
    super.reset()
  }

  private var divider: UInt64 { UInt64(self[RTC.PRESCALER]) + 1 }
  private var isRunning: Bool { isStarted && low.isLowRunning }

  private func counter(at cycle: UInt64) -> UInt32 {
    let tick = CLOCK.tick(at: cycle)
    guard isRunning, tick > start else { return origin }
    return (origin &+ UInt32(truncatingIfNeeded: (tick - start) / divider)) & Self.mask
  }

  /// Returns the value of COUNTER, which is constant until the next tick of the 32,768 Hz clock.
  private func read() -> UInt32 {
    chip.run.polls.changes(at: CLOCK.cycle(ofTick: CLOCK.tick(at: chip.now) + 1))
    return counter(at: chip.now)
  }

  private func stopCounting(at cycle: UInt64) { origin = counter(at: cycle) }

  /// Responds to a start or stop of the 32,768 Hz clock, without which the counter stops.
  private func lowDidChange(at cycle: UInt64) {
    if low.isLowRunning { start = CLOCK.tick(at: cycle) }
    schedule(from: cycle)
  }

  override func hasTask(_ task: UInt32) -> Bool { task <= RTC.TASKS_TRIGOVRFLW }

  /// Performs a task, which takes effect at the next tick of the 32,768 Hz clock.
  override func task(_ task: UInt32, at cycle: UInt64) {
    catchUp(to: cycle)
    let next = CLOCK.tick(at: cycle) + 1
    switch task {
    case RTC.TASKS_START:
      guard !isStarted else { return }
      isStarted = true
      start = next
      chip.energy(.rtc, true, at: cycle)
    case RTC.TASKS_STOP:
      guard isStarted else { return }
      stopCounting(at: cycle)
      isStarted = false
      chip.energy(.rtc, false, at: cycle)
    case RTC.TASKS_CLEAR: (origin, start) = (0, next)
    case RTC.TASKS_TRIGOVRFLW: (origin, start) = (0xFF_FFF0, next)
    default: return
    }
    schedule(from: cycle)
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case RTC.EVTEN, RTC.EVTENSET, RTC.EVTENCLR: routed
    case RTC.COUNTER: read()
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    let now = chip.now
    catchUp(to: now)
    switch offset {
    case RTC.EVTEN: routed = value
    case RTC.EVTENSET: routed |= value
    case RTC.EVTENCLR: routed &= ~value
    case RTC.PRESCALER:
      // PRESCALER is only writable while the counter is stopped.
      if !isStarted { self[RTC.PRESCALER] = value & 0xFFF }
    case RTC.CC..<RTC.CC + UInt32(compares * 4): self[offset] = value & Self.mask
    default: return false
    }
    schedule(from: now)
    return true
  }

  override func interruptsDidChange() {
    catchUp(to: chip.now)
    schedule(from: chip.now)
  }

  /// Raises the events that became due during the current instruction, before the next event is scheduled.
  private func catchUp(to cycle: UInt64) {
    while let due = chip.schedule.cycle(of: slot), due <= cycle {
      chip.schedule.clear(slot)
      fire(at: due)
    }
  }

  /// Returns whether EVTEN or INTEN enables an event.
  private func isOn(_ event: UInt32) -> Bool { (routed | interrupts) & Self.bit(event) != 0 }

  /// Returns the offset of EVENTS_COMPARE[n].
  private func compareEvent(_ index: Int) -> UInt32 { RTC.EVENTS_COMPARE + UInt32(index * 4) }

  private func schedule(from cycle: UInt64) {
    guard isRunning else { return chip.schedule.clear(slot) }
    let tick = max(CLOCK.tick(at: cycle), start)
    let passed = (tick - start) / divider
    let value = (origin &+ UInt32(truncatingIfNeeded: passed)) & Self.mask
    var nearest: UInt64?
    func consider(_ distance: UInt32) {
      let counts = distance == 0 ? UInt64(Self.mask) + 1 : UInt64(distance)
      nearest = min(nearest ?? .max, counts)
    }
    if isOn(RTC.EVENTS_TICK) { consider(1) }
    if isOn(RTC.EVENTS_OVRFLW) { consider((0 &- value) & Self.mask) }
    for index in 0..<compares where isOn(compareEvent(index)) {
      consider((self[RTC.CC + UInt32(index * 4)] &- value) & Self.mask)
    }
    guard let nearest else { return chip.schedule.clear(slot) }
    chip.schedule.set(slot, at: CLOCK.cycle(ofTick: start + (passed + nearest) * divider))
  }

  private func fire(at cycle: UInt64) {
    let value = counter(at: cycle)
    if isOn(RTC.EVENTS_TICK) { raise(RTC.EVENTS_TICK, at: cycle) }
    if value == 0, isOn(RTC.EVENTS_OVRFLW) { raise(RTC.EVENTS_OVRFLW, at: cycle) }
    for index in 0..<compares
    where isOn(compareEvent(index)) && self[RTC.CC + UInt32(index * 4)] == value {
      raise(compareEvent(index), at: cycle)
    }
    schedule(from: cycle)
  }
}
