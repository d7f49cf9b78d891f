import Machines

/// CLOCK and POWER, which share a page, with both clocks, the reset reason, System OFF and the retained registers.
package final class CLOCK: TaskPeripheral {
  package static let TASKS_HFCLKSTART: UInt32 = 0x000
  package static let TASKS_HFCLKSTOP: UInt32 = 0x004
  package static let TASKS_LFCLKSTART: UInt32 = 0x008
  package static let TASKS_LFCLKSTOP: UInt32 = 0x00C
  package static let TASKS_CAL: UInt32 = 0x010
  package static let TASKS_CTSTART: UInt32 = 0x014
  package static let TASKS_CTSTOP: UInt32 = 0x018
  package static let EVENTS_HFCLKSTARTED: UInt32 = 0x100
  package static let EVENTS_LFCLKSTARTED: UInt32 = 0x104
  package static let EVENTS_DONE: UInt32 = 0x10C
  package static let EVENTS_CTTO: UInt32 = 0x110
  package static let HFCLKRUN: UInt32 = 0x408
  package static let HFCLKSTAT: UInt32 = 0x40C
  package static let LFCLKRUN: UInt32 = 0x414
  package static let LFCLKSTAT: UInt32 = 0x418
  package static let LFCLKSRCCOPY: UInt32 = 0x41C
  package static let LFCLKSRC: UInt32 = 0x518
  package static let CTIV: UInt32 = 0x538

  private static let events = [
    EVENTS_HFCLKSTARTED, EVENTS_LFCLKSTARTED, POWER.EVENTS_POFWARN, EVENTS_DONE, EVENTS_CTTO,
    POWER.EVENTS_SLEEPENTER, POWER.EVENTS_SLEEPEXIT,
  ]
  /// Start-up times of the clocks in microseconds.
  ///
  /// The 32 MHz crystal takes 360, typically. The 32,768 Hz clock takes 600 from the RC oscillator, 250,000 from the
  /// crystal, and 360 if it is synthesized from the high-frequency clock. Source: product specification v1.4, CLOCK,
  /// electrical parameters.
  private static let highStart = 360.0
  private static let lowStarts = [600.0, 250_000, 360, 600]

  /// Callbacks after the 32,768 Hz clock has started or stopped, with the cycle at which it did.
  @exclusivity(unchecked) var lowDidChange: [(UInt64) -> Void] = []
  /// Callbacks before the 32,768 Hz clock stops, with the cycle at which it will stop.
  @exclusivity(unchecked) var lowWillStop: [(UInt64) -> Void] = []
  @exclusivity(unchecked) private(set) var isLowRunning = false
  @exclusivity(unchecked) private var isHighRunning = false
  @exclusivity(unchecked) private var hasHighStarted = false
  @exclusivity(unchecked) private var hasLowStarted = false
  @exclusivity(unchecked) private var reasons: UInt32 = 0
  private lazy var high = chip.schedule.slot { [unowned self] in
    (isHighRunning, hasHighStarted) = (true, true)
    raise(CLOCK.EVENTS_HFCLKSTARTED, at: $0)
  }
  private lazy var low = chip.schedule.slot { [unowned self] in
    isLowRunning = true
    raise(CLOCK.EVENTS_LFCLKSTARTED, at: $0)
    for notify in lowDidChange { notify($0) }
  }
  private lazy var calibration = chip.schedule.slot { [unowned self] in
    raise(CLOCK.EVENTS_DONE, at: $0)
  }
  private lazy var timer = chip.schedule.slot { [unowned self] in raise(CLOCK.EVENTS_CTTO, at: $0) }

  init(_ chip: Chip) {
    super.init(0, events: Self.events, chip)
    for offset in [
      POWER.POFCON, POWER.GPREGRET, POWER.GPREGRET2, POWER.DCDCEN, CLOCK.CTIV, CLOCK.LFCLKSRCCOPY,
    ] {
      define(offset)
    }
    define(POWER.RAMSTATUS, reset: 0x0F)
    define(POWER.RAMON, reset: 3)
    define(POWER.RAMONB, reset: 3)
    define(CLOCK.LFCLKSRC, mask: 0x3_0003)
    for offset in POWER.undocumented { define(offset) }
    for block: UInt32 in 0..<9 {
      define(POWER.RAM_POWER + block * 16, reset: 0xFFFF, mask: POWER.retention)
      define(POWER.RAM_POWERSET + block * 16)
      define(POWER.RAM_POWERCLR + block * 16)
    }
  }

  /// Returns the tick of the 32,768 Hz clock at a cycle of the 64 MHz core clock.
  static func tick(at cycle: UInt64) -> UInt64 { cycle / 15625 * 8 + cycle % 15625 * 8 / 15625 }

  /// Returns the first cycle of a tick.
  static func cycle(ofTick tick: UInt64) -> UInt64 {
    tick / 8 * 15625 + (tick % 8 * 15625 + 7) / 8
  }

  override func reset() {
    let kept = (self[POWER.GPREGRET], self[POWER.GPREGRET2])
    stopLow(at: chip.now)
    (isHighRunning, hasHighStarted, hasLowStarted) = (false, false, false)
    for slot in [high, low, calibration, timer] { chip.schedule.clear(slot) }
    chip.energy(.hfxo, false, at: chip.now)
    super.reset()
    (self[POWER.GPREGRET], self[POWER.GPREGRET2]) = kept
  }

  /// Records the reason of a reset in RESETREAS; a power-on clears RESETREAS, GPREGRET and GPREGRET2.
  func note(_ cause: ResetCause) {
    switch cause {
    case .powerOn, .brownOut:
      reasons = 0
      (self[POWER.GPREGRET], self[POWER.GPREGRET2]) = (0, 0)
    case .pin: reasons |= 1
    case .watchdog: reasons |= 1 << 1
    case .software: reasons |= 1 << 2
    case .lockUp: reasons |= 1 << 3
    case .wakeUp: reasons |= 1 << 16
    case .windowWatchdog: break
    }
  }

  /// A callback before the DC/DC converter is enabled or disabled.
  @exclusivity(unchecked) var converterWillChange: () -> Void = {}
  /// `true` if the DC/DC converter is enabled.
  var usesConverter: Bool { self[POWER.DCDCEN] & 1 != 0 }

  /// Returns whether a section of RAM is retained in System OFF: sections 0 to 15 are those of RAM[0] to RAM[7], two each,
  /// and the others those of RAM[8].
  func isRetained(section: Int) -> Bool {
    let (block, bit) = section < 16 ? (section / 2, section % 2) : (8, section - 16)
    return self[POWER.RAM_POWER + UInt32(block * 16)] >> UInt32(16 + bit) & 1 != 0
  }

  override func hasTask(_ task: UInt32) -> Bool {
    task <= CLOCK.TASKS_CTSTOP || task == POWER.TASKS_CONSTLAT || task == POWER.TASKS_LOWPWR
  }

  override func task(_ task: UInt32, at cycle: UInt64) {
    switch task {
    case CLOCK.TASKS_HFCLKSTART:
      chip.energy(.hfxo, true, at: cycle)
      hasHighStarted = true
      let end = isHighRunning ? cycle + 16 : chip.cycle(cycle, plus: Self.highStart)
      chip.schedule.set(high, at: end)
    case CLOCK.TASKS_HFCLKSTOP:
      chip.energy(.hfxo, false, at: cycle)
      (isHighRunning, hasHighStarted) = (false, false)
      chip.schedule.clear(high)
    case CLOCK.TASKS_LFCLKSTART: startLow(at: cycle)
    case CLOCK.TASKS_LFCLKSTOP: stopLow(at: cycle)
    case CLOCK.TASKS_CAL: chip.schedule.set(calibration, at: chip.cycle(cycle, plus: 250))
    case CLOCK.TASKS_CTSTART:
      let quarters = Double(max(self[CLOCK.CTIV] & 0x7F, 1))
      chip.schedule.set(timer, at: chip.cycle(cycle, plus: quarters * 250_000))
    case CLOCK.TASKS_CTSTOP: chip.schedule.clear(timer)
    default: break
    }
  }

  private var source: Int { Int(self[CLOCK.LFCLKSRC] & 3) }

  private func startLow(at cycle: UInt64) {
    self[CLOCK.LFCLKSRCCOPY] = self[CLOCK.LFCLKSRC]
    hasLowStarted = true
    chip.energy(source == 0 ? .lfrc : .lfxo, true, at: cycle)
    let end = isLowRunning ? cycle + 16 : chip.cycle(cycle, plus: Self.lowStarts[source])
    chip.schedule.set(low, at: end)
  }

  private func stopLow(at cycle: UInt64) {
    for notify in lowWillStop { notify(cycle) }
    (isLowRunning, hasLowStarted) = (false, false)
    chip.schedule.clear(low)
    chip.energy(.lfrc, false, at: cycle)
    chip.energy(.lfxo, false, at: cycle)
  }

  override func value(of offset: UInt32) -> UInt32? {
    switch offset {
    case POWER.RESETREAS: reasons
    case CLOCK.HFCLKRUN: hasHighStarted ? 1 : 0
    case CLOCK.HFCLKSTAT: isHighRunning ? 0x1_0001 : 0
    case CLOCK.LFCLKRUN: hasLowStarted ? 1 : 0
    case CLOCK.LFCLKSTAT: isLowRunning ? 0x1_0000 | self[CLOCK.LFCLKSRCCOPY] & 3 : 0
    case POWER.SYSTEMOFF: 0
    default: nil
    }
  }

  override func set(_ offset: UInt32, _ value: UInt32) -> Bool {
    switch offset {
    case POWER.RESETREAS: reasons &= ~value
    case POWER.DCDCEN:
      converterWillChange()
      self[POWER.DCDCEN] = value & 1
    case POWER.SYSTEMOFF: if value & 1 != 0 { chip.run.requestOff() }
    case POWER.allRAM where offset & 15 == POWER.RAM_POWERSET & 15:
      self[offset - 4] |= value & POWER.retention
    case POWER.allRAM where offset & 15 == POWER.RAM_POWERCLR & 15:
      self[offset - 8] &= ~(value & POWER.retention)
    default: return false
    }
    return true
  }
}

/// The registers of POWER, by their offset in the page that it shares with CLOCK.
package enum POWER {
  package static let TASKS_CONSTLAT: UInt32 = 0x078
  package static let TASKS_LOWPWR: UInt32 = 0x07C
  package static let EVENTS_POFWARN: UInt32 = 0x108
  package static let EVENTS_SLEEPENTER: UInt32 = 0x114
  package static let EVENTS_SLEEPEXIT: UInt32 = 0x118
  package static let RESETREAS: UInt32 = 0x400
  package static let RAMSTATUS: UInt32 = 0x428
  package static let SYSTEMOFF: UInt32 = 0x500
  package static let POFCON: UInt32 = 0x510
  package static let GPREGRET: UInt32 = 0x51C
  package static let GPREGRET2: UInt32 = 0x520
  package static let RAMON: UInt32 = 0x524
  package static let RAMONB: UInt32 = 0x554
  package static let DCDCEN: UInt32 = 0x578
  /// RAM[0].POWER, which POWERSET and POWERCLR follow; the registers of the RAM blocks are 16 bytes apart.
  package static let RAM_POWER: UInt32 = 0x900
  package static let RAM_POWERSET: UInt32 = 0x904
  package static let RAM_POWERCLR: UInt32 = 0x908
  static var allRAM: Range<UInt32> { RAM_POWERSET..<RAM_POWER + 9 * 16 }
  /// The bits of RAM[n].POWER that are modelled: SnPOWER and SnRETENTION of up to six sections.
  static let retention: UInt32 = 0x3F_003F
  /// Undocumented registers; start-up code copies factory words to the last two (errata 31 and 108).
  static let undocumented: [UInt32] = [0x504, 0x508, 0x514, 0x53C, 0xEE4]
}
