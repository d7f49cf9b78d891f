import Cores
import Machines

/// A timer/counter: counts, compare matches and overflows with their flags and interrupts.
///
/// Nothing happens for each tick: what has passed is worked out when somebody looks, and an event stands where an
/// enabled interrupt comes next. Compare values of the PWM modes take effect at once; pins are not driven, and a count of
/// edges at a pin stands still.
final class TimerCounter: IOBlock {
  private unowned let chip: AvrChip
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
  /// ASSR: timer 2 counts a crystal of 32,768 Hz.
  private var asynchronous: UInt8 = 0
  private var origin: UInt64 = 0
  private var isPowered = true
  private var clockRuns = true
  private var stoppedAt: UInt64 = 0
  private var event: ChipEvent?
  /// The modes that are not modelled and were reported, a bit each.
  private var reported: UInt8 = 0

  private static let overflow: UInt8 = 1, matchA: UInt8 = 2, matchB: UInt8 = 4
  private static let crystal: UInt64 = 32768

  init(_ chip: AvrChip, _ layout: TimerLayout) {
    self.chip = chip
    self.layout = layout
    super.init()
    event = ChipEvent(chip) { [unowned self] _ in
      sync()
      plan()
    }
  }

  override var addresses: [UInt16] {
    let own = [layout.controlA, layout.controlB, layout.mask, layout.flags]
    let values = [layout.count, layout.compareA, layout.compareB]
    if layout.isWide { return own + [0x82, 0x86, 0x87] + values + values.map { $0 + 1 } }
    return own + values + (layout.powerBit == 6 ? [0xB6] : [])
  }
  override var vectors: [Vector] { [layout.overflow, layout.vectorA, layout.vectorB] }

  override func reset() {
    (controlA, controlB, mask, flags, highByte, asynchronous) = (0, 0, 0, 0, 0, 0)
    (compare, capture) = ((0, 0), 0)
    state = TimerCount()
    (isPowered, clockRuns, origin) = (true, true, chip.cycle)
    changed()
  }

  /// The prescaler begins anew (GTCCR).
  func resetPrescaler() {
    sync()
    origin = chip.cycle
    changed()
  }

  /// PRR switches it off or on.
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
    // The prescaler stands as well.
    if runs { origin &+= chip.cycle &- stoppedAt } else { stoppedAt = chip.cycle }
    changed()
  }

  /// Whether it can wake the part while the other clocks stand.
  var isAsynchronous: Bool { asynchronous & 0x20 != 0 }

  // MARK: Counting

  /// Works out what has happened until now.
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

  /// Settings have changed: the wave, the ticks and the next event follow.
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
    plan()
  }

  /// Asks for the interrupts that are due, and for an event where the next one is.
  private func plan() {
    let asked = flags & mask
    chip.request(layout.overflow, asked & Self.overflow != 0)
    chip.request(layout.vectorA, asked & Self.matchA != 0)
    chip.request(layout.vectorB, asked & Self.matchB != 0)
    let open = mask & ~flags
    guard base.factor > 0, open & 7 != 0 else {
      event?.clear()
      return
    }
    let least = ticks(toFlags: open)
    if least == .max { event?.clear() } else { event?.set(at: base.cycle(of: ticked + least)) }
  }

  /// The ticks until the first of some flags is set; `UInt64.max` when none ever is.
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
    plan()
  }

  /// The mode that the control registers set (data sheet, tables 15-8, 16-4, 18-8).
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
      plan()
      noteNext(ticks(toFlags: ~flags))
      return flags
    case 0xB6: return asynchronous
    case 0x82: return 0
    case layout.count:
      noteCount()
      highByte = UInt8(truncatingIfNeeded: state.count >> 8)
      return UInt8(truncatingIfNeeded: state.count)
    case 0x86:
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

  // MARK: What is not modelled

  /// A mode that is not modelled.
  private enum Mode: UInt8 {
    case outputA = 1
    case outputB = 2
    case externalClock = 4
    case capture = 8
    case forcedCompare = 16
  }

  /// Reports a mode that is not modelled, once.
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
    chip.untouched.note(
      IOSpace.dataBase + UInt32(address), bytes: 1, isWrite: isWrite,
      mode: "\(name) of timer \(number)")
  }

  /// Whether ICR1 sets the top of the wave, and is no captured count (data sheet, table 16-4).
  private var captureIsTop: Bool {
    layout.isWide && [8, 10, 12, 14].contains(controlA & 3 | controlB >> 1 & 12)
  }

  /// COM bits connect the output compare pins, which are not driven (data sheet, tables 15-2, 16-1, 18-2).
  private func noteOutputs(_ address: UInt16) {
    if controlA & 0xC0 != 0 { note(.outputA, address) }
    if controlA & 0x30 != 0 { note(.outputB, address) }
  }

  /// An external clock at pin T0 or T1, and the noise canceler and the edge of an input capture.
  private func noteInputs(_ address: UInt16) {
    if !layout.hasOwnPrescaler, controlB & 7 >= 6 {
      note(.externalClock, address)
    }
    if layout.isWide, controlB & 0xC0 != 0 { note(.capture, address) }
  }

  /// Who waits for what was read cannot go on before some ticks have passed.
  private func noteNext(_ ticks: UInt64) {
    if base.factor > 0, ticks != .max { chip.polls.changes(at: base.cycle(of: ticked + ticks)) }
  }

  /// The count grows with each tick until it wraps.
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
    case 0x86: capture = word
    case 0x82: if value & 0xC0 != 0 { note(.forcedCompare, address) }
    case 0xB6: asynchronous = value & 0x60
    default: highByte = value
    }
    if address == layout.mask || address == layout.flags { plan() } else { changed() }
  }
}
