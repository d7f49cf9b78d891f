import Machines

/// RTC0 to RTC2: counters of 24 bits on the clock of 32,768 Hz, divided by 1 to 4,096.
final class RealTimeCounter: TaskPeripheral {
  private enum Event { static let tick = 0, overflow = 1, firstCompare = 16 }
  private static let mask: UInt32 = 0xFF_FFFF

  private let compares: Int
  private let low: Clocks
  @exclusivity(unchecked) private var origin: UInt32 = 0
  /// The tick of the low clock at which it had the value that it counts from.
  @exclusivity(unchecked) private var start: UInt64 = 0
  @exclusivity(unchecked) private var isStarted = false
  /// EVTEN.
  @exclusivity(unchecked) private var routed: UInt32 = 0
  @exclusivity(unchecked) private var made: EventSchedule.Slot?
  private var slot: EventSchedule.Slot { die.slot(&made, of: self) { $0.fire(at: $1) } }

  init(_ number: Int, compares: Int, _ clocks: Clocks, _ die: Die) {
    self.compares = compares
    low = clocks
    super.init(
      number,
      events: [Event.tick, Event.overflow] + (0..<compares).map { Event.firstCompare + $0 }, die)
    define(0x508, mask: 0xFFF)
    for index in 0..<UInt32(compares) { define(0x540 + index * 4, mask: Self.mask) }
    clocks.lowWillStop.append { [unowned self] in stopCounting(at: $0) }
    clocks.lowDidChange.append { [unowned self] in lowDidChange(at: $0) }
  }

  override func reset() {
    (origin, isStarted, routed) = (0, false, 0)
    die.schedule.clear(slot)
    super.reset()
  }

  private var divider: UInt64 { UInt64(self[0x508]) + 1 }
  private var isRunning: Bool { isStarted && low.isLowRunning }

  private func counter(at cycle: UInt64) -> UInt32 {
    let tick = Clocks.tick(at: cycle)
    guard isRunning, tick > start else { return origin }
    return (origin &+ UInt32(truncatingIfNeeded: (tick - start) / divider)) & Self.mask
  }

  /// COUNTER, which stays the same until the next tick of the low clock.
  private func read() -> UInt32 {
    die.run.polls.changes(at: Clocks.cycle(ofTick: Clocks.tick(at: die.now) + 1))
    return counter(at: die.now)
  }

  private func stopCounting(at cycle: UInt64) { origin = counter(at: cycle) }

  /// The low clock comes or goes; the counter stands still without it.
  private func lowDidChange(at cycle: UInt64) {
    if low.isLowRunning { start = Clocks.tick(at: cycle) }
    plan(from: cycle)
  }

  override func hasTask(_ index: Int) -> Bool { index < 4 }

  /// START, STOP, CLEAR, TRIGOVRFLW: each with the next tick of the low clock.
  override func task(_ index: Int, at cycle: UInt64) {
    catchUp(to: cycle)
    let next = Clocks.tick(at: cycle) + 1
    switch index {
    case 0:
      guard !isStarted else { return }
      isStarted = true
      start = next
      die.energy(.rtc, true, at: cycle)
    case 1:
      guard isStarted else { return }
      stopCounting(at: cycle)
      isStarted = false
      die.energy(.rtc, false, at: cycle)
    case 2: (origin, start) = (0, next)
    case 3: (origin, start) = (0xFF_FFF0, next)
    default: return
    }
    plan(from: cycle)
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case 0x340, 0x344, 0x348: routed
    case 0x504: read()
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    let now = die.now
    catchUp(to: now)
    switch offset {
    case 0x340: routed = value
    case 0x344: routed |= value
    case 0x348: routed &= ~value
    case 0x508:
      // The prescaler can only be written while the counter stands.
      if !isStarted { self[0x508] = value & 0xFFF }
    case 0x540..<0x540 + UInt32(compares * 4): self[offset] = value & Self.mask
    default: return false
    }
    plan(from: now)
    return true
  }

  override func interruptsDidChange() {
    catchUp(to: die.now)
    plan(from: die.now)
  }

  /// Raises the events that were due during the instruction that is under way, before anything is planned again.
  private func catchUp(to cycle: UInt64) {
    while let due = die.schedule.cycle(of: slot), due <= cycle {
      die.schedule.clear(slot)
      fire(at: due)
    }
  }

  private func isOn(_ event: Int) -> Bool { (routed | interrupts) >> UInt32(event) & 1 != 0 }

  private func plan(from cycle: UInt64) {
    guard isRunning else { return die.schedule.clear(slot) }
    let tick = max(Clocks.tick(at: cycle), start)
    let passed = (tick - start) / divider
    let value = (origin &+ UInt32(truncatingIfNeeded: passed)) & Self.mask
    var nearest: UInt64?
    func consider(_ distance: UInt32) {
      let counts = distance == 0 ? UInt64(Self.mask) + 1 : UInt64(distance)
      nearest = min(nearest ?? .max, counts)
    }
    if isOn(Event.tick) { consider(1) }
    if isOn(Event.overflow) { consider((0 &- value) & Self.mask) }
    for index in 0..<compares where isOn(Event.firstCompare + index) {
      consider((self[0x540 + UInt32(index * 4)] &- value) & Self.mask)
    }
    guard let nearest else { return die.schedule.clear(slot) }
    die.schedule.set(slot, at: Clocks.cycle(ofTick: start + (passed + nearest) * divider))
  }

  private func fire(at cycle: UInt64) {
    let value = counter(at: cycle)
    if isOn(Event.tick) { raise(Event.tick, at: cycle) }
    if value == 0, isOn(Event.overflow) { raise(Event.overflow, at: cycle) }
    for index in 0..<compares
    where isOn(Event.firstCompare + index) && self[0x540 + UInt32(index * 4)] == value {
      raise(Event.firstCompare + index, at: cycle)
    }
    plan(from: cycle)
  }
}
