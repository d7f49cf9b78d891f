import Cores
import Machines

/// TIMER: counts the ticks of WATCHDOG, usually microseconds, in 64 bits, with four alarms on the lower 32.
package final class TIMER: Peripheral {
  static let TIMEHW: UInt32 = 0x00
  static let TIMELW: UInt32 = 0x04
  package static let TIMEHR: UInt32 = 0x08
  package static let TIMELR: UInt32 = 0x0C
  package static let ALARM0: UInt32 = 0x10
  package static let ARMED: UInt32 = 0x20
  package static let TIMERAWH: UInt32 = 0x24
  package static let TIMERAWL: UInt32 = 0x28
  static let DBGPAUSE: UInt32 = 0x2C
  static let PAUSE: UInt32 = 0x30
  package static let INTR: UInt32 = 0x34
  package static let INTE: UInt32 = 0x38
  static let INTF: UInt32 = 0x3C
  package static let INTS: UInt32 = 0x40

  private let watchdog: WATCHDOG
  /// The count at `start`.
  private var origin: UInt64 = 0
  /// The time in nanoseconds from which the timer counts.
  private var start: UInt64 = 0
  /// The ticks are `rate.ticks` in `rate.nanoseconds`; without ticks the count is constant.
  private var rate: (ticks: UInt64, nanoseconds: UInt64) = (0, 1)
  private var latchedHigh: UInt32 = 0
  private var armed: UInt32 = 0
  private var raised: UInt32 = 0
  private lazy var alarms = (0..<4).map { index in
    MachineEvent(chip.run) { [unowned self] in fire(index) }
  }

  init(_ watchdog: WATCHDOG, _ chip: Chip) {
    self.watchdog = watchdog
    super.init(at: 0x4005_4000, resetBit: RESETS.Bit.TIMER, chip)
    for offset in stride(from: TIMER.TIMEHW, through: TIMER.TIMERAWL, by: 4) { define(offset) }
    define(TIMER.DBGPAUSE, reset: 7, mask: 7)
    define(TIMER.PAUSE, mask: 1)
    for offset in [TIMER.INTR, TIMER.INTE, TIMER.INTF, TIMER.INTS] { define(offset, mask: 15) }
    watchdog.tickDidChange = { [unowned self] in retime() }
  }

  override func reset() {
    super.reset()
    (origin, start, latchedHigh, armed, raised) = (0, time, 0, 0, 0)
    retime()
    refresh()
  }

  override func clocksWillChange() { hold() }
  override func clocksDidChange() { retime() }

  private var count: UInt64 {
    let passed = (time - start).multipliedFullWidth(by: rate.ticks)
    return origin &+ rate.nanoseconds.dividingFullWidth(passed).quotient
  }

  /// Makes now the start of the count; the fraction of a tick is kept by moving the start.
  private func hold() {
    guard rate.ticks > 0 else { return start = time }
    let passed = count &- origin
    origin = origin &+ passed
    start += passed * rate.nanoseconds / rate.ticks
  }

  /// Applies the clocks and PAUSE to the rate.
  private func retime() {
    hold()
    let isPaused = self[TIMER.PAUSE] & 1 != 0 || chip.released & RESETS.Bit.TIMER == 0
    rate = isPaused ? (0, 1) : watchdog.tickRate
    if rate.ticks == 0 { start = time }
    for index in 0..<4 { schedule(index) }
  }

  private func schedule(_ index: Int) {
    guard armed >> UInt32(index) & 1 != 0, rate.ticks > 0 else { return alarms[index].clear() }
    let target = self[TIMER.ALARM0 + UInt32(index * 4)]
    let left = UInt64(target &- UInt32(truncatingIfNeeded: count))
    let ticks = (count &- origin) + (left == 0 ? 1 << 32 : left)
    alarms[index].set(at: start + (ticks * rate.nanoseconds + rate.ticks - 1) / rate.ticks)
  }

  private func fire(_ index: Int) {
    armed &= ~(1 << UInt32(index))
    raised |= 1 << UInt32(index)
    refresh()
  }

  private func refresh() {
    let pending = raised & self[TIMER.INTE] | self[TIMER.INTF]
    for index in 0..<4 { chip.setLine(index, pending >> UInt32(index) & 1 != 0) }
  }

  /// Passes the count that the program has read to the detector of polling loops.
  private func didReadCount(_ count: UInt64) {
    guard rate.ticks > 0 else { return }
    let period = rate.nanoseconds / rate.ticks * chip.systemClock
    let next = start + ((count &- origin + 1) * rate.nanoseconds + rate.ticks - 1) / rate.ticks
    let cycle = chip.run.clock.cycle(at: next)
    if period % 1_000_000_000 == 0, period > 0 {
      chip.run.polls.counts(
        CoreCount(
          nextTick: cycle, period: period / 1_000_000_000,
          ticksLeft: UInt64(UInt32.max - UInt32(truncatingIfNeeded: count))))
    } else {
      chip.run.polls.changes(at: cycle)
    }
  }

  package override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case TIMER.TIMELR, TIMER.TIMERAWL:
      let count = count
      if offset == TIMER.TIMELR { latchedHigh = UInt32(truncatingIfNeeded: count >> 32) }
      didReadCount(count)
      return UInt32(truncatingIfNeeded: count)
    case TIMER.TIMEHR: return latchedHigh
    case TIMER.TIMERAWH:
      chip.run.polls.changes(at: .max)
      return UInt32(truncatingIfNeeded: count >> 32)
    case TIMER.ARMED: return armed
    case TIMER.INTR: return raised
    case TIMER.INTS: return raised & self[TIMER.INTE] | self[TIMER.INTF]
    default: return nil
    }
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case TIMER.TIMELW: self[offset] = value
    case TIMER.TIMEHW:
      hold()
      (origin, start) = (UInt64(value) << 32 | UInt64(self[TIMER.TIMELW]), time)
      retime()
    case TIMER.ALARM0..<TIMER.ARMED:
      let index = Int(offset - TIMER.ALARM0) / 4
      self[offset] = value
      armed |= 1 << UInt32(index)
      schedule(index)
    case TIMER.ARMED:
      armed &= ~value
      for index in 0..<4 { schedule(index) }
    case TIMER.PAUSE:
      self[offset] = value & 1
      retime()
    case TIMER.INTR: raised &= ~value
    case TIMER.INTE, TIMER.INTF: self[offset] = value & 15
    default: return false
    }
    refresh()
    return true
  }
}

/// WATCHDOG: the tick of TIMER, scratch registers and a reset of the chip.
package final class WATCHDOG: Peripheral {
  package static let CTRL: UInt32 = 0x00
  package static let LOAD: UInt32 = 0x04
  package static let REASON: UInt32 = 0x08
  package static let SCRATCH0: UInt32 = 0x0C
  package static let TICK: UInt32 = 0x2C

  /// A callback after a change of the tick.
  var tickDidChange: () -> Void = {}
  private var reason: UInt32 = 0
  private var scratch = [UInt32](repeating: 0, count: 8)
  /// The remaining count at `loaded`, which decreases by two each tick (RP2040-E1).
  private var left: UInt64 = 0
  private var loaded: UInt64 = 0
  private lazy var event = MachineEvent(chip.run) { [unowned self] in bite(1) }

  init(_ chip: Chip) {
    super.init(at: 0x4005_8000, chip)
    define(WATCHDOG.CTRL, reset: 0x0700_0000, mask: 0x4700_0000)
    define(WATCHDOG.LOAD, mask: 0)
    define(WATCHDOG.REASON, mask: 0)
    for index in 0..<8 as Range<UInt32> { define(WATCHDOG.SCRATCH0 + index * 4) }
    define(WATCHDOG.TICK, reset: 0x200, mask: 0x3FF)
  }

  override func reset() {
    super.reset()
    event.clear()
    left = 0
    tickDidChange()
  }

  /// Records why the chip was reset; a loss of power clears the scratch registers.
  func note(_ cause: ResetCause) {
    if cause == .powerOn || cause == .brownOut || cause == .pin {
      (reason, scratch) = (0, Array(repeating: 0, count: 8))
    }
  }

  override func clocksDidChange() { event.reschedule() }

  /// `true` while the watchdog can reset the chip.
  var isRunning: Bool { event.time != nil }

  /// The rate of the tick; (0, 1) while it is off.
  var tickRate: (ticks: UInt64, nanoseconds: UInt64) {
    let cycles = UInt64(self[WATCHDOG.TICK] & 0x1FF)
    guard self[WATCHDOG.TICK] >> 9 & 1 != 0, cycles > 0, let clock = chip.clocks?.referenceClock,
      clock > 0
    else { return (0, 1) }
    var (ticks, nanoseconds) = (clock, cycles * 1_000_000_000)
    while nanoseconds != 0 { (ticks, nanoseconds) = (nanoseconds, ticks % nanoseconds) }
    return (clock / ticks, cycles * 1_000_000_000 / ticks)
  }

  private func bite(_ why: UInt32) {
    reason = why
    chip.run.requestReset(.watchdog)
  }

  private func reload(_ value: UInt32) {
    left = UInt64(value & 0xFF_FFFF)
    rearm()
  }

  private func rearm() {
    let (ticks, nanoseconds) = tickRate
    guard self[WATCHDOG.CTRL] >> 30 & 1 != 0, ticks > 0 else { return event.clear() }
    loaded = time
    event.set(at: loaded + (left + 1) / 2 * nanoseconds / ticks)
  }

  package override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case WATCHDOG.CTRL:
      let (ticks, nanoseconds) = tickRate
      let passed = isRunning ? (time - loaded) * ticks / nanoseconds * 2 : 0
      return self[offset] | UInt32(truncatingIfNeeded: left - min(passed, left))
    case WATCHDOG.REASON: return reason
    case WATCHDOG.SCRATCH0..<WATCHDOG.TICK: return scratch[Int(offset - WATCHDOG.SCRATCH0) / 4]
    // RUNNING, with the countdown of the current tick at 0.
    case WATCHDOG.TICK: return self[offset] | (tickRate.ticks > 0 ? 1 << 10 : 0)
    default: return nil
    }
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case WATCHDOG.CTRL:
      self[offset] = value & 0x4700_0000
      if value >> 31 != 0 { bite(2) } else { rearm() }
    case WATCHDOG.LOAD: reload(value)
    case WATCHDOG.SCRATCH0..<WATCHDOG.TICK:
      scratch[Int(offset - WATCHDOG.SCRATCH0) / 4] = value
    case WATCHDOG.TICK:
      self[offset] = value & 0x3FF
      tickDidChange()
      rearm()
    default: return false
    }
    return true
  }
}
