import Cores
import Machines

/// RCC: the oscillators, the PLL, the clock tree and the reset flags.
final class RCC: Peripheral, BusClocks {
  static let CR: UInt32 = 0x00
  static let PLLCFGR: UInt32 = 0x04
  static let CFGR: UInt32 = 0x08
  static let CIR: UInt32 = 0x0C
  static let AHB1RSTR: UInt32 = 0x10
  static let AHB2RSTR: UInt32 = 0x14
  static let AHB3RSTR: UInt32 = 0x18
  static let APB1RSTR: UInt32 = 0x20
  static let APB2RSTR: UInt32 = 0x24
  static let AHB1ENR: UInt32 = 0x30
  static let AHB2ENR: UInt32 = 0x34
  static let AHB3ENR: UInt32 = 0x38
  static let APB1ENR: UInt32 = 0x40
  static let APB2ENR: UInt32 = 0x44
  static let AHB1LPENR: UInt32 = 0x50
  static let AHB2LPENR: UInt32 = 0x54
  static let AHB3LPENR: UInt32 = 0x58
  static let APB1LPENR: UInt32 = 0x60
  static let APB2LPENR: UInt32 = 0x64
  static let BDCR: UInt32 = 0x70
  static let CSR: UInt32 = 0x74
  static let SSCGR: UInt32 = 0x80
  static let PLLI2SCFGR: UInt32 = 0x84
  static let DCKCFGR: UInt32 = 0x8C

  /// The frequency of the HSE crystal or of the board's external clock in Hz.
  ///
  /// Default: 8 MHz.
  var crystal: UInt64 = 8_000_000
  private static let hsi: UInt64 = 16_000_000
  /// The time in nanoseconds at which each enabled oscillator or PLL is ready.
  ///
  /// The key is the number of its ON bit in CR, 32 for LSE in BDCR, or 64 for LSI in CSR.
  private var readyAt: [Int: UInt64] = [:]
  /// Start-up times from DS10314: HSI 2.2 µs, HSE 2 ms, PLLs 100 µs, LSE 2 s, LSI 15 µs.
  private static let starts: [Int: UInt64] = [
    0: 2_200, 16: 2_000_000, 24: 100_000, 26: 100_000, 32: 2_000_000_000, 64: 15_000,
  ]
  private var source: UInt32 = 0
  private var causes: UInt32 = 0

  init(_ chip: Chip) {
    super.init(at: 0x4002_3800, chip)
    chip.clocks = self
    define(RCC.CR, mask: 0x050D_00F9, reset: 0x0000_0081)
    define(RCC.PLLCFGR, mask: 0x0F43_7FFF, reset: 0x2400_3010)
    define(RCC.CFGR, mask: 0xFFFF_FCF3)
    define(RCC.CIR, mask: 0x0000_3F00)
    for offset in [
      RCC.AHB1RSTR, RCC.AHB2RSTR, RCC.APB1RSTR, RCC.APB2RSTR, RCC.AHB1ENR, RCC.AHB2ENR, RCC.APB1ENR,
      RCC.APB2ENR,
    ] { define(offset) }
    for offset in [RCC.AHB1LPENR, RCC.AHB2LPENR, RCC.APB1LPENR, RCC.APB2LPENR] {
      define(offset, reset: .max)
    }
    define(RCC.BDCR, mask: 0x0001_830D)
    define(RCC.CSR, mask: 0x0000_0001)
    define(RCC.SSCGR)
    define(RCC.PLLI2SCFGR, reset: 0x2400_3000)
    if chip.model == .stm32F405 {
      for offset in [RCC.AHB3RSTR, RCC.AHB3ENR] { define(offset) }
      define(RCC.AHB3LPENR, reset: .max)
    } else {
      define(RCC.DCKCFGR)
    }
  }

  override func reset() {
    let backup = self[RCC.BDCR]
    super.reset()
    // The backup domain keeps its clock over a reset.
    self[RCC.BDCR] = backup
    readyAt = [0: 0].merging(readyAt.filter { $0.key == 32 }) { old, _ in old }
    source = 0
    chip.setFrequency(Self.hsi)
    chip.core.waitStates = 0
    clockModules()
  }

  /// Sets the reset flags of CSR.
  func note(_ cause: ResetCause) {
    let flag: UInt32 =
      switch cause {
      case .powerOn, .brownOut: 1 << 27 | 1 << 25
      case .watchdog: 1 << 29
      case .windowWatchdog: 1 << 30
      case .software: 1 << 28
      case .wakeUp, .pin, .lockUp: 0
      }
    causes |= flag | 1 << 26
  }

  private func isReady(_ bit: Int) -> Bool {
    guard let time = readyAt[bit] else { return false }
    if time <= chip.nanoseconds(chip.now) { return true }
    chip.run.polls.changes(at: chip.run.clock.cycle(at: time))
    return false
  }

  override func load(_ offset: UInt32) -> UInt32 {
    var word = self[offset]
    switch offset {
    case RCC.CR: for bit in [0, 16, 24, 26] where isReady(bit) { word |= 2 << UInt32(bit) }
    case RCC.CFGR: word |= source << 2
    case RCC.BDCR: if isReady(32) { word |= 2 }
    case RCC.CSR: word |= (isReady(64) ? 2 : 0) | causes
    default: break
    }
    return word
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case RCC.CR:
      // The oscillator in use cannot be switched off.
      let inUse: UInt32 = source == 0 ? 1 : source == 1 ? 1 << 16 : 1 << 24
      self[RCC.CR] |= before & inUse
      for bit in [0, 16, 24, 26] { follow(bit, self[RCC.CR] >> UInt32(bit) & 1 != 0) }
    case RCC.CFGR: switchClock()
    case RCC.BDCR:
      if value >> 16 & 1 != 0 { self[RCC.BDCR] = 1 << 16 }
      follow(32, self[RCC.BDCR] & 1 != 0)
    case RCC.CSR:
      if value >> 24 & 1 != 0 { causes = 0 }
      follow(64, value & 1 != 0)
    case RCC.PLLCFGR: if source == 2 { switchClock() }
    case RCC.AHB1ENR, RCC.APB1ENR, RCC.APB2ENR: clockModules()
    default: break
    }
  }

  /// Updates the energy meter after a change of the enable registers.
  private func clockModules() {
    chip.countEnergy()
    chip.energyMeter.clock { self[$0] }
  }

  private func follow(_ bit: Int, _ isOn: Bool) {
    if !isOn {
      readyAt[bit] = nil
    } else if readyAt[bit] == nil {
      readyAt[bit] = chip.nanoseconds(chip.now) + (Self.starts[bit] ?? 0)
    }
  }

  /// Switches the system clock to the source that CFGR.SW selects, if that source is ready.
  private func switchClock() {
    let selected = self[RCC.CFGR] & 3
    if selected < 3, isReady([0, 16, 24][Int(selected)]) { source = selected }
    chip.setFrequency(max(systemClock / divider(4, 4, from: 8), 1))
    for peripheral in busPeripherals { peripheral.clocksDidChange() }
  }

  /// The peripherals to notify of a change of a bus clock while the core's clock is unchanged.
  var busPeripherals: [Peripheral] = []

  /// Switches the core's clock to the internal oscillator (HSI), as the chip does when it leaves stop mode.
  func switchToHSI() {
    source = 0
    self[RCC.CFGR] &= ~3
    self[RCC.CR] = self[RCC.CR] & ~0x0501_0000 | 1
    for bit in [16, 24, 26] { readyAt[bit] = nil }
    switchClock()
  }

  private var systemClock: UInt64 {
    switch source {
    case 0: Self.hsi
    case 1: crystal
    default: multiplied
    }
  }

  private var multiplied: UInt64 {
    let p = UInt64(self[RCC.PLLCFGR] >> 16 & 3) * 2 + 2
    return oscillatorOfPLL.map { max($0 / p, 1) } ?? pllInput
  }

  private var pllInput: UInt64 { self[RCC.PLLCFGR] >> 22 & 1 != 0 ? crystal : Self.hsi }

  /// The frequency of the PLL before its output dividers; `nil` if its input divider is 0.
  private var oscillatorOfPLL: UInt64? {
    let (m, n) = (UInt64(self[RCC.PLLCFGR] & 63), UInt64(self[RCC.PLLCFGR] >> 6 & 511))
    return m == 0 ? nil : pllInput * n / m
  }

  var pll48Clock: UInt64? {
    let divider = UInt64(self[RCC.PLLCFGR] >> 24 & 15)
    guard isReady(24), divider > 1 else { return nil }
    return oscillatorOfPLL.map { $0 / divider }
  }

  /// Returns the divisor that a field of CFGR selects: 1 for codes below `first`, then 2, 4, 8 and so on; AHB has no
  /// 32.
  private func divider(_ low: UInt32, _ bits: UInt32, from first: UInt32) -> UInt64 {
    let code = self[RCC.CFGR] >> low & (1 << bits - 1)
    guard code >= first else { return 1 }
    let power = code - first + 1
    return 1 << UInt64(bits == 4 && power > 4 ? power + 1 : power)
  }

  /// The frequency of the RTC's clock in Hz: LSE, LSI, or HSE divided by CFGR.RTCPRE.
  var rtcClock: UInt64 {
    switch self[RCC.BDCR] >> 8 & 3 {
    case 2: 32_000
    case 3: crystal / UInt64(max(self[RCC.CFGR] >> 16 & 31, 1))
    default: 32_768
    }
  }

  /// The number by which the core's clock is divided for APB1.
  var apb1Divider: UInt64 { divider(10, 3, from: 4) }
  /// The number by which the core's clock is divided for APB2.
  var apb2Divider: UInt64 { divider(13, 3, from: 4) }
}

/// PWR: the regulator, the backup domain, stop mode and standby.
package final class PWR: Peripheral {
  package static let CR: UInt32 = 0x00
  package static let CSR: UInt32 = 0x04

  /// Bits of CR.
  private enum Control {
    static let PDDS: UInt32 = 1 << 1, CWUF: UInt32 = 1 << 2, CSBF: UInt32 = 1 << 3
    static let FPDS: UInt32 = 1 << 9
  }
  /// The flags WUF (wake-up) and SBF (standby) in CSR.
  private var wokeUp: UInt32 = 0

  init(_ chip: Chip) {
    super.init(at: 0x4000_7000, chip)
    // The STM32F405 has one bit VOS.
    let isF405 = chip.model == .stm32F405
    define(PWR.CR, mask: isF405 ? 0x43F3 : 0xEFF3, reset: isF405 ? 0x4000 : 0x8000)
    define(PWR.CSR, mask: 0x0300)
    // With PDDS a deep sleep is standby: everything except the backup domain is off, and waking up resets the chip.
    // Without PDDS it is stop mode: only peripherals clocked by LSI or LSE continue.
    chip.core.deepSleep = { [unowned self, unowned chip] sleeps in
      if sleeps, self[PWR.CR] & Control.PDDS != 0 {
        chip.setStopped(true)
        chip.isStandby = true
        chip.run.requestOff()
      } else {
        chip.setStopped(sleeps)
      }
    }
  }

  /// Sets SBF and WUF after a wake-up from standby, and clears them after a power-on or brown-out
  /// reset.
  func note(_ cause: ResetCause) {
    wokeUp = cause == .wakeUp ? 3 : cause == .powerOn || cause == .brownOut ? 0 : wokeUp
  }

  /// Returns the value of a register; in CSR the regulators are ready as soon as they are enabled.
  override func load(_ offset: UInt32) -> UInt32 {
    guard offset == PWR.CSR else { return self[offset] }
    return self[PWR.CSR] | wokeUp | 1 << 14 | (self[PWR.CSR] >> 9 & 1) << 3
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    // CWUF and CSBF clear flags and read as 0.
    if offset == PWR.CR {
      self[PWR.CR] &= ~(Control.CWUF | Control.CSBF)
      wokeUp &= ~(value >> 2 & 3)
      chip.stopsFlash = self[PWR.CR] & Control.FPDS != 0
    }
  }
}
