import Machines

/// TIM1 to TIM5 and TIM9 to TIM11: up-counters with up to four compare channels.
///
/// Down and center-aligned counting, input captures and external clocks are reported as unmodelled.
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

  /// Bits of CR1, DIER, SR and EGR.
  private enum Bit {
    static let CEN: UInt32 = 1, UDIS: UInt32 = 1 << 1, URS: UInt32 = 1 << 2, OPM: UInt32 = 1 << 3
    static let DIR: UInt32 = 1 << 4, CMS: UInt32 = 3 << 5
    static let UIE: UInt32 = 1
    static let UIF: UInt32 = 1, CC1IF: UInt32 = 1 << 1
    static let UG: UInt32 = 1
    /// CC1G to CC4G.
    static let CCxG: UInt32 = 0x1E
  }

  private let instance: TIMInstance
  /// A past cycle and the count at that cycle, from which later counts are calculated.
  private var anchor: (cycle: UInt64, count: UInt32) = (0, 0)
  /// The active prescaler plus 1; PSC takes effect at an update event.
  private var prescaler: UInt64 = 1
  /// The number of core cycles per timer clock.
  private var divider: UInt64 = 1
  /// The repetition counter: the overflows that remain before an update event.
  private var repetitions: UInt32 = 0
  private lazy var slot = chip.schedule.slot { [unowned self] _ in
    catchUp()
    schedule()
  }

  init(_ instance: TIMInstance, _ chip: Chip) {
    self.instance = instance
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
    define(TIM.RCR, mask: instance.number == 1 ? 0xFF : 0)
    for offset in [TIM.CCR1, TIM.CCR2, TIM.CCR3, TIM.CCR4] { define(offset, mask: width) }
  }

  override func reset() {
    super.reset()
    (anchor, prescaler) = ((chip.now, 0), 1)
    chip.schedule.clear(slot)
    findDivider()
    repetitions = 0
    refresh()
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

  private var isRunning: Bool { self[TIM.CR1] & Bit.CEN != 0 }
  private var period: UInt64 { UInt64(self[TIM.ARR]) + 1 }

  /// Advances the count to now and sets the flags of the passed events.
  private func catchUp() {
    guard isRunning, !chip.isStopped, self[TIM.ARR] > 0 else {
      anchor.cycle = chip.now
      return
    }
    var ticks = (chip.now - anchor.cycle) / (prescaler * divider)
    while ticks > 0 {
      let count = UInt64(anchor.count)
      let toEnd = count < period ? period - count : (instance.isWide ? 1 << 32 : 1 << 16) - count
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
      // Whole periods are skipped at once.
      if ticks > period, self[TIM.CR1] & Bit.OPM == 0 {
        skipPeriods(ticks / period)
        anchor.cycle += ticks / period * period * prescaler * divider
        note(from: 0, period)
        ticks %= period
      }
    }
    refresh()
  }

  /// Advances by a number of whole counter periods at once; an update event occurs every RCR + 1 periods.
  private func skipPeriods(_ count: UInt64) {
    guard self[TIM.CR1] & Bit.UDIS == 0 else { return }
    guard count > UInt64(repetitions) else {
      repetitions -= UInt32(count)
      return
    }
    let remainder = (count - UInt64(repetitions) - 1) % (UInt64(self[TIM.RCR]) + 1)
    repetitions = self[TIM.RCR] - UInt32(remainder)
    self[TIM.SR] |= Bit.UIF
  }

  /// Sets the flags of the compare matches within the next ticks.
  private func note(from count: UInt64, _ ticks: UInt64) {
    for channel in 0..<instance.channels {
      let compare = UInt64(self[TIM.CCR1 + UInt32(channel) * 4])
      if compare > count && compare <= count + ticks || compare == 0 && count + ticks >= period {
        self[TIM.SR] |= Bit.CC1IF << UInt32(channel)
      }
    }
  }

  /// Handles an overflow, which may set UIF and load the new prescaler.
  private func update() {
    guard self[TIM.CR1] & Bit.UDIS == 0 else { return }
    prescaler = UInt64(self[TIM.PSC]) + 1
    guard repetitions == 0 else {
      repetitions -= 1
      return
    }
    repetitions = self[TIM.RCR]
    self[TIM.SR] |= Bit.UIF
    if self[TIM.CR1] & Bit.OPM != 0 { self[TIM.CR1] &= ~Bit.CEN }
  }

  /// Schedules the next event with an enabled interrupt.
  private func schedule() {
    chip.schedule.clear(slot)
    guard isRunning, !chip.isStopped, self[TIM.ARR] > 0 else { return }
    let count = UInt64(anchor.count)
    var ticks = UInt64.max
    if self[TIM.DIER] & Bit.UIE != 0 || self[TIM.CR1] & Bit.OPM != 0 {
      ticks = count < period ? period - count : (instance.isWide ? 1 << 32 : 1 << 16) - count
      ticks += UInt64(repetitions) * period
    }
    for channel in 0..<instance.channels where self[TIM.DIER] >> UInt32(channel + 1) & 1 != 0 {
      let compare = UInt64(self[TIM.CCR1 + UInt32(channel) * 4])
      guard compare < period else { continue }
      ticks = min(ticks, compare > count ? compare - count : period - count + compare)
    }
    guard ticks != .max else { return }
    chip.schedule.set(slot, at: anchor.cycle + ticks * prescaler * divider)
  }

  private func refresh() {
    let requested = self[TIM.SR] & self[TIM.DIER]
    for (interrupt, flags) in instance.interrupts {
      chip.setLine(interrupt, source: instance.number, requested & flags != 0)
    }
  }

  /// Records when a register that the program has read will change: CNT at the next tick, SR at an overflow or compare
  /// match.
  private func noteNext(isCount: Bool) {
    guard isRunning, !chip.isStopped, self[TIM.ARR] > 0 else { return }
    let count = UInt64(anchor.count)
    var ticks = count < period ? period - count : 1
    for channel in 0..<4 {
      let compare = UInt64(self[TIM.CCR1 + UInt32(channel) * 4])
      if compare > count { ticks = min(ticks, compare - count) }
    }
    chip.run.polls.changes(at: anchor.cycle + (isCount ? 1 : ticks) * prescaler * divider)
  }

  override func load(_ offset: UInt32) -> UInt32 {
    if offset == TIM.SR || offset == TIM.CNT {
      catchUp()
      noteNext(isCount: offset == TIM.CNT)
    }
    return offset == TIM.CNT ? anchor.count : self[offset]
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    let new = self[offset]
    // The time up to now is counted with the old register values.
    self[offset] = before
    catchUp()
    switch offset {
    case TIM.SR: self[TIM.SR] &= value
    case TIM.EGR: generate(value)
    case TIM.CNT: anchor = (chip.now, new)
    default: self[offset] = new
    }
    noteMode(offset, new)
    if offset == TIM.CR1 { anchor.cycle = before & Bit.CEN == 0 ? chip.now : anchor.cycle }
    refresh()
    schedule()
  }

  /// Reports an unmodelled mode by its name (RM0383, sections 12.4, 13.4 and 14.5).
  private func noteMode(_ offset: UInt32, _ value: UInt32) {
    let mode: String
    switch offset {
    case TIM.CR1 where value & (Bit.DIR | Bit.CMS) != 0:
      mode = "counting down or center-aligned (CR1.DIR, CMS)"
    case TIM.SMCR where value & 7 != 0: mode = "external clock, encoder or trigger (SMCR.SMS)"
    // CCxS: a channel is an input.
    case TIM.CCMR1 where value & 0x0303 != 0, TIM.CCMR2 where value & 0x0303 != 0:
      mode = "input capture (CCMR\(offset == TIM.CCMR1 ? 1 : 2).CCxS)"
    default: return
    }
    chip.run.unmodelledRegisters.note(
      base + offset, bytes: 4, isWrite: true, mode: "\(mode) of TIM\(instance.number)")
  }

  /// Applies a write of EGR: software-generated update and compare events.
  private func generate(_ value: UInt32) {
    self[TIM.SR] |= value & Bit.CCxG
    guard value & Bit.UG != 0 else { return }
    anchor = (chip.now, 0)
    prescaler = UInt64(self[TIM.PSC]) + 1
    repetitions = self[TIM.RCR]
    if self[TIM.CR1] & (Bit.UDIS | Bit.URS) == 0 { self[TIM.SR] |= Bit.UIF }
  }
}

/// The properties of a timer (RM0383, sections 12 to 14; the vectors in table 37).
struct TIMInstance {
  let number: UInt32
  let base: UInt32
  /// `true` if the counter has 32 bits.
  let isWide: Bool
  /// `true` if APB2 clocks the timer.
  let isOnAPB2: Bool
  let channels: Int
  /// The interrupt numbers of the timer, each with the flags of SR that request the interrupt.
  let interrupts: [(Int, flags: UInt32)]

  static let all = [
    TIMInstance(
      number: 1, base: 0x4001_0000, isWide: false, isOnAPB2: true, channels: 4,
      interrupts: [(24, 0x80), (25, 1), (26, 0x60), (27, 0x1E)]),
    slow(2, isWide: true, 28), slow(3, isWide: false, 29), slow(4, isWide: false, 30),
    slow(5, isWide: true, 50),
    fast(9, channels: 2, 24), fast(10, channels: 1, 25), fast(11, channels: 1, 26),
  ]

  private static func slow(_ number: UInt32, isWide: Bool, _ interrupt: Int) -> TIMInstance {
    TIMInstance(
      number: number, base: 0x4000_0000 + (number - 2) * 0x400, isWide: isWide, isOnAPB2: false,
      channels: 4, interrupts: [(interrupt, 0x5F)])
  }

  private static func fast(_ number: UInt32, channels: Int, _ interrupt: Int) -> TIMInstance {
    TIMInstance(
      number: number, base: 0x4001_4000 + (number - 9) * 0x400, isWide: false, isOnAPB2: true,
      channels: channels, interrupts: [(interrupt, 0x47)])
  }
}
