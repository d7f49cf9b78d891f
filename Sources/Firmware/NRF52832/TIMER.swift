import Machines

/// TIMER0 to TIMER4, which count 16 MHz divided by a power of two (timer mode) or the triggers of COUNT (counter mode).
package final class TIMER: TaskPeripheral {
  package static let TASKS_START: UInt32 = 0x000
  package static let TASKS_STOP: UInt32 = 0x004
  package static let TASKS_COUNT: UInt32 = 0x008
  package static let TASKS_CLEAR: UInt32 = 0x00C
  package static let TASKS_SHUTDOWN: UInt32 = 0x010
  /// TASKS_CAPTURE[0], the first of four or six.
  package static let TASKS_CAPTURE: UInt32 = 0x040
  /// EVENTS_COMPARE[0], the first of four or six.
  package static let EVENTS_COMPARE: UInt32 = 0x140
  package static let MODE: UInt32 = 0x504
  package static let BITMODE: UInt32 = 0x508
  package static let PRESCALER: UInt32 = 0x510
  /// CC[0], the first of four or six.
  package static let CC: UInt32 = 0x540

  private let compares: Int
  /// The count at `start`.
  private var origin: UInt32 = 0
  /// The cycle from which the timer counts.
  private var start: UInt64 = 0
  private var isRunning = false
  private lazy var slot = chip.schedule.slot { [unowned self] in fire(at: $0) }

  /// - Parameters:
  ///   - number: the peripheral ID.
  ///   - compares: the number of its compare registers, 4 or 6.
  ///   - chip: the shared resources of the chip.
  init(_ number: Int, compares: Int, _ chip: Chip) {
    self.compares = compares
    super.init(
      number, events: (0..<UInt32(compares)).map { TIMER.EVENTS_COMPARE + $0 * 4 },
      shorts: (0..<UInt32(compares)).flatMap {
        let event = TIMER.EVENTS_COMPARE + $0 * 4
        return [
          Short(bit: $0, event: event, task: TIMER.TASKS_CLEAR),
          Short(bit: 8 + $0, event: event, task: TIMER.TASKS_STOP),
        ]
      }, chip)
    define(TIMER.MODE, mask: 3)
    define(TIMER.BITMODE, mask: 3)
    define(TIMER.PRESCALER, reset: 4, mask: 15)
    for index in 0..<UInt32(compares) { define(TIMER.CC + index * 4) }
  }

  override func reset() {
    (origin, isRunning) = (0, false)
    chip.schedule.clear(slot)
    super.reset()
  }

  private var isCounter: Bool { self[TIMER.MODE] != 0 }
  private var mask: UInt32 {
    switch self[TIMER.BITMODE] {
    case 0: 0xFFFF
    case 1: 0xFF
    case 2: 0xFF_FFFF
    default: 0xFFFF_FFFF
    }
  }
  /// The number of core cycles per count: 4 cycles of the 64 MHz core per 16 MHz cycle, times the prescaler's divisor.
  private var period: UInt64 { 4 << UInt64(min(self[TIMER.PRESCALER], 9)) }

  private func counter(at cycle: UInt64) -> UInt32 {
    guard isRunning, !isCounter, cycle > start else { return origin & mask }
    return (origin &+ UInt32(truncatingIfNeeded: (cycle - start) / period)) & mask
  }

  /// Continues counting from a value.
  private func set(_ value: UInt32, at cycle: UInt64) {
    origin = value
    start = cycle
  }

  /// The range of offsets that the registers TASKS_CAPTURE[n] occupy.
  private var captures: Range<UInt32> {
    TIMER.TASKS_CAPTURE..<TIMER.TASKS_CAPTURE + UInt32(compares * 4)
  }

  override func hasTask(_ task: UInt32) -> Bool {
    task <= TIMER.TASKS_SHUTDOWN || captures.contains(task)
  }

  override func task(_ task: UInt32, at cycle: UInt64) {
    catchUp(to: cycle)
    switch task {
    case TIMER.TASKS_START:
      guard !isRunning else { return }
      isRunning = true
      start = cycle
      chip.energy(.timer, true, at: cycle)
    case TIMER.TASKS_STOP, TIMER.TASKS_SHUTDOWN:
      set(counter(at: cycle), at: cycle)
      isRunning = false
      chip.energy(.timer, false, at: cycle)
      if task == TIMER.TASKS_SHUTDOWN { origin = 0 }
    case TIMER.TASKS_COUNT:
      guard isRunning, isCounter else { return }
      origin = (origin &+ 1) & mask
      compare(origin, at: cycle)
    // CLEAR resets the prescaler too.
    case TIMER.TASKS_CLEAR: set(0, at: cycle)
    case captures: self[TIMER.CC + task - TIMER.TASKS_CAPTURE] = counter(at: cycle)
    default: return
    }
    schedule(from: cycle)
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    let now = chip.now
    catchUp(to: now)
    let before = counter(at: now)
    switch offset {
    case TIMER.MODE, TIMER.BITMODE, TIMER.PRESCALER:
      self[offset] = value & (offset == TIMER.PRESCALER ? 15 : 3)
      set(before, at: now)
    case TIMER.CC..<TIMER.CC + UInt32(compares * 4): self[offset] = value
    default: return false
    }
    schedule(from: now)
    return true
  }

  override func interruptsDidChange() {
    catchUp(to: chip.now)
    schedule(from: chip.now)
  }

  override func didClear(_ event: UInt32) {
    catchUp(to: chip.now)
    schedule(from: chip.now)
  }

  /// Raises the compare events that became due during the current instruction, before the next event is scheduled.
  private func catchUp(to cycle: UInt64) {
    while let due = chip.schedule.cycle(of: slot), due <= cycle {
      chip.schedule.clear(slot)
      fire(at: due)
    }
  }

  /// Schedules the next compare event that has an effect.
  private func schedule(from cycle: UInt64) {
    guard isRunning, !isCounter else { return chip.schedule.clear(slot) }
    let from = max(cycle, start)
    let value = counter(at: from)
    var nearest: UInt64?
    let isLinked = chip.ppi?.isInUse ?? false
    for index in 0..<compares {
      let event = TIMER.EVENTS_COMPARE + UInt32(index * 4)
      let hasEffect =
        isLinked || !isSet(event) || interrupts & Self.bit(event) != 0
        || self[TIMER.SHORTS] >> UInt32(index) & 0x101 != 0
      guard hasEffect else { continue }
      let distance = (self[TIMER.CC + UInt32(index * 4)] &- value) & mask
      let counts = distance == 0 ? UInt64(mask) + 1 : UInt64(distance)
      nearest = min(nearest ?? .max, counts)
    }
    guard let nearest else { return chip.schedule.clear(slot) }
    let passed = (from - start) / period
    chip.schedule.set(slot, at: start + (passed + nearest) * period)
  }

  private func fire(at cycle: UInt64) {
    compare(counter(at: cycle), at: cycle)
    schedule(from: cycle)
  }

  private func compare(_ value: UInt32, at cycle: UInt64) {
    for index in 0..<UInt32(compares) where self[TIMER.CC + index * 4] & mask == value {
      raise(TIMER.EVENTS_COMPARE + index * 4, at: cycle)
    }
  }
}
