import Machines

/// TIM1 to TIM5 and TIM9 to TIM11: counters that come round, with up to four compares; upwards only.
///
/// Counting down or in both directions, captures and clocks from outside are told as not modelled.
final class Timer: Peripheral {
  private let kind: TimerKind
  /// The count at a cycle, from which it goes on.
  private var anchor: (cycle: UInt64, count: UInt32) = (0, 0)
  /// What counts now: the prescaler is taken over at an update.
  private var prescaler: UInt64 = 1
  /// The cycles of the core for each of the timer's clock.
  private var divider: UInt64 = 1
  /// The rounds that pass before an update is told: RCR.
  private var rounds: UInt32 = 0
  private lazy var slot = chip.schedule.slot { [unowned self] _ in
    catchUp()
    plan()
  }

  init(_ kind: TimerKind, _ chip: Silicon) {
    self.kind = kind
    super.init(at: kind.base, chip)
    let width: UInt32 = kind.isWide ? .max : 0xFFFF
    for offset: UInt32 in [0x04, 0x08, 0x0C, 0x18, 0x1C, 0x20, 0x44, 0x48, 0x4C, 0x50] {
      define(offset, mask: 0xFFFF)
    }
    define(0x00, mask: 0x3FF)
    define(0x10, mask: 0)
    define(0x14, mask: 0)
    define(0x24, mask: width)
    define(0x28, mask: 0xFFFF)
    define(0x2C, mask: width, reset: width)
    define(0x30, mask: kind.number == 1 ? 0xFF : 0)
    for offset: UInt32 in [0x34, 0x38, 0x3C, 0x40] { define(offset, mask: width) }
  }

  override func reset() {
    super.reset()
    (anchor, prescaler) = ((chip.now, 0), 1)
    chip.schedule.clear(slot)
    findDivider()
    rounds = 0
    refresh()
  }

  /// A timer runs at its bus's clock, or at twice that where the bus is divided.
  private func findDivider() {
    let bus = (kind.isFast ? chip.clocks?.fastDivider : chip.clocks?.slowDivider) ?? 1
    divider = bus == 1 ? 1 : bus / 2
  }

  override func clocksWillChange() { catchUp() }

  override func clocksDidChange() {
    catchUp()
    findDivider()
    plan()
  }

  private var isRunning: Bool { self[0x00] & 1 != 0 }
  private var period: UInt64 { UInt64(self[0x2C]) + 1 }

  /// Counts what has passed, and notes what came by.
  private func catchUp() {
    guard isRunning, !chip.isStopped, self[0x2C] > 0 else {
      anchor.cycle = chip.now
      return
    }
    var ticks = (chip.now - anchor.cycle) / (prescaler * divider)
    while ticks > 0 {
      let count = UInt64(anchor.count)
      let toEnd = count < period ? period - count : (kind.isWide ? 1 << 32 : 1 << 16) - count
      let step = min(ticks, toEnd)
      note(from: count, step)
      anchor.cycle += step * prescaler * divider
      ticks -= step
      guard step == toEnd else {
        anchor.count = UInt32(count + step)
        break
      }
      anchor.count = 0
      update()
      guard isRunning else { break }
      ticks = (chip.now - anchor.cycle) / (prescaler * divider)
      // Whole rounds pass without being looked at one by one.
      if ticks > period, self[0x00] & 8 == 0 {
        passRounds(ticks / period)
        anchor.cycle += ticks / period * period * prescaler * divider
        note(from: 0, period)
        ticks %= period
      }
    }
    refresh()
  }

  /// Lets whole rounds pass: an update is told once RCR of them went by untold.
  private func passRounds(_ count: UInt64) {
    guard self[0x00] & 2 == 0 else { return }
    guard count > UInt64(rounds) else {
      rounds -= UInt32(count)
      return
    }
    let behind = (count - UInt64(rounds) - 1) % (UInt64(self[0x30]) + 1)
    rounds = self[0x30] - UInt32(behind)
    self[0x10] |= 1
  }

  /// Sets the flags of the compares among the next ticks.
  private func note(from count: UInt64, _ ticks: UInt64) {
    for channel in 0..<kind.channels {
      let compare = UInt64(self[0x34 + UInt32(channel) * 4])
      if compare > count && compare <= count + ticks || compare == 0 && count + ticks >= period {
        self[0x10] |= 2 << UInt32(channel)
      }
    }
  }

  /// The count has come round: flags, and the prescaler that was written.
  private func update() {
    guard self[0x00] & 2 == 0 else { return }
    prescaler = UInt64(self[0x28]) + 1
    guard rounds == 0 else {
      rounds -= 1
      return
    }
    rounds = self[0x30]
    self[0x10] |= 1
    if self[0x00] & 8 != 0 { self[0x00] &= ~1 }
  }

  /// Comes back when something that interrupts is due.
  private func plan() {
    chip.schedule.clear(slot)
    guard isRunning, !chip.isStopped, self[0x2C] > 0 else { return }
    let count = UInt64(anchor.count)
    var ticks = UInt64.max
    if self[0x0C] & 1 != 0 || self[0x00] & 8 != 0 {
      ticks = count < period ? period - count : (kind.isWide ? 1 << 32 : 1 << 16) - count
      ticks += UInt64(rounds) * period
    }
    for channel in 0..<kind.channels where self[0x0C] >> UInt32(channel + 1) & 1 != 0 {
      let compare = UInt64(self[0x34 + UInt32(channel) * 4])
      guard compare < period else { continue }
      ticks = min(ticks, compare > count ? compare - count : period - count + compare)
    }
    guard ticks != .max else { return }
    chip.schedule.set(slot, at: anchor.cycle + ticks * prescaler * divider)
  }

  private func refresh() {
    let asked = self[0x10] & self[0x0C]
    for (interrupt, flags) in kind.interrupts {
      chip.setLine(interrupt, source: kind.number, asked & flags != 0)
    }
  }

  /// When what was read changes by itself: the count with the next tick, a flag at the end or at a compare.
  private func noteNext(isCount: Bool) {
    guard isRunning, !chip.isStopped, self[0x2C] > 0 else { return }
    let count = UInt64(anchor.count)
    var ticks = count < period ? period - count : 1
    for channel in 0..<4 {
      let compare = UInt64(self[0x34 + UInt32(channel) * 4])
      if compare > count { ticks = min(ticks, compare - count) }
    }
    chip.run.polls.changes(at: anchor.cycle + (isCount ? 1 : ticks) * prescaler * divider)
  }

  override func load(_ offset: UInt32) -> UInt32 {
    if offset == 0x10 || offset == 0x24 {
      catchUp()
      noteNext(isCount: offset == 0x24)
    }
    return offset == 0x24 ? anchor.count : self[offset]
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    let new = self[offset]
    // What was counted until now was counted by the registers as they were.
    self[offset] = before
    catchUp()
    switch offset {
    case 0x10: self[0x10] &= value
    case 0x14: generate(value)
    case 0x24: anchor = (chip.now, new)
    default: self[offset] = new
    }
    noteMode(offset, new)
    if offset == 0x00 { anchor.cycle = before & 1 == 0 ? chip.now : anchor.cycle }
    refresh()
    plan()
  }

  /// Reports a mode that is not modelled, by its name (RM0383, sections 12.4, 13.4 and 14.5).
  private func noteMode(_ offset: UInt32, _ value: UInt32) {
    let mode: String
    switch offset {
    case 0x00 where value & 0x70 != 0: mode = "counting down or center-aligned (CR1.DIR, CMS)"
    case 0x08 where value & 7 != 0: mode = "external clock, encoder or trigger (SMCR.SMS)"
    // CCxS: a channel is an input.
    case 0x18 where value & 0x0303 != 0, 0x1C where value & 0x0303 != 0:
      mode = "input capture (CCMR\(offset == 0x18 ? 1 : 2).CCxS)"
    default: return
    }
    chip.run.untouched.note(
      base + offset, bytes: 4, isWrite: true, mode: "\(mode) of TIM\(kind.number)")
  }

  /// EGR: an update or compares by hand.
  private func generate(_ value: UInt32) {
    self[0x10] |= value & 0x1E
    guard value & 1 != 0 else { return }
    anchor = (chip.now, 0)
    prescaler = UInt64(self[0x28]) + 1
    rounds = self[0x30]
    if self[0x00] & 6 == 0 { self[0x10] |= 1 }
  }
}
