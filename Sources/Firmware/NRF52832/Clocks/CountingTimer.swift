import Machines

/// TIMER0 to TIMER4: counters of 16 MHz divided by a power of two, or of a task.
final class CountingTimer: TaskPeripheral {
  private enum Task { static let start = 0, stop = 1, count = 2, clear = 3, shutdown = 4 }
  private static let firstCompare = 16

  private let compares: Int
  /// What it counts from, since a cycle.
  private var origin: UInt32 = 0
  private var start: UInt64 = 0
  private var isRunning = false
  private lazy var slot = die.schedule.slot { [unowned self] in fire(at: $0) }

  init(_ number: Int, compares: Int, _ die: Die) {
    self.compares = compares
    let first = Self.firstCompare
    super.init(
      number, events: (0..<compares).map { first + $0 },
      shorts: (0..<compares).flatMap {
        [
          Short(bit: UInt32($0), event: first + $0, task: Task.clear),
          Short(bit: UInt32(8 + $0), event: first + $0, task: Task.stop),
        ]
      }, die)
    define(0x504, mask: 3)
    define(0x508, mask: 3)
    define(0x510, reset: 4, mask: 15)
    for index in 0..<UInt32(compares) { define(0x540 + index * 4) }
  }

  override func reset() {
    (origin, isRunning) = (0, false)
    die.schedule.clear(slot)
    super.reset()
  }

  private var isCounter: Bool { self[0x504] != 0 }
  private var mask: UInt32 {
    switch self[0x508] {
    case 0: 0xFFFF
    case 1: 0xFF
    case 2: 0xFF_FFFF
    default: 0xFFFF_FFFF
    }
  }
  /// The cycles of one count: 64 MHz to 16 MHz, and the prescaler.
  private var period: UInt64 { 4 << UInt64(min(self[0x510], 9)) }

  private func counter(at cycle: UInt64) -> UInt32 {
    guard isRunning, !isCounter, cycle > start else { return origin & mask }
    return (origin &+ UInt32(truncatingIfNeeded: (cycle - start) / period)) & mask
  }

  /// Goes on counting from a number.
  private func set(_ value: UInt32, at cycle: UInt64) {
    origin = value
    start = cycle
  }

  override func hasTask(_ index: Int) -> Bool {
    index <= Task.shutdown || (0x10..<0x10 + compares).contains(index)
  }

  override func task(_ index: Int, at cycle: UInt64) {
    catchUp(to: cycle)
    switch index {
    case Task.start:
      guard !isRunning else { return }
      isRunning = true
      start = cycle
      die.energy(.timers, true, at: cycle)
    case Task.stop, Task.shutdown:
      set(counter(at: cycle), at: cycle)
      isRunning = false
      die.energy(.timers, false, at: cycle)
      if index == Task.shutdown { origin = 0 }
    case Task.count:
      guard isRunning, isCounter else { return }
      origin = (origin &+ 1) & mask
      compare(origin, at: cycle)
    case Task.clear: restart(at: cycle)
    case 0x10..<0x10 + compares:
      self[0x540 + UInt32(index - 0x10) * 4] = counter(at: cycle)
    default: return
    }
    plan(from: cycle)
  }

  /// Counts from 0, its prescaler too.
  private func restart(at cycle: UInt64) { set(0, at: cycle) }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    let now = die.now
    catchUp(to: now)
    let before = counter(at: now)
    switch offset {
    case 0x504, 0x508, 0x510:
      self[offset] = value & (offset == 0x510 ? 15 : 3)
      set(before, at: now)
    case 0x540..<0x540 + UInt32(compares * 4): self[offset] = value
    default: return false
    }
    plan(from: now)
    return true
  }

  override func interruptsDidChange() {
    catchUp(to: die.now)
    plan(from: die.now)
  }

  override func didClear(_ event: Int) {
    catchUp(to: die.now)
    plan(from: die.now)
  }

  /// Raises the compare events that were due during the instruction that is under way, before anything is planned again.
  private func catchUp(to cycle: UInt64) {
    while let due = die.schedule.cycle(of: slot), due <= cycle {
      die.schedule.clear(slot)
      fire(at: due)
    }
  }

  /// Plans the next count at which something happens that anybody can notice.
  private func plan(from cycle: UInt64) {
    guard isRunning, !isCounter else { return die.schedule.clear(slot) }
    let from = max(cycle, start)
    let value = counter(at: from)
    var nearest: UInt64?
    let isLinked = die.ppi?.isInUse ?? false
    for index in 0..<compares {
      let event = Self.firstCompare + index
      let isNoticed =
        isLinked || !isSet(event) || interrupts >> UInt32(event) & 1 != 0
        || self[0x200] >> UInt32(index) & 0x101 != 0
      guard isNoticed else { continue }
      let distance = (self[0x540 + UInt32(index * 4)] &- value) & mask
      let counts = distance == 0 ? UInt64(mask) + 1 : UInt64(distance)
      nearest = min(nearest ?? .max, counts)
    }
    guard let nearest else { return die.schedule.clear(slot) }
    let passed = (from - start) / period
    die.schedule.set(slot, at: start + (passed + nearest) * period)
  }

  private func fire(at cycle: UInt64) {
    compare(counter(at: cycle), at: cycle)
    plan(from: cycle)
  }

  private func compare(_ value: UInt32, at cycle: UInt64) {
    for index in 0..<compares where self[0x540 + UInt32(index * 4)] & mask == value {
      raise(Self.firstCompare + index, at: cycle)
    }
  }
}
