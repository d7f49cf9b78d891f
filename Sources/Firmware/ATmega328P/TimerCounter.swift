import Cores
import Machines

/// A timer/counter, with compare matches, overflows, and their flags and interrupts.
///
/// The count is calculated when it is read, and an event is scheduled for the next enabled interrupt, so ticks cost
/// nothing. In PWM modes a compare value takes effect at once. Pins are not driven, and a timer clocked by a pin does
/// not count.
final class TimerCounter: IOBlock {
  private unowned let chip: Chip
  private let layout: TimerLayout
  private var state = TimerCount()
  private var base = TickBase()
  private var ticked: UInt64 = 0
  private var controlA: UInt8 = 0
  private var controlB: UInt8 = 0
  private var compare: (a: UInt32, b: UInt32) = (0, 0)
  private var capture: UInt32 = 0
  private var mask: UInt8 = 0
  private var flags: UInt8 = 0
  private var highByte: UInt8 = 0
  /// ASSR; its bit AS2 clocks timer 2 from a 32,768 Hz crystal.
  private var asynchronous: UInt8 = 0
  private var origin: UInt64 = 0
  private var isPowered = true
  private var clockRuns = true
  private var stoppedAt: UInt64 = 0
  private var event: ChipEvent?
  /// The unmodelled modes that have been reported, a bit each.
  private var reported: UInt8 = 0

  private static let overflow: UInt8 = 1, matchA: UInt8 = 2, matchB: UInt8 = 4
  private static let crystal: UInt64 = 32768

  init(_ chip: Chip, _ layout: TimerLayout) {
    self.chip = chip
    self.layout = layout
    super.init()
    event = ChipEvent(chip) { [unowned self] _ in
      sync()
      updateRequests()
    }
  }

  override var addresses: [UInt16] {
    let own = [layout.controlA, layout.controlB, layout.mask, layout.flags]
    let values = [layout.count, layout.compareA, layout.compareB]
    if layout.isWide {
      return own + [TimerLayout.TCCR1C, TimerLayout.ICR1L, TimerLayout.ICR1H] + values
        + values.map { $0 + 1 }
    }
    return own + values + (layout.powerBit == 6 ? [TimerLayout.ASSR] : [])
  }
  override var vectors: [Vector] { [layout.overflow, layout.vectorA, layout.vectorB] }

  override func reset() {
    (controlA, controlB, mask, flags, highByte, asynchronous) = (0, 0, 0, 0, 0, 0)
    (compare, capture) = ((0, 0), 0)
    state = TimerCount()
    (isPowered, clockRuns, origin) = (true, true, chip.cycle)
    changed()
  }

  /// Resets the prescaler (GTCCR).
  func resetPrescaler() {
    sync()
    origin = chip.cycle
    changed()
  }

  /// Enables or disables the timer (PRR).
  func power(_ isOn: Bool) {
    guard isOn != isPowered else { return }
    sync()
    isPowered = isOn
    changed()
  }

  override func clock(runs: Bool) {
    guard runs != clockRuns, asynchronous & 0x20 == 0 else { return }
    sync()
    clockRuns = runs
    // The prescaler stops as well.
    if runs { origin &+= chip.cycle &- stoppedAt } else { stoppedAt = chip.cycle }
    changed()
  }

  /// `true` if the timer has its own clock and can wake the chip while the I/O clock is stopped.
  var isAsynchronous: Bool { asynchronous & 0x20 != 0 }

  // MARK: Counting

  /// Advances the count to now and sets the flags of the passed events.
  private func sync() {
    guard base.factor > 0 else { return }
    let now = base.ticks(at: chip.cycle)
    let ticks = now &- ticked
    guard ticks > 0 else { return }
    if let due = state.ticksToOverflow, due <= ticks { flags |= Self.overflow }
    if let due = state.ticks(toLeave: compare.a), due <= ticks { flags |= Self.matchA }
    if let due = state.ticks(toLeave: compare.b), due <= ticks { flags |= Self.matchB }
    state.advance(ticks)
    ticked = now
  }

  /// Updates wave, tick base and next event after a change of the registers.
  private func changed() {
    let wave = wave
    if wave.isDual != state.wave.isDual { state.isDown = false }
    state.wave = wave
    var next = TickBase(origin: origin)
    if isPowered, clockRuns {
      let divisor = layout.divisors[Int(controlB & 7)]
      if divisor > 0, isAsynchronous {
        (next.factor, next.divisor) = (Self.crystal, divisor * chip.clock.frequency)
      } else if divisor > 0 {
        (next.factor, next.divisor) = (1, divisor)
      }
    }
    base = next
    if base.factor > 0 { ticked = base.ticks(at: chip.cycle) }
    updateRequests()
  }

  /// Updates the interrupt requests and schedules an event for the next one.
  private func updateRequests() {
    let requested = flags & mask
    chip.request(layout.overflow, requested & Self.overflow != 0)
    chip.request(layout.vectorA, requested & Self.matchA != 0)
    chip.request(layout.vectorB, requested & Self.matchB != 0)
    let open = mask & ~flags
    guard base.factor > 0, open & 7 != 0 else {
      event?.clear()
      return
    }
    let least = ticks(toFlags: open)
    if least == .max { event?.clear() } else { event?.set(at: base.cycle(of: ticked + least)) }
  }

  /// Returns the number of ticks until the first of the given flags is set; `UInt64.max` if none will be set.
  private func ticks(toFlags wanted: UInt8) -> UInt64 {
    var least = UInt64.max
    if wanted & Self.overflow != 0 { least = min(least, state.ticksToOverflow ?? .max) }
    if wanted & Self.matchA != 0 { least = min(least, state.ticks(toLeave: compare.a) ?? .max) }
    if wanted & Self.matchB != 0 { least = min(least, state.ticks(toLeave: compare.b) ?? .max) }
    return least
  }

  override func acknowledge(_ vector: Vector) {
    sync()
    switch vector {
    case layout.overflow: flags &= ~Self.overflow
    case layout.vectorA: flags &= ~Self.matchA
    default: flags &= ~Self.matchB
    }
    updateRequests()
  }

  /// The wave that the control registers select (datasheet, tables 15-8, 16-4, 18-8).
  private var wave: TimerWave {
    let mode = controlA & 3 | controlB >> 1 & (layout.isWide ? 12 : 4)
    let a = compare.a
    if !layout.isWide {
      switch mode {
      case 1: return TimerWave(isDual: true)
      case 2: return TimerWave(top: a)
      case 3: return TimerWave(overflowsAtTop: true)
      case 5: return TimerWave(top: a, isDual: true)
      case 7: return TimerWave(top: a, overflowsAtTop: true)
      default: return TimerWave()
      }
    }
    switch mode {
    case 1, 2, 3: return TimerWave(top: 0x100 << UInt32(mode - 1) - 1, max: 0xFFFF, isDual: true)
    case 4: return TimerWave(top: a, max: 0xFFFF)
    case 5, 6, 7:
      return TimerWave(top: 0x100 << UInt32(mode - 5) - 1, max: 0xFFFF, overflowsAtTop: true)
    case 8, 10: return TimerWave(top: capture, max: 0xFFFF, isDual: true)
    case 9, 11: return TimerWave(top: a, max: 0xFFFF, isDual: true)
    case 12: return TimerWave(top: capture, max: 0xFFFF)
    case 14: return TimerWave(top: capture, max: 0xFFFF, overflowsAtTop: true)
    case 15: return TimerWave(top: a, max: 0xFFFF, overflowsAtTop: true)
    default: return TimerWave(top: 0xFFFF, max: 0xFFFF)
    }
  }

  // MARK: Registers

  override func read(_ address: UInt16) -> UInt8 {
    sync()
    switch address {
    case layout.controlA: return controlA
    case layout.controlB: return controlB
    case layout.mask: return mask
    case layout.flags:
      updateRequests()
      noteNext(ticks(toFlags: ~flags))
      return flags
    case TimerLayout.ASSR: return asynchronous
    case TimerLayout.TCCR1C: return 0
    case layout.count:
      noteCount()
      highByte = UInt8(truncatingIfNeeded: state.count >> 8)
      return UInt8(truncatingIfNeeded: state.count)
    case TimerLayout.ICR1L:
      if !captureIsTop { note(.capture, address, isWrite: false) }
      highByte = UInt8(truncatingIfNeeded: capture >> 8)
      return UInt8(truncatingIfNeeded: capture)
    case layout.compareA: return UInt8(truncatingIfNeeded: compare.a)
    case layout.compareB: return UInt8(truncatingIfNeeded: compare.b)
    case layout.compareA + 1: return UInt8(truncatingIfNeeded: compare.a >> 8)
    case layout.compareB + 1: return UInt8(truncatingIfNeeded: compare.b >> 8)
    default: return highByte
    }
  }

  // MARK: Unmodelled modes

  /// An unmodelled mode.
  private enum Mode: UInt8 {
    case outputA = 1
    case outputB = 2
    case externalClock = 4
    case capture = 8
    case forcedCompare = 16
  }

  /// Reports an unmodelled mode once.
  private func note(_ mode: Mode, _ address: UInt16, isWrite: Bool = true) {
    guard reported & mode.rawValue == 0 else { return }
    reported |= mode.rawValue
    let number = layout.number
    let name =
      switch mode {
      case .outputA: "output pin OC\(number)A"
      case .outputB: "output pin OC\(number)B"
      case .externalClock: "external clock on pin T\(number)"
      case .capture: "input capture"
      case .forcedCompare: "forced output compare"
      }
    chip.unmodelledRegisters.note(
      IOSpace.dataBase + UInt32(address), bytes: 1, isWrite: isWrite,
      mode: "\(name) of timer \(number)")
  }

  /// `true` if ICR1 is the top of the wave instead of a captured count (data sheet, table 16-4).
  private var captureIsTop: Bool {
    layout.isWide && [8, 10, 12, 14].contains(controlA & 3 | controlB >> 1 & 12)
  }

  /// Reports COM bits, which connect the output compare pins (data sheet, tables 15-2, 16-1, 18-2).
  private func noteOutputs(_ address: UInt16) {
    if controlA & 0xC0 != 0 { note(.outputA, address) }
    if controlA & 0x30 != 0 { note(.outputB, address) }
  }

  /// Reports an external clock at pin T0 or T1, and the noise canceler and the edge of an input capture.
  private func noteInputs(_ address: UInt16) {
    if !layout.hasOwnPrescaler, controlB & 7 >= 6 {
      note(.externalClock, address)
    }
    if layout.isWide, controlB & 0xC0 != 0 { note(.capture, address) }
  }

  /// Notes for the detector of polling loops that the value just read does not change for a number of ticks.
  private func noteNext(_ ticks: UInt64) {
    if base.factor > 0, ticks != .max { chip.polls.changes(at: base.cycle(of: ticked + ticks)) }
  }

  /// Notes for the detector of polling loops that the count just read increases with each tick until it wraps.
  private func noteCount() {
    let top = state.wave.top
    guard base.factor == 1, !layout.isWide, !state.wave.isDual, state.count <= top else {
      return noteNext(1)
    }
    chip.polls.counts(
      CoreCount(
        nextTick: base.cycle(of: ticked + 1), period: base.divisor,
        ticksLeft: UInt64(top - state.count)))
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    sync()
    let word = UInt32(value) | (layout.isWide ? UInt32(highByte) << 8 : 0)
    switch address {
    case layout.controlA:
      controlA = value
      noteOutputs(address)
    case layout.controlB:
      controlB = value & 0xDF
      noteInputs(address)
    case layout.mask:
      mask = value
      if layout.isWide, value & 0x20 != 0 { note(.capture, address) }
    case layout.flags: flags &= ~value
    case layout.count: (state.count, state.isDown) = (word, false)
    case layout.compareA: compare.a = word
    case layout.compareB: compare.b = word
    case TimerLayout.ICR1L: capture = word
    case TimerLayout.TCCR1C: if value & 0xC0 != 0 { note(.forcedCompare, address) }
    case TimerLayout.ASSR: asynchronous = value & 0x60
    default: highByte = value
    }
    if address == layout.mask || address == layout.flags { updateRequests() } else { changed() }
  }
}

/// The properties of a timer: registers, vectors, prescaler.
struct TimerLayout {
  static let TIFR0: UInt16 = 0x35
  static let TIFR1: UInt16 = 0x36
  static let TIFR2: UInt16 = 0x37
  static let TCCR0A: UInt16 = 0x44
  static let TCCR0B: UInt16 = 0x45
  static let TCNT0: UInt16 = 0x46
  static let OCR0A: UInt16 = 0x47
  static let OCR0B: UInt16 = 0x48
  static let TIMSK0: UInt16 = 0x6E
  static let TIMSK1: UInt16 = 0x6F
  static let TIMSK2: UInt16 = 0x70
  static let TCCR1A: UInt16 = 0x80
  static let TCCR1B: UInt16 = 0x81
  static let TCCR1C: UInt16 = 0x82
  static let TCNT1L: UInt16 = 0x84
  static let ICR1L: UInt16 = 0x86
  static let ICR1H: UInt16 = 0x87
  static let OCR1AL: UInt16 = 0x88
  static let OCR1BL: UInt16 = 0x8A
  static let TCCR2A: UInt16 = 0xB0
  static let TCCR2B: UInt16 = 0xB1
  static let TCNT2: UInt16 = 0xB2
  static let OCR2A: UInt16 = 0xB3
  static let OCR2B: UInt16 = 0xB4
  static let ASSR: UInt16 = 0xB6

  /// `true` for timer 1, which has 16 bits.
  let isWide: Bool
  let controlA: UInt16, controlB: UInt16
  let count: UInt16, compareA: UInt16, compareB: UInt16
  let mask: UInt16, flags: UInt16
  let overflow: Vector, vectorA: Vector, vectorB: Vector
  /// The divisors of the clock select bits; 0 stops the timer.
  let divisors: [UInt64]
  /// The bit of PRR that disables the timer.
  let powerBit: UInt8

  /// The number of the timer, as in the names of its registers.
  var number: Int { isWide ? 1 : powerBit == 5 ? 0 : 2 }
  /// `true` for timer 2, which has its own prescaler and no external clock pin.
  var hasOwnPrescaler: Bool { powerBit == 6 }

  static let timer0 = TimerLayout(
    isWide: false, controlA: TCCR0A, controlB: TCCR0B, count: TCNT0, compareA: OCR0A,
    compareB: OCR0B,
    mask: TIMSK0, flags: TIFR0, overflow: .timer0Overflow, vectorA: .timer0CompareA,
    vectorB: .timer0CompareB, divisors: [0, 1, 8, 64, 256, 1024, 0, 0], powerBit: 5)
  static let timer1 = TimerLayout(
    isWide: true, controlA: TCCR1A, controlB: TCCR1B, count: TCNT1L, compareA: OCR1AL,
    compareB: OCR1BL,
    mask: TIMSK1, flags: TIFR1, overflow: .timer1Overflow, vectorA: .timer1CompareA,
    vectorB: .timer1CompareB, divisors: [0, 1, 8, 64, 256, 1024, 0, 0], powerBit: 3)
  static let timer2 = TimerLayout(
    isWide: false, controlA: TCCR2A, controlB: TCCR2B, count: TCNT2, compareA: OCR2A,
    compareB: OCR2B,
    mask: TIMSK2, flags: TIFR2, overflow: .timer2Overflow, vectorA: .timer2CompareA,
    vectorB: .timer2CompareB, divisors: [0, 1, 8, 32, 64, 128, 256, 1024], powerBit: 6)
}

/// The counting sequence of a timer, which counts up to a top and restarts from 0, or counts up and down.
package struct TimerWave: Equatable {
  /// The highest count.
  package var top: UInt32 = 0xFF
  /// The highest value of the count register, up to which the timer counts if the count is above the top.
  package var max: UInt32 = 0xFF
  /// `true` if the timer counts up and down, as in the phase-correct modes.
  package var isDual = false
  /// `true` if every restart from 0 sets the overflow flag, as in fast PWM; otherwise only a restart after `max` does.
  package var overflowsAtTop = false

  /// Creates a wave.
  package init(
    top: UInt32 = 0xFF, max: UInt32 = 0xFF, isDual: Bool = false, overflowsAtTop: Bool = false
  ) {
    (self.top, self.max, self.isDual, self.overflowsAtTop) = (top, max, isDual, overflowsAtTop)
  }
}

/// A count in a wave, which is advanced by ticks.
package struct TimerCount: Equatable {
  package var wave = TimerWave()
  package var count: UInt32 = 0
  package var isDown = false

  /// Creates a count.
  package init(wave: TimerWave = TimerWave(), count: UInt32 = 0, isDown: Bool = false) {
    (self.wave, self.count, self.isDown) = (wave, count, isDown)
  }

  /// The ticks until the count wraps, at least 1.
  private var ticksToWrap: UInt64 {
    UInt64((count <= wave.top ? wave.top : wave.max) - count) + 1
  }

  /// The position in a period of counting up and down, 0 to twice the top.
  private var position: UInt64 {
    let top = UInt64(Swift.max(wave.top, 1))
    let at = UInt64(Swift.min(count, wave.top))
    return isDown && at > 0 ? 2 * top - at : at
  }
  private var dualPeriod: UInt64 { 2 * UInt64(Swift.max(wave.top, 1)) }

  /// The ticks until the overflow flag is set; `nil` if it never is.
  package var ticksToOverflow: UInt64? {
    if wave.isDual { return dualPeriod - position }
    if wave.overflowsAtTop || wave.top == wave.max || count > wave.top { return ticksToWrap }
    return nil
  }

  /// Returns the ticks until the count leaves a value, which sets the compare flag; `nil` if it never does.
  package func ticks(toLeave value: UInt32) -> UInt64? {
    if wave.isDual {
      guard value <= wave.top else { return nil }
      let (here, up) = (position, UInt64(value))
      let down = (dualPeriod - up) % dualPeriod
      return Swift.min(Self.ahead(here, up, dualPeriod), Self.ahead(here, down, dualPeriod)) + 1
    }
    if value >= count, value <= (count <= wave.top ? wave.top : wave.max) {
      return UInt64(value - count) + 1
    }
    return value <= wave.top ? ticksToWrap + UInt64(value) + 1 : nil
  }

  private static func ahead(_ from: UInt64, _ to: UInt64, _ period: UInt64) -> UInt64 {
    to >= from ? to - from : to + period - from
  }

  /// Advances the count by ticks.
  package mutating func advance(_ ticks: UInt64) {
    guard ticks > 0 else { return }
    if wave.isDual {
      let top = UInt64(Swift.max(wave.top, 1))
      let at = (position + ticks) % dualPeriod
      isDown = at > top
      count = UInt32(isDown ? dualPeriod - at : at)
    } else {
      let wrap = ticksToWrap
      count =
        ticks < wrap
        ? count + UInt32(ticks) : UInt32((ticks - wrap) % (UInt64(wave.top) + 1))
    }
  }
}

/// The relation between timer ticks and core cycles; the ticks come from a free-running prescaler or a crystal.
package struct TickBase: Equatable {
  /// The cycle of tick 0.
  package var origin: UInt64 = 0
  /// The ticks per `divisor` cycles; 0 while the timer is stopped.
  package var factor: UInt64 = 0
  package var divisor: UInt64 = 1

  /// Creates a base; default: a stopped timer.
  package init(origin: UInt64 = 0, factor: UInt64 = 0, divisor: UInt64 = 1) {
    (self.origin, self.factor, self.divisor) = (origin, factor, divisor)
  }

  /// Returns the number of ticks from tick 0 to a cycle.
  package func ticks(at cycle: UInt64) -> UInt64 {
    let passed = cycle &- origin
    if factor == 1 { return passed / divisor }
    let product = passed.multipliedFullWidth(by: factor)
    return divisor.dividingFullWidth(product).quotient
  }

  /// Returns the first cycle of a tick.
  package func cycle(of tick: UInt64) -> UInt64 {
    if factor == 1 { return origin &+ tick &* divisor }
    let product = tick.multipliedFullWidth(by: divisor)
    let (whole, rest) = factor.dividingFullWidth(product)
    return origin &+ whole &+ (rest > 0 ? 1 : 0)
  }
}

/// GTCCR: resets the prescalers.
final class TimerPrescaler: IOBlock {
  static let GTCCR: UInt16 = 0x43

  private let shared: [TimerCounter]
  private let own: TimerCounter
  private var held: UInt8 = 0

  /// Creates GTCCR for the timers that share a prescaler and for the timer that has its own.
  init(shared: [TimerCounter], own: TimerCounter) {
    self.shared = shared
    self.own = own
  }

  override var addresses: [UInt16] { [Self.GTCCR] }
  override func reset() { held = 0 }
  override func read(_ address: UInt16) -> UInt8 { held }
  override func write(_ address: UInt16, _ value: UInt8) {
    if value & 1 != 0 { for timer in shared { timer.resetPrescaler() } }
    if value & 2 != 0 { own.resetPrescaler() }
    // TSM keeps the bits; the timers restart when it is cleared, but do not stop before, as on the chip.
    held = value & 0x80 != 0 ? value & 0x83 : 0
  }
}
