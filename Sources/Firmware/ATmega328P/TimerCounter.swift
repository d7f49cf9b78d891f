import Cores
import Machines

/// A timer/counter, with compare matches, overflows, and their flags and interrupts.
///
/// The count is calculated when it is read, and an event is scheduled for the next enabled interrupt, so ticks cost
/// nothing. The same holds for the edges of the output compare pins unless a pin is observed from outside. The
/// synchronizers of the input pins, of up to four cycles, are not modelled.
final class TimerCounter: IOBlock {
  private unowned let chip: Chip
  private let layout: TimerLayout
  private var state = TimerCount()
  private var base = TickBase()
  private var ticked: UInt64 = 0
  private var controlA: UInt8 = 0
  private var controlB: UInt8 = 0
  private var compare: (a: UInt32, b: UInt32) = (0, 0)
  /// Compare values that take effect at the end of a PWM period (data sheet, 15.7.3, 16.9.3); `nil` for none.
  private var buffered: (a: UInt32?, b: UInt32?) = (nil, nil)
  /// The output compare pins; `nil` before `connect(_:)`.
  private var outputs: (a: OutputCompare, b: OutputCompare)?
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

  private static let overflow: UInt8 = 1, matchA: UInt8 = 2, matchB: UInt8 = 4,
    captured: UInt8 = 0x20
  private static let crystal: UInt64 = 32768

  init(_ chip: Chip, _ layout: TimerLayout) {
    self.chip = chip
    self.layout = layout
    super.init()
    event = ChipEvent(chip) { [unowned self] cycle in
      // The pins change at the exact time.
      chip.eventCycle = cycle
      sync()
      chip.eventCycle = nil
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
  override var vectors: [Vector] {
    [layout.overflow, layout.vectorA, layout.vectorB] + (layout.isWide ? [.timer1Capture] : [])
  }

  override func reset() {
    (controlA, controlB, mask, flags, highByte, asynchronous) = (0, 0, 0, 0, 0, 0)
    (compare, capture) = ((0, 0), 0)
    buffered = (nil, nil)
    outputs?.a.reset()
    outputs?.b.reset()
    state = TimerCount()
    (isPowered, clockRuns, origin) = (true, true, chip.cycle)
    changed()
  }

  /// Connects the output compare pins.
  func connect(_ ports: PORT) {
    outputs = (OutputCompare(ports, pin: layout.outputA), OutputCompare(ports, pin: layout.outputB))
  }

  /// Brings the levels of the output compare pins up to date, before the program reads them.
  func syncOutputs() {
    guard controlA & 0xF0 != 0 else { return }
    sync()
    noteNext(ticksToOutput)
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

  // MARK: Inputs

  /// Counts an edge at the clock pin, if CS selects this edge.
  func clockInput(_ isHigh: Bool) {
    guard isPowered, clockRuns, controlB & 7 == (isHigh ? 7 : 6) else { return }
    let updates = (buffered.a != nil || buffered.b != nil) && ticksToUpdate == 1
    pass(1)
    if updates { takeBuffers() }
    updateRequests()
  }

  /// Captures the count at an edge of ICP1, if ICES1 selects this edge.
  func captureInput(_ isHigh: Bool) {
    guard isPowered, clockRuns, !captureIsTop, (controlB & 0x40 != 0) == isHigh else { return }
    sync()
    capture = state.count
    flags |= Self.captured
    updateRequests()
  }

  // MARK: Counting

  /// Advances the count to now and sets the flags of the passed events.
  private func sync() {
    guard base.factor > 0 else { return }
    let now = base.ticks(at: chip.eventCycle ?? chip.cycle)
    while buffered.a != nil || buffered.b != nil, case let update = ticksToUpdate,
      update <= now &- ticked
    {
      pass(update)
      takeBuffers()
    }
    pass(now &- ticked)
  }

  /// The ticks until the end of a PWM period, at which buffered compare values take effect.
  private var ticksToUpdate: UInt64 {
    guard state.wave.isDual else { return state.ticksToWrap }
    // Phase- and frequency-correct modes update at the bottom, phase-correct modes at the top.
    return layout.isWide && (mode == 8 || mode == 9)
      ? state.ticksToOverflow ?? .max : state.ticksToTop
  }

  private func takeBuffers() {
    compare = (buffered.a ?? compare.a, buffered.b ?? compare.b)
    buffered = (nil, nil)
    state.wave = wave
  }

  /// Advances the count by ticks within which no compare value changes.
  private func pass(_ ticks: UInt64) {
    guard ticks > 0 else { return }
    let before = state
    if let due = state.ticksToOverflow, due <= ticks { flags |= Self.overflow }
    if let due = state.ticks(toLeave: compare.a), due <= ticks { flags |= Self.matchA }
    if let due = state.ticks(toLeave: compare.b), due <= ticks { flags |= Self.matchB }
    state.advance(ticks)
    ticked &+= ticks
    guard controlA & 0xF0 != 0 else { return }
    drive(outputs?.a, actionA, compare.a, before, ticks)
    drive(outputs?.b, actionB, compare.b, before, ticks)
  }

  private func drive(
    _ output: OutputCompare?, _ action: OutputCompare.Action, _ value: UInt32, _ before: TimerCount,
    _ ticks: UInt64
  ) {
    guard let output, action != .none else { return }
    output.pass(before, ticks, to: state, action, value)
  }

  /// The actions of the output compare pins that the COM bits select (data sheet, tables 15-2 to 15-4, 16-1 to 16-3).
  private var actionA: OutputCompare.Action {
    .init(
      bits: controlA >> 6, isPWM: isPWM, togglesInPWM: layout.togglingModes >> UInt16(mode) & 1 != 0
    )
  }
  private var actionB: OutputCompare.Action {
    .init(bits: controlA >> 4 & 3, isPWM: isPWM, togglesInPWM: false)
  }

  /// The waveform generation mode, WGM.
  private var mode: UInt8 { controlA & 3 | controlB >> 1 & (layout.isWide ? 12 : 4) }
  private var isPWM: Bool { state.wave.isDual || state.wave.overflowsAtTop }

  /// Updates wave, tick base, outputs and next event after a change of the registers.
  private func changed() {
    let wave = wave
    if !(wave.isDual || wave.overflowsAtTop), buffered.a != nil || buffered.b != nil {
      takeBuffers()
    }
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
    outputs?.a.connect(actionA, state, compare.a)
    outputs?.b.connect(actionB, state, compare.b)
    updateRequests()
  }

  /// Updates the interrupt requests and schedules an event for the next one.
  private func updateRequests() {
    let requested = flags & mask
    chip.request(layout.overflow, requested & Self.overflow != 0)
    chip.request(layout.vectorA, requested & Self.matchA != 0)
    chip.request(layout.vectorB, requested & Self.matchB != 0)
    if layout.isWide { chip.request(.timer1Capture, requested & Self.captured != 0) }
    let open = mask & ~flags
    guard base.factor > 0, open & 7 != 0 || drivesObservedPin else {
      event?.clear()
      return
    }
    var least = ticks(toFlags: open)
    if drivesObservedPin { least = min(least, ticksToOutput) }
    if buffered.a != nil || buffered.b != nil { least = min(least, ticksToUpdate) }
    if least == .max { event?.clear() } else { event?.set(at: base.cycle(of: ticked + least)) }
  }

  /// Applies the actions of compare matches to the pins, as the bits FOCnA and FOCnB request; PWM modes ignore them.
  private func force(_ bits: UInt8) {
    guard !isPWM else { return }
    if bits & 0x80 != 0 { outputs?.a.force(actionA) }
    if bits & 0x40 != 0 { outputs?.b.force(actionB) }
  }

  private var drivesObservedPin: Bool {
    guard controlA & 0xF0 != 0, let outputs else { return false }
    return actionA != .none && outputs.a.isObserved || actionB != .none && outputs.b.isObserved
  }

  /// The ticks until an output compare pin may change.
  private var ticksToOutput: UInt64 {
    var least = isPWM ? state.ticksToOverflow ?? state.ticksToWrap : .max
    if actionA != .none { least = min(least, state.ticks(toLeave: compare.a) ?? .max) }
    if actionB != .none { least = min(least, state.ticks(toLeave: compare.b) ?? .max) }
    return least
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
    case .timer1Capture: flags &= ~Self.captured
    default: flags &= ~Self.matchB
    }
    updateRequests()
  }

  /// The wave that the control registers select (datasheet, tables 15-8, 16-4, 18-8).
  private var wave: TimerWave {
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
      highByte = UInt8(truncatingIfNeeded: capture >> 8)
      return UInt8(truncatingIfNeeded: capture)
    case layout.compareA: return UInt8(truncatingIfNeeded: buffered.a ?? compare.a)
    case layout.compareB: return UInt8(truncatingIfNeeded: buffered.b ?? compare.b)
    case layout.compareA + 1: return UInt8(truncatingIfNeeded: (buffered.a ?? compare.a) >> 8)
    case layout.compareB + 1: return UInt8(truncatingIfNeeded: (buffered.b ?? compare.b) >> 8)
    default: return highByte
    }
  }

  // MARK: Unmodelled modes

  /// An unmodelled mode.
  private enum Mode: UInt8 {
    case noiseCanceler = 8
  }

  /// Reports an unmodelled mode once.
  private func note(_ mode: Mode, _ address: UInt16, isWrite: Bool = true) {
    guard reported & mode.rawValue == 0 else { return }
    reported |= mode.rawValue
    let number = layout.number
    let name =
      switch mode {
      case .noiseCanceler: "noise canceler of the input capture"
      }
    chip.unmodelledRegisters.note(
      IOSpace.dataBase + UInt32(address), bytes: 1, isWrite: isWrite,
      mode: "\(name) of timer \(number)")
  }

  /// `true` if ICR1 is the top of the wave instead of a captured count: in the modes 8, 10, 12 and 14 (data sheet,
  /// table 16-4).
  private var captureIsTop: Bool {
    layout.isWide && 0x5500 >> UInt16(mode) & 1 != 0
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
    case layout.controlA: controlA = value
    case layout.controlB:
      controlB = value & (layout.isWide ? 0xDF : 0x0F)
      if layout.isWide, value & 0x80 != 0 { note(.noiseCanceler, address) }
      if !layout.isWide { force(value) }
    case layout.mask: mask = value
    case layout.flags: flags &= ~value
    case layout.count: (state.count, state.isDown) = (word, false)
    case layout.compareA: if isPWM { buffered.a = word } else { compare.a = word }
    case layout.compareB: if isPWM { buffered.b = word } else { compare.b = word }
    case TimerLayout.ICR1L: capture = word
    case TimerLayout.TCCR1C: force(value)
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
  /// The indices of the output compare pins in the pin bank.
  let outputA: Int, outputB: Int

  /// The number of the timer, as in the names of its registers.
  var number: Int { isWide ? 1 : powerBit == 5 ? 0 : 2 }
  /// The PWM modes, a bit each, in which COMnA = 1 toggles OCnA instead of leaving it to the port: 9, 11, 14 and 15, or
  /// 5 and 7 (data sheet, tables 15-3, 16-2).
  var togglingModes: UInt16 { isWide ? 0xCA00 : 0xA0 }
  /// `true` for timer 2, which has its own prescaler and no external clock pin.
  var hasOwnPrescaler: Bool { powerBit == 6 }

  static let timer0 = TimerLayout(
    isWide: false, controlA: TCCR0A, controlB: TCCR0B, count: TCNT0, compareA: OCR0A,
    compareB: OCR0B,
    mask: TIMSK0, flags: TIFR0, overflow: .timer0Overflow, vectorA: .timer0CompareA,
    vectorB: .timer0CompareB, divisors: [0, 1, 8, 64, 256, 1024, 0, 0], powerBit: 5,
    outputA: 22, outputB: 21)
  static let timer1 = TimerLayout(
    isWide: true, controlA: TCCR1A, controlB: TCCR1B, count: TCNT1L, compareA: OCR1AL,
    compareB: OCR1BL,
    mask: TIMSK1, flags: TIFR1, overflow: .timer1Overflow, vectorA: .timer1CompareA,
    vectorB: .timer1CompareB, divisors: [0, 1, 8, 64, 256, 1024, 0, 0], powerBit: 3,
    outputA: 1, outputB: 2)
  static let timer2 = TimerLayout(
    isWide: false, controlA: TCCR2A, controlB: TCCR2B, count: TCNT2, compareA: OCR2A,
    compareB: OCR2B,
    mask: TIMSK2, flags: TIFR2, overflow: .timer2Overflow, vectorA: .timer2CompareA,
    vectorB: .timer2CompareB, divisors: [0, 1, 8, 32, 64, 128, 256, 1024], powerBit: 6,
    outputA: 3, outputB: 19)
}

/// An output compare pin, whose level a timer sets in place of the port's output register.
final class OutputCompare {
  /// What a compare match does to the pin.
  enum Action {
    /// The pin belongs to the port.
    case none
    case toggle, clear, set
    /// A PWM wave that is high from the bottom to the match, or low there.
    case pulse, invertedPulse

    init(bits: UInt8, isPWM: Bool, togglesInPWM: Bool) {
      switch bits {
      case 1: self = isPWM && !togglesInPWM ? .none : .toggle
      case 2: self = isPWM ? .pulse : .clear
      case 3: self = isPWM ? .invertedPulse : .set
      default: self = .none
      }
    }
  }

  private unowned let ports: PORT
  private let pin: Int
  /// The state of the output, which it keeps while the pin belongs to the port.
  private var isHigh = false

  init(_ ports: PORT, pin: Int) { (self.ports, self.pin) = (ports, pin) }

  /// `true` if the exact times of the pin's edges matter.
  var isObserved: Bool { ports.isObserved(pin) }

  func reset() { isHigh = false }

  /// Connects the pin to the timer, or returns it to the port.
  func connect(_ action: Action, _ state: TimerCount, _ value: UInt32) {
    if action == .pulse || action == .invertedPulse { update(action, state, value) }
    ports.connect(pin, action == .none ? nil : isHigh)
  }

  /// Updates the pin after the count has advanced by ticks.
  func pass(
    _ before: TimerCount, _ ticks: UInt64, to state: TimerCount, _ action: Action, _ value: UInt32
  ) {
    switch action {
    case .none: return
    case .pulse, .invertedPulse: update(action, state, value)
    case .toggle: if before.matches(of: value, within: ticks) % 2 == 1 { isHigh.toggle() }
    case .clear, .set:
      if before.ticks(toLeave: value).map({ $0 <= ticks }) ?? false { isHigh = action == .set }
    }
    ports.connect(pin, isHigh)
  }

  /// Applies an action to the pin without a match.
  func force(_ action: Action) {
    switch action {
    case .none, .pulse, .invertedPulse: return
    case .toggle: isHigh.toggle()
    case .clear, .set: isHigh = action == .set
    }
    ports.connect(pin, isHigh)
  }

  /// Sets the level of a PWM wave, which follows from the count.
  private func update(_ action: Action, _ state: TimerCount, _ value: UInt32) {
    let isFirst: Bool
    if state.wave.isDual {
      // At the ends of the range the output is constant (data sheet, 15.7.4).
      isFirst =
        value >= state.wave.top
        || value > 0 && (state.isDown ? state.count < value : state.count <= value)
    } else {
      isFirst = state.count <= value
    }
    isHigh = isFirst == (action == .pulse)
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
