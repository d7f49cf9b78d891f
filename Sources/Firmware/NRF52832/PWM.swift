import Machines

/// PWM0 to PWM2 and, on the nRF52840, PWM3: four outputs each, whose compare values EasyDMA reads from RAM.
///
/// Values and levels are calculated when they are needed; an event is scheduled for the end of a step, for
/// PWMPERIODEND if a program waits for it, and for the edges of observed pins.
package final class PWM: TaskPeripheral {
  package static let TASKS_STOP: UInt32 = 0x004
  /// TASKS_SEQSTART[0], the first of two.
  package static let TASKS_SEQSTART: UInt32 = 0x008
  package static let TASKS_NEXTSTEP: UInt32 = 0x010
  package static let EVENTS_STOPPED: UInt32 = 0x104
  /// EVENTS_SEQSTARTED[0] and EVENTS_SEQEND[0], the first of two each.
  package static let EVENTS_SEQSTARTED: UInt32 = 0x108
  package static let EVENTS_SEQEND: UInt32 = 0x110
  package static let EVENTS_PWMPERIODEND: UInt32 = 0x118
  package static let EVENTS_LOOPSDONE: UInt32 = 0x11C
  package static let ENABLE: UInt32 = 0x500
  package static let MODE: UInt32 = 0x504
  package static let COUNTERTOP: UInt32 = 0x508
  package static let PRESCALER: UInt32 = 0x50C
  package static let DECODER: UInt32 = 0x510
  package static let LOOP: UInt32 = 0x514
  /// SEQ[0].PTR, CNT, REFRESH and ENDDELAY; those of SEQ[1] are `stride` bytes above.
  package static let SEQ_PTR: UInt32 = 0x520
  package static let SEQ_CNT: UInt32 = 0x524
  package static let SEQ_REFRESH: UInt32 = 0x528
  package static let SEQ_ENDDELAY: UInt32 = 0x52C
  package static let stride: UInt32 = 0x20
  /// PSEL.OUT[0], the first of four.
  package static let PSEL_OUT: UInt32 = 0x560

  /// DECODER.LOAD: how the words of a step are distributed.
  private enum Load: UInt32 {
    case common, grouped, individual, waveForm

    /// The number of words of a step.
    var words: UInt32 { [1, 2, 4, 4][Int(rawValue)] }
  }

  /// A running sequence.
  private struct Playback {
    var sequence: UInt32
    /// The index of the word after those of the current step.
    var next: UInt32 = 0
    /// The number of periods of the current step; `nil` for a step that only a task ends.
    var periods: UInt64? = 1
  }

  private let gpio: GPIO
  private var playback: Playback?
  /// The cycle at which the first period of the current step began.
  private var anchor: UInt64 = 0
  private var loopsLeft: UInt32 = 0
  /// Requests that take effect at the end of a period.
  private var isStopping = false
  private var start: UInt32?
  private var isStepping = false
  private var compares: [UInt32] = [0, 0, 0, 0]
  /// The active COUNTERTOP.
  private var top: UInt64 = 0x3FF
  private lazy var slot = chip.schedule.slot { [unowned self] in didReach($0) }

  init(_ number: Int, _ gpio: GPIO, _ chip: Chip) {
    self.gpio = gpio
    let sequenceEvents = [0, 4].flatMap { [PWM.EVENTS_SEQSTARTED + $0, PWM.EVENTS_SEQEND + $0] }
    super.init(
      number,
      events: [PWM.EVENTS_STOPPED, PWM.EVENTS_PWMPERIODEND, PWM.EVENTS_LOOPSDONE] + sequenceEvents,
      shorts: [
        Short(bit: 0, event: PWM.EVENTS_SEQEND, task: PWM.TASKS_STOP),
        Short(bit: 1, event: PWM.EVENTS_SEQEND + 4, task: PWM.TASKS_STOP),
        Short(bit: 2, event: PWM.EVENTS_LOOPSDONE, task: PWM.TASKS_SEQSTART),
        Short(bit: 3, event: PWM.EVENTS_LOOPSDONE, task: PWM.TASKS_SEQSTART + 4),
        Short(bit: 4, event: PWM.EVENTS_LOOPSDONE, task: PWM.TASKS_STOP),
      ], chip)
    define(PWM.ENABLE, mask: 1)
    define(PWM.MODE, mask: 1)
    define(PWM.COUNTERTOP, reset: 0x3FF, mask: 0x7FFF)
    define(PWM.PRESCALER, mask: 7)
    define(PWM.DECODER, mask: 0x103)
    define(PWM.LOOP, mask: 0xFFFF)
    for base in [0, PWM.stride] {
      define(PWM.SEQ_PTR + base)
      define(PWM.SEQ_CNT + base, mask: 0x7FFF)
      define(PWM.SEQ_REFRESH + base, reset: base == 0 ? 1 : 0, mask: 0xFF_FFFF)
      define(PWM.SEQ_ENDDELAY + base, mask: 0xFF_FFFF)
    }
    for channel: UInt32 in 0..<4 { define(PWM.PSEL_OUT + channel * 4, reset: .max) }
    gpio.waves.append(self)
  }

  override func reset() {
    super.reset()
    halt(at: chip.now)
    (compares, top) = ([0, 0, 0, 0], 0x3FF)
  }

  override func hasTask(_ task: UInt32) -> Bool {
    (PWM.TASKS_STOP...PWM.TASKS_NEXTSTEP).contains(task)
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    guard offset == PWM.ENABLE, value & 1 == 0 else {
      // A pin that is no longer selected returns to its port.
      if (PWM.PSEL_OUT..<PWM.PSEL_OUT + 16).contains(offset) { release(at: chip.now) }
      return false
    }
    halt(at: chip.now)
    return false
  }

  override func didClear(_ event: UInt32) { schedule() }
  override func interruptsDidChange() { schedule() }

  override func task(_ task: UInt32, at cycle: UInt64) {
    guard self[PWM.ENABLE] != 0 else { return }
    switch task {
    case PWM.TASKS_STOP:
      guard playback != nil else { return raise(PWM.EVENTS_STOPPED, at: cycle) }
      isStopping = true
    case PWM.TASKS_SEQSTART, PWM.TASKS_SEQSTART + 4:
      let sequence = (task - PWM.TASKS_SEQSTART) / 4
      loopsLeft = self[PWM.LOOP]
      guard playback != nil else {
        begin(sequence, at: cycle)
        drive(at: cycle)
        return schedule()
      }
      start = sequence
    default: isStepping = true
    }
    schedule()
  }

  // MARK: Playback

  private func begin(_ sequence: UInt32, at cycle: UInt64) {
    (start, isStepping) = (nil, false)
    playback = Playback(sequence: sequence)
    raise(PWM.EVENTS_SEQSTARTED + sequence * 4, at: cycle)
    loadStep(at: cycle)
  }

  /// Reads the words of the next step from RAM; a short read at the end of the sequence leaves the other values.
  private func loadStep(at cycle: UInt64) {
    guard var playback else { return }
    let base = playback.sequence * PWM.stride
    let load = Load(rawValue: self[PWM.DECODER] & 3) ?? .common
    let count = self[PWM.SEQ_CNT + base]
    top = max(UInt64(self[PWM.COUNTERTOP]), 1)
    for index in 0..<load.words where playback.next + index < count {
      guard let word = word(playback.next + index, of: base) else {
        chip.noteOutsideRAM(self.base + PWM.SEQ_PTR + base, "SEQ.PTR")
        break
      }
      switch load {
      case .common: compares = [word, word, word, word]
      case .grouped: (compares[Int(index) * 2], compares[Int(index) * 2 + 1]) = (word, word)
      case .individual: compares[Int(index)] = word
      case .waveForm where index == 3: top = max(UInt64(word & 0x7FFF), 1)
      case .waveForm: compares[Int(index)] = word
      }
    }
    anchor = cycle
    playback.next += load.words
    let isLast = playback.next >= count
    let waitsForTask = self[PWM.DECODER] >> 8 & 1 != 0
    playback.periods =
      waitsForTask ? nil : UInt64(self[PWM.SEQ_REFRESH + base]) + 1
    if isLast { playback.periods? += UInt64(self[PWM.SEQ_ENDDELAY + base]) }
    self.playback = playback
    if isLast { raise(PWM.EVENTS_SEQEND + playback.sequence * 4, at: cycle) }
  }

  private func word(_ index: UInt32, of base: UInt32) -> UInt32? {
    let address = self[PWM.SEQ_PTR + base] &+ index * 2
    guard let low = chip.readRAM(address), let high = chip.readRAM(address + 1) else { return nil }
    return UInt32(low) | UInt32(high) << 8
  }

  /// Ends a step: the next one follows, the other sequence of a loop, or the last values are held.
  private func endStep(at cycle: UInt64) {
    guard let current = playback else { return }
    guard current.next >= self[PWM.SEQ_CNT + current.sequence * PWM.stride] else {
      return loadStep(at: cycle)
    }
    guard loopsLeft > 0 else {
      playback?.periods = nil
      return
    }
    if current.sequence == 0 { return begin(1, at: cycle) }
    loopsLeft -= 1
    guard loopsLeft == 0 else { return begin(0, at: cycle) }
    playback?.periods = nil
    raise(PWM.EVENTS_LOOPSDONE, at: cycle)
  }

  /// Stops the counter and returns the pins to their ports.
  private func halt(at cycle: UInt64) {
    (playback, isStopping, start, isStepping) = (nil, false, nil, false)
    chip.schedule.clear(slot)
    release(at: cycle)
  }

  // MARK: Time

  private var tick: UInt64 { 4 << UInt64(self[PWM.PRESCALER]) }
  private var isUpAndDown: Bool { self[PWM.MODE] & 1 != 0 }
  private var period: UInt64 { top * (isUpAndDown ? 2 : 1) * tick }

  /// Handles the end of a period or an edge.
  private func didReach(_ cycle: UInt64) {
    guard playback != nil else { return }
    let periods = (cycle - anchor) / period
    if periods > 0, (cycle - anchor) % period == 0 { endPeriod(periods, at: cycle) }
    drive(at: cycle)
    schedule(after: cycle)
  }

  private func endPeriod(_ periods: UInt64, at cycle: UInt64) {
    raise(PWM.EVENTS_PWMPERIODEND, at: cycle)
    if isStopping {
      halt(at: cycle)
      return raise(PWM.EVENTS_STOPPED, at: cycle)
    }
    if let start { return begin(start, at: cycle) }
    if isStepping {
      isStepping = false
      return endStep(at: cycle)
    }
    if let wanted = playback?.periods, periods >= wanted { endStep(at: cycle) }
  }

  /// Schedules the next event after an access of the program, unless one is already due.
  private func schedule() {
    if let due = chip.schedule.cycle(of: slot), due <= chip.now { return }
    schedule(after: chip.now)
  }

  /// Schedules the next event after a cycle, which may precede the current one if the core was halted.
  private func schedule(after now: UInt64) {
    chip.schedule.clear(slot)
    guard let playback else { return }
    let phase = now >= anchor ? (now - anchor) % period : 0
    let periodEnd = max(now, anchor) - phase + period
    var next = UInt64.max
    if isStopping || start != nil || isStepping || hasEffect(PWM.EVENTS_PWMPERIODEND)
      || !isSet(PWM.EVENTS_PWMPERIODEND)
    {
      next = periodEnd
    }
    if let periods = playback.periods { next = min(next, anchor + periods * period) }
    for channel in 0..<4 where pin(channel).map(gpio.bank.isObserved) ?? false {
      next = min(next, periodEnd)
      for edge in edges(channel) where edge > phase { next = min(next, periodEnd - period + edge) }
    }
    if next != .max { chip.schedule.set(slot, at: next) }
  }

  /// Returns the cycles from the start of a period to the edges of a channel.
  private func edges(_ channel: Int) -> [UInt64] {
    let value = min(UInt64(compares[channel] & 0x7FFF), top)
    return isUpAndDown ? [value * tick, (2 * top - value) * tick] : [value * tick]
  }

  // MARK: Pins

  /// The pin of a channel; `nil` if it is disconnected.
  private func pin(_ channel: Int) -> Int? {
    let word = self[PWM.PSEL_OUT + UInt32(channel) * 4]
    return word >> 31 == 0 ? Int(word & 63) : nil
  }

  /// Returns the level of a channel at a cycle.
  ///
  /// With polarity 1 the output falls at the compare value, with polarity 0 it rises there.
  private func level(_ channel: Int, at cycle: UInt64) -> Bool {
    let phase = cycle >= anchor ? (cycle - anchor) % period : 0
    let edges = edges(channel)
    let isFirst = phase < edges[0] || edges.count > 1 && phase >= edges[1]
    return isFirst == (compares[channel] >> 15 & 1 != 0)
  }

  private func drive(at cycle: UInt64) {
    guard playback != nil else { return }
    for channel in 0..<4 {
      guard let pin = pin(channel) else { continue }
      gpio.connect(pin, level(channel, at: cycle), at: chip.nanoseconds(cycle))
    }
  }

  private func release(at cycle: UInt64) {
    for channel in 0..<4 {
      if let pin = pin(channel) { gpio.connect(pin, nil, at: chip.nanoseconds(cycle)) }
    }
  }

  /// Brings the pins up to date before the program reads them.
  func syncOutputs() { drive(at: chip.now) }
}
