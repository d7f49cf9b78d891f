import Cores
import Machines

/// RCC: the oscillators, the PLL, which of them drives what, and why the part began anew.
final class ResetAndClocks: Peripheral, BusClocks {
  /// The frequency of the crystal, or of the clock fed in, which the board decides.
  var crystal: UInt64 = 8_000_000
  private static let internalClock: UInt64 = 16_000_000
  /// When an oscillator is ready, in nanoseconds; by the bit of its ON in CR, BDCR (32) and CSR (64).
  private var readyAt: [Int: UInt64] = [:]
  /// Start-up times from DS10314: HSI 2.2 µs, HSE 2 ms, PLLs 100 µs, LSE 2 s, LSI 15 µs.
  private static let starts: [Int: UInt64] = [
    0: 2_200, 16: 2_000_000, 24: 100_000, 26: 100_000, 32: 2_000_000_000, 64: 15_000,
  ]
  private var source: UInt32 = 0
  private var causes: UInt32 = 0

  init(_ chip: Silicon) {
    super.init(at: 0x4002_3800, chip)
    chip.clocks = self
    define(0x00, mask: 0x050D_00F9, reset: 0x0000_0081)
    define(0x04, mask: 0x0F43_7FFF, reset: 0x2400_3010)
    define(0x08, mask: 0xFFFF_FCF3)
    define(0x0C, mask: 0x0000_3F00)
    for offset: UInt32 in [0x10, 0x14, 0x20, 0x24, 0x30, 0x34, 0x40, 0x44] { define(offset) }
    for offset: UInt32 in [0x50, 0x54, 0x60, 0x64] { define(offset, reset: .max) }
    define(0x70, mask: 0x0001_830D)
    define(0x74, mask: 0x0000_0001)
    define(0x80)
    define(0x84, reset: 0x2400_3000)
    define(0x8C)
  }

  override func reset() {
    let backup = self[0x70]
    super.reset()
    // The backup domain keeps its clock over a reset.
    self[0x70] = backup
    readyAt = [0: 0].merging(readyAt.filter { $0.key == 32 }) { old, _ in old }
    source = 0
    chip.setFrequency(Self.internalClock)
    chip.core.waitStates = 0
    clockModules()
  }

  /// Notes why the part began anew: CSR's flags.
  func note(_ cause: ResetCause) {
    let flag: UInt32 =
      switch cause {
      case .powerOn, .brownOut: 1 << 27 | 1 << 25
      case .watchdog: 1 << 29
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
    case 0x00: for bit in [0, 16, 24, 26] where isReady(bit) { word |= 2 << UInt32(bit) }
    case 0x08: word |= source << 2
    case 0x70: if isReady(32) { word |= 2 }
    case 0x74: word |= (isReady(64) ? 2 : 0) | causes
    default: break
    }
    return word
  }

  override func didStore(_ offset: UInt32, _ value: UInt32, before: UInt32) {
    switch offset {
    case 0x00:
      // The oscillator in use cannot be switched off.
      let inUse: UInt32 = source == 0 ? 1 : source == 1 ? 1 << 16 : 1 << 24
      self[0x00] |= before & inUse
      for bit in [0, 16, 24, 26] { follow(bit, self[0x00] >> UInt32(bit) & 1 != 0) }
    case 0x08: choose()
    case 0x70:
      if value >> 16 & 1 != 0 { self[0x70] = 1 << 16 }
      follow(32, self[0x70] & 1 != 0)
    case 0x74:
      if value >> 24 & 1 != 0 { causes = 0 }
      follow(64, value & 1 != 0)
    case 0x04: if source == 2 { choose() }
    case 0x30, 0x40, 0x44: clockModules()
    default: break
    }
  }

  /// Notes which modules are clocked from now on.
  private func clockModules() {
    chip.countEnergy()
    chip.account.clock { self[$0] }
  }

  private func follow(_ bit: Int, _ isOn: Bool) {
    if !isOn {
      readyAt[bit] = nil
    } else if readyAt[bit] == nil {
      readyAt[bit] = chip.nanoseconds(chip.now) + (Self.starts[bit] ?? 0)
    }
  }

  /// Takes the clock that CFGR asks for, where it runs.
  private func choose() {
    let wanted = self[0x08] & 3
    if wanted < 3, isReady([0, 16, 24][Int(wanted)]) { source = wanted }
    chip.setFrequency(max(systemClock / divider(4, 4, from: 8), 1))
    for peripheral in listeners { peripheral.clocksDidChange() }
  }

  /// Who needs to know that the clock of a bus has changed though the core's has not.
  var listeners: [Peripheral] = []

  /// Goes on with the internal oscillator, as behind a stop.
  func fallBack() {
    source = 0
    self[0x08] &= ~3
    self[0x00] = self[0x00] & ~0x0501_0000 | 1
    for bit in [16, 24, 26] { readyAt[bit] = nil }
    choose()
  }

  private var systemClock: UInt64 {
    switch source {
    case 0: Self.internalClock
    case 1: crystal
    default: multiplied
    }
  }

  private var multiplied: UInt64 {
    let word = self[0x04]
    let input = word >> 22 & 1 != 0 ? crystal : Self.internalClock
    let (m, n, p) = (UInt64(word & 63), UInt64(word >> 6 & 511), UInt64(word >> 16 & 3) * 2 + 2)
    return m == 0 ? input : max(input * n / m / p, 1)
  }

  /// A divider of CFGR: powers of two from a code on, where AHB's has no 32.
  private func divider(_ low: UInt32, _ bits: UInt32, from first: UInt32) -> UInt64 {
    let code = self[0x08] >> low & (1 << bits - 1)
    guard code >= first else { return 1 }
    let power = code - first + 1
    return 1 << UInt64(bits == 4 && power > 4 ? power + 1 : power)
  }

  /// The frequency of the RTC's clock: that of the low crystal, of the low oscillator, or of the high crystal divided.
  var calendarClock: UInt64 {
    switch self[0x70] >> 8 & 3 {
    case 2: 32_000
    case 3: crystal / UInt64(max(self[0x08] >> 16 & 31, 1))
    default: 32_768
    }
  }

  /// The dividers of the two buses.
  var slowDivider: UInt64 { divider(10, 3, from: 4) }
  var fastDivider: UInt64 { divider(13, 3, from: 4) }
}
