import Cores
import Machines

/// Sleep modes, power reduction, the clock prescaler and the reset flags: SMCR, MCUSR, MCUCR, CLKPR, PRR, OSCCAL.
///
/// A write to OSCCAL does not change the frequency, because the datasheet gives its effect only as a curve.
final class PowerManagement: IOBlock, SleepController {
  static let SMCR: UInt16 = 0x53
  static let MCUSR: UInt16 = 0x54
  static let MCUCR: UInt16 = 0x55
  static let CLKPR: UInt16 = 0x61
  static let PRR: UInt16 = 0x64
  static let OSCCAL: UInt16 = 0x66
  /// Bits of SMCR, MCUSR, MCUCR and CLKPR.
  private static let SE: UInt8 = 0x01
  private static let WDRF: UInt8 = 0x08, BORF: UInt8 = 0x04, EXTRF: UInt8 = 0x02
  private static let PORF: UInt8 = 0x01
  private static let BODS: UInt8 = 0x40, BODSE: UInt8 = 0x20, PUD: UInt8 = 0x10
  private static let IVSEL: UInt8 = 0x02, IVCE: UInt8 = 0x01
  private static let CLKPCE: UInt8 = 0x80

  private unowned let chip: Chip
  private let watchdog: WDT
  private let timers: [TimerCounter]
  private let space: () -> [IOBlock]
  private var sleepMode: UInt8 = 0
  private var causes: UInt8 = 0
  private var control: UInt8 = 0
  private var divider: UInt8 = 0
  private var reduced: UInt8 = 0
  private var calibration: UInt8 = 0x80
  private var armedUntil: UInt64 = 0
  private var moveArmedUntil: UInt64 = 0
  /// The last cycle at which BODS can be set; `brownOutOffUntil` is the last cycle at which SLEEP disables the
  /// brown-out detector.
  private var brownOutArmedUntil: UInt64 = 0
  private var brownOutOffUntil: UInt64 = 0
  private var sleepsWithoutBrownOut = false
  private var isClockStopped = false
  /// `true` while the chip is in a sleep mode, which an interrupt ends.
  private var isSleeping = false
  /// A callback on entry to the ADC noise reduction mode.
  var noiseReductionDidBegin: () -> Void = {}
  /// A callback with `true` if PUD now allows the pull-up resistors.
  var pullUpsDidChange: (Bool) -> Void = { _ in }

  init(
    _ chip: Chip, _ watchdog: WDT, _ timers: [TimerCounter],
    blocks: @escaping () -> [IOBlock]
  ) {
    self.chip = chip
    self.watchdog = watchdog
    self.timers = timers
    space = blocks
    super.init()
    watchdog.isHeldOn = { [unowned self] in causes & Self.WDRF != 0 }
  }

  override var addresses: [UInt16] {
    [Self.SMCR, Self.MCUSR, Self.MCUCR, Self.CLKPR, Self.PRR, Self.OSCCAL]
  }

  override func reset() {
    (sleepMode, control, reduced, armedUntil, moveArmedUntil) = (0, 0, 0, 0, 0)
    (isClockStopped, isSleeping) = (false, false)
    (brownOutArmedUntil, brownOutOffUntil, sleepsWithoutBrownOut) = (0, 0, false)
    divide(chip.fuses.dividesClock ? 3 : 0)
    chip.core.vectors = 0
    pullUpsDidChange(true)
    recordEnergy()
  }

  /// Sets the flag in MCUSR that records the cause of a reset.
  func note(_ cause: ResetCause) {
    switch cause {
    case .powerOn: causes = Self.PORF
    case .brownOut: causes |= Self.BORF
    case .watchdog: causes |= Self.WDRF
    default: causes |= Self.EXTRF
    }
  }

  private func divide(_ by: UInt8) {
    divider = min(by, 8)
    let frequency = max(1, chip.frequency >> UInt64(divider))
    if frequency != chip.clock.frequency { chip.clock.setFrequency(frequency) }
  }

  // MARK: Sleep

  /// The kind of sleep if no interrupt can wake the chip from it; otherwise `nil`.
  var lastSleep: LastSleep? {
    guard isSleeping, chip.core.isAsleep, chip.core.status & 0x80 == 0, !watchdog.isOnForReset
    else {
      return nil
    }
    return .off
  }

  private var mode: Int { Int(sleepMode >> 1 & 7) }

  func sleep() -> Bool {
    guard sleepMode & Self.SE != 0 else { return false }
    if mode != 0 {
      isClockStopped = true
      for block in space() { block.clock(runs: false) }
    }
    if mode == 1 { noiseReductionDidBegin() }
    isSleeping = true
    // BODS acts in power-down, power-save and standby (data sheet, table 10-1).
    sleepsWithoutBrownOut =
      mode >= 2 && brownOutOffUntil >= chip.cycle && chip.fuses.watchesSupply
    recordEnergy(sleeping: mode)
    return true
  }

  func wake() {
    guard isSleeping else { return }
    isSleeping = false
    // The oscillator was stopped in all modes except idle and ADC noise reduction; standby takes 6 cycles to start.
    if isClockStopped {
      isClockStopped = false
      if mode != 1 {
        let start = mode >= 6 ? 6 : chip.fuses.startUpCycles
        // The brown-out detector takes about 60 us to restart before the program continues (data sheet, 10.2).
        let detector = sleepsWithoutBrownOut ? chip.cycles(nanoseconds: 60_000) : 0
        chip.core.cycles &+= max(start, detector)
      }
      for block in space() { block.clock(runs: true) }
    }
    recordEnergy()
  }

  func feedWatchdog() { watchdog.feed() }

  /// Records the current states in the energy ledger.
  private func recordEnergy(sleeping mode: Int? = nil) {
    let now = chip.now
    let awake = mode == nil
    chip.energy.set(EnergyTable.active, awake, at: now)
    let watches = chip.fuses.watchesSupply && (awake || !sleepsWithoutBrownOut)
    chip.energy.set(EnergyTable.brownOut, watches, at: now)
    chip.energy.set(EnergyTable.idle, mode == 0 || mode == 1, at: now)
    chip.energy.set(EnergyTable.powerDown, mode == 2 || mode == 6, at: now)
    chip.energy.set(EnergyTable.powerSave, mode == 3 || mode == 7, at: now)
    for (index, bit) in EnergyTable.reducible.enumerated() {
      let isOn = (awake || mode == 0) && reduced & bit == 0
      chip.energy.set(EnergyTable.firstModule + index, isOn, at: now)
    }
  }

  // MARK: Registers

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case Self.SMCR: return sleepMode
    case Self.MCUSR: return causes
    case Self.MCUCR:
      guard brownOutOffUntil >= chip.cycle else { return control }
      chip.polls.changes(at: brownOutOffUntil + 1)
      return control | Self.BODS
    case Self.CLKPR:
      guard armedUntil >= chip.cycle else { return divider }
      chip.polls.changes(at: armedUntil + 1)
      return divider | Self.CLKPCE
    case Self.PRR: return reduced
    default: return calibration
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case Self.SMCR: sleepMode = value & 15
    case Self.MCUSR: causes &= value
    case Self.MCUCR: setControl(value)
    case Self.CLKPR:
      if value == Self.CLKPCE {
        armedUntil = chip.cycle + 4
      } else if value & Self.CLKPCE == 0, armedUntil >= chip.cycle {
        armedUntil = 0
        divide(value & 15)
      }
    case Self.PRR:
      reduced = value & 0xEF
      for (timer, bit) in zip(timers, [5, 3, 6] as [UInt8]) { timer.power(reduced >> bit & 1 == 0) }
      recordEnergy()
    default: calibration = value
    }
  }

  /// Applies a write to BODS and BODSE.
  ///
  /// BODS is set by two writes within four cycles, and is cleared again three cycles later (data sheet, 10.11.2).
  private func setBrownOut(_ value: UInt8) {
    let (sleeps, enables) = (value & Self.BODS != 0, value & Self.BODSE != 0)
    if sleeps, enables {
      brownOutArmedUntil = chip.cycle + 4
    } else if sleeps, brownOutArmedUntil >= chip.cycle {
      brownOutArmedUntil = 0
      brownOutOffUntil = chip.cycle + 3
    }
  }

  private func setControl(_ value: UInt8) {
    control = control & Self.IVSEL | value & Self.PUD
    setBrownOut(value)
    pullUpsDidChange(value & Self.PUD == 0)
    if value & Self.IVCE != 0 {
      moveArmedUntil = chip.cycle + 4
    } else if moveArmedUntil >= chip.cycle {
      moveArmedUntil = 0
      control = control & ~Self.IVSEL | value & Self.IVSEL
      chip.core.vectors = value & Self.IVSEL != 0 ? chip.fuses.bootStart : 0
    }
  }
}

/// The supply current of the chip in each energy state, such as idle or a running module, from the data sheet.
///
/// The data sheet is Atmel 8271H; Microchip DS40002061A is its successor.
///
/// Active and idle currents are given for 8 MHz at 5 V and scaled by the frequency, since figures 31-333 and 31-338
/// show straight lines. A module draws its current until PRR switches it off. Tables 29-12 and 31-15 were compared with
/// copies of 8271H, pages 307 and 502. The current of the brown-out detector is given in a figure only.
enum EnergyTable {
  static let active = 0, idle = 1, powerDown = 2, powerSave = 3, firstModule = 4, watchdog = 11
  static let brownOut = 12
  /// The bits of PRR that switch off the modules, in the order of the modules' states.
  static let reducible: [UInt8] = [0x02, 0x80, 0x40, 0x08, 0x20, 0x04, 0x01]

  private static let modules: [(String, Double)] = [
    ("USART0", 100.25), ("TWI", 199.25), ("timer 2", 224.25), ("timer 1", 176.25),
    ("timer 0", 61.13), ("SPI", 186.5), ("ADC", 295.38),
  ]

  static func states(frequency: UInt64) -> [EnergyState] {
    let scale = Double(frequency) / 8e6
    let table = "Atmel 8271H, table 29-12 (ATmega328P), "
    let core = [
      EnergyState(
        "active", microamperes: 5200 * scale,
        source: table + "active 8 MHz, VCC 5 V, typical, by frequency"),
      EnergyState(
        "idle", microamperes: 1200 * scale,
        source: table + "idle 8 MHz, VCC 5 V, typical, by frequency"),
      EnergyState(
        "power-down", microamperes: 0.1, source: table + "watchdog disabled, VCC 3 V, typical"),
      EnergyState(
        "power-save", microamperes: 0.9,
        source: table + "32 kHz TOSC enabled, VCC 3 V, typical"),
    ]
    return core
      + modules.map { name, microamperes in
        EnergyState(
          name, microamperes: microamperes * scale,
          source: "Atmel 8271H, table 31-15, VCC 5 V, 8 MHz, by frequency")
      }
      + [
        EnergyState("watchdog", microamperes: 4.1, source: table + "enabled less disabled, 3 V"),
        EnergyState(
          "brown-out detector", microamperes: 20,
          source: "assumption: about 20 uA; 8271H gives it only as a figure over VCC"),
      ]
  }
}
