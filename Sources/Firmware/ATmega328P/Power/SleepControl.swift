import Cores
import Machines

/// Sleep, what is switched off, the clock's divider and why the part began anew: SMCR, MCUSR, MCUCR, CLKPR, PRR, OSCCAL.
///
/// OSCCAL is kept and changes no frequency: how much it does is a curve of the data sheet, not a figure.
final class SleepControl: IOBlock, SleepKeeper {
  private unowned let chip: AvrChip
  private let watchdog: AvrWatchdog
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
  /// Until which cycle BODS may be set, and until which a sleep begins without the brown-out detector.
  private var brownOutArmedUntil: UInt64 = 0
  private var brownOutOffUntil: UInt64 = 0
  private var sleepsWithoutBrownOut = false
  private var isClockStopped = false
  /// Whether it sleeps; the core is awake again when an interrupt is told.
  private var isSleeping = false
  /// The analog converter begins a conversion in its sleep mode.
  var quietSleep: () -> Void = {}
  /// PUD has changed.
  var pullUps: (Bool) -> Void = { _ in }

  init(
    _ chip: AvrChip, _ watchdog: AvrWatchdog, _ timers: [TimerCounter],
    blocks: @escaping () -> [IOBlock]
  ) {
    self.chip = chip
    self.watchdog = watchdog
    self.timers = timers
    space = blocks
    super.init()
    watchdog.isHeldOn = { [unowned self] in causes & 8 != 0 }
  }

  override var addresses: [UInt16] { [0x53, 0x54, 0x55, 0x61, 0x64, 0x66] }

  override func reset() {
    (sleepMode, control, reduced, armedUntil, moveArmedUntil) = (0, 0, 0, 0, 0)
    (isClockStopped, isSleeping) = (false, false)
    (brownOutArmedUntil, brownOutOffUntil, sleepsWithoutBrownOut) = (0, 0, false)
    divide(chip.fuses.dividesClock ? 3 : 0)
    chip.core.vectors = 0
    pullUps(true)
    account()
  }

  /// Notes why the part began anew.
  func note(_ cause: ResetCause) {
    switch cause {
    case .powerOn: causes = 1
    case .brownOut: causes |= 4
    case .watchdog: causes |= 8
    default: causes |= 2
    }
  }

  private func divide(_ by: UInt8) {
    divider = min(by, 8)
    let frequency = max(1, chip.frequency >> UInt64(divider))
    if frequency != chip.clock.frequency { chip.clock.setFrequency(frequency) }
  }

  // MARK: Sleep

  /// How it sleeps where no interrupt can wake it.
  var lastSleep: LastSleep? {
    guard isSleeping, chip.core.isAsleep, chip.core.status & 0x80 == 0, !watchdog.isOnForReset
    else {
      return nil
    }
    return .off
  }

  private var mode: Int { Int(sleepMode >> 1 & 7) }

  func sleep() -> Bool {
    guard sleepMode & 1 != 0 else { return false }
    if mode != 0 {
      isClockStopped = true
      for block in space() { block.clock(runs: false) }
    }
    if mode == 1 { quietSleep() }
    isSleeping = true
    // BODS acts in power-down, power-save and standby (data sheet, table 10-1).
    sleepsWithoutBrownOut =
      mode >= 2 && brownOutOffUntil >= chip.cycle && chip.fuses.watchesSupply
    account(sleeping: mode)
    return true
  }

  func wake() {
    guard isSleeping else { return }
    isSleeping = false
    // The oscillator stood in all modes but idle, ADC noise reduction and standby, where it takes 6 cycles.
    if isClockStopped {
      isClockStopped = false
      if mode != 1 {
        let start = mode >= 6 ? 6 : chip.fuses.startUpCycles
        // The detector takes about 60 us to work again before the program goes on (data sheet, 10.2).
        let detector = sleepsWithoutBrownOut ? chip.cycles(nanoseconds: 60_000) : 0
        chip.core.cycles &+= max(start, detector)
      }
      for block in space() { block.clock(runs: true) }
    }
    account()
  }

  func feedWatchdog() { watchdog.feed() }

  /// What holds now, in the ledger of energy.
  private func account(sleeping mode: Int? = nil) {
    let now = chip.now
    let awake = mode == nil
    chip.energy.set(Consumers.active, awake, at: now)
    let watches = chip.fuses.watchesSupply && (awake || !sleepsWithoutBrownOut)
    chip.energy.set(Consumers.brownOut, watches, at: now)
    chip.energy.set(Consumers.idle, mode == 0 || mode == 1, at: now)
    chip.energy.set(Consumers.powerDown, mode == 2 || mode == 6, at: now)
    chip.energy.set(Consumers.powerSave, mode == 3 || mode == 7, at: now)
    for (index, bit) in Consumers.reducible.enumerated() {
      let isOn = (awake || mode == 0) && reduced & bit == 0
      chip.energy.set(Consumers.firstModule + index, isOn, at: now)
    }
  }

  // MARK: Registers

  override func read(_ address: UInt16) -> UInt8 {
    switch address {
    case 0x53: return sleepMode
    case 0x54: return causes
    case 0x55:
      guard brownOutOffUntil >= chip.cycle else { return control }
      chip.polls.changes(at: brownOutOffUntil + 1)
      return control | 0x40
    case 0x61:
      guard armedUntil >= chip.cycle else { return divider }
      chip.polls.changes(at: armedUntil + 1)
      return divider | 0x80
    case 0x64: return reduced
    default: return calibration
    }
  }

  override func write(_ address: UInt16, _ value: UInt8) {
    switch address {
    case 0x53: sleepMode = value & 15
    case 0x54: causes &= value
    case 0x55: setControl(value)
    case 0x61:
      if value == 0x80 {
        armedUntil = chip.cycle + 4
      } else if value & 0x80 == 0, armedUntil >= chip.cycle {
        armedUntil = 0
        divide(value & 15)
      }
    case 0x64:
      reduced = value & 0xEF
      for (timer, bit) in zip(timers, [5, 3, 6] as [UInt8]) { timer.power(reduced >> bit & 1 == 0) }
      account()
    default: calibration = value
    }
  }

  /// BODS: it is set by a sequence of two writes within four cycles, and holds for three (data sheet, 10.11.2).
  private func setBrownOut(_ value: UInt8) {
    let (sleeps, enables) = (value & 0x40 != 0, value & 0x20 != 0)
    if sleeps, enables {
      brownOutArmedUntil = chip.cycle + 4
    } else if sleeps, brownOutArmedUntil >= chip.cycle {
      brownOutArmedUntil = 0
      brownOutOffUntil = chip.cycle + 3
    }
  }

  private func setControl(_ value: UInt8) {
    control = control & 2 | value & 0x10
    setBrownOut(value)
    pullUps(value & 0x10 == 0)
    if value & 1 != 0 {
      moveArmedUntil = chip.cycle + 4
    } else if moveArmedUntil >= chip.cycle {
      moveArmedUntil = 0
      control = control & ~2 | value & 2
      chip.core.vectors = value & 2 != 0 ? chip.fuses.bootStart : 0
    }
  }
}
