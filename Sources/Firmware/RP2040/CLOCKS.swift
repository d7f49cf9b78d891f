import Machines

/// CLOCKS: the clock generators, of which all but clk_gpout and the resuscitation of clk_sys are modelled.
package final class CLOCKS: Peripheral, ClockTree {
  /// CTRL, DIV and SELECTED of the ten generators, 12 bytes apart.
  package static let CLK_REF_CTRL: UInt32 = 0x30
  package static let CLK_SYS_CTRL: UInt32 = 0x3C
  package static let CLK_PERI_CTRL: UInt32 = 0x48
  package static let CLK_USB_CTRL: UInt32 = 0x54
  package static let CLK_ADC_CTRL: UInt32 = 0x60
  package static let CLK_RTC_CTRL: UInt32 = 0x6C
  static let CLK_SYS_RESUS_CTRL: UInt32 = 0x78
  static let CLK_SYS_RESUS_STATUS: UInt32 = 0x7C
  static let FC0_REF_KHZ: UInt32 = 0x80
  static let FC0_SRC: UInt32 = 0x94
  static let FC0_STATUS: UInt32 = 0x98
  static let FC0_RESULT: UInt32 = 0x9C
  static let WAKE_EN0: UInt32 = 0xA0
  static let INTR: UInt32 = 0xB8
  private static let generators: UInt32 = 10

  private let rosc: ROSC
  private let xosc: XOSC
  private let systemPLL: PLL
  private let usbPLL: PLL

  init(_ rosc: ROSC, _ xosc: XOSC, _ systemPLL: PLL, _ usbPLL: PLL, _ chip: Chip) {
    (self.rosc, self.xosc, self.systemPLL, self.usbPLL) = (rosc, xosc, systemPLL, usbPLL)
    super.init(at: 0x4000_8000, chip)
    for index in 0..<Self.generators {
      define(index * 12, mask: 0x001F_1FFF)
      define(index * 12 + 4, reset: 0x100)
      define(index * 12 + 8, reset: 1, mask: 0)
    }
    define(CLOCKS.CLK_SYS_RESUS_CTRL, reset: 0xFF)
    define(CLOCKS.CLK_SYS_RESUS_STATUS, mask: 0)
    for offset in stride(from: CLOCKS.FC0_REF_KHZ, through: CLOCKS.FC0_SRC, by: 4) {
      define(offset)
    }
    for offset in stride(from: CLOCKS.FC0_STATUS, to: CLOCKS.WAKE_EN0, by: 4) {
      define(offset, mask: 0)
    }
    for offset in stride(from: CLOCKS.WAKE_EN0, to: CLOCKS.INTR, by: 4) {
      define(offset, reset: 0xFFFF_FFFF)
    }
    for offset in stride(from: CLOCKS.INTR, through: CLOCKS.INTR + 12, by: 4) { define(offset) }
    chip.clocks = self
    for oscillator in [rosc, xosc, systemPLL, usbPLL] as [Oscillator] {
      oscillator.didChange = { [unowned self] in didChange() }
    }
  }

  override func reset() {
    super.reset()
    didChange()
  }

  /// Applies the registers to the clocks.
  private func didChange() { chip.clocksDidChange(max(systemClock, 1)) }

  package override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    // The glitchless multiplexers of clk_ref and clk_sys show their source, the others are always ready.
    case CLOCKS.CLK_REF_CTRL + 8: 1 << (self[CLOCKS.CLK_REF_CTRL] & 3)
    case CLOCKS.CLK_SYS_CTRL + 8: 1 << (self[CLOCKS.CLK_SYS_CTRL] & 1)
    // A measurement is complete at once.
    case CLOCKS.FC0_STATUS: self[CLOCKS.FC0_SRC] == 0 ? 0 : 1 << 4
    case CLOCKS.FC0_RESULT: UInt32(truncatingIfNeeded: measured * 32 / 1000)
    default: nil
    }
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    guard offset < CLOCKS.CLK_SYS_RESUS_CTRL, offset % 12 != 8 else { return false }
    self[offset] = offset % 12 == 0 ? value & 0x001F_1FFF : value
    didChange()
    return true
  }

  /// Returns a frequency divided by a DIV register, whose lowest eight bits are a fraction.
  private func divided(_ frequency: UInt64, by offset: UInt32) -> UInt64 {
    let divider = UInt64(self[offset])
    return divider < 0x100 ? frequency >> 16 : frequency * 256 / divider
  }

  package var referenceClock: UInt64 {
    let source =
      switch self[CLOCKS.CLK_REF_CTRL] & 3 {
      case 0: rosc.frequency
      case 1: self[CLOCKS.CLK_REF_CTRL] >> 5 & 3 == 0 ? usbPLL.frequency : 0
      default: xosc.frequency
      }
    return divided(source, by: CLOCKS.CLK_REF_CTRL + 4)
  }

  /// The frequency of clk_sys in Hz.
  private var systemClock: UInt64 {
    let control = self[CLOCKS.CLK_SYS_CTRL]
    guard control & 1 != 0 else { return divided(referenceClock, by: CLOCKS.CLK_SYS_CTRL + 4) }
    let source =
      switch control >> 5 & 7 {
      case 0: systemPLL.frequency
      case 1: usbPLL.frequency
      case 2: rosc.frequency
      case 3: xosc.frequency
      default: 0 as UInt64
      }
    return divided(source, by: CLOCKS.CLK_SYS_CTRL + 4)
  }

  package var peripheralClock: UInt64 {
    let control = self[CLOCKS.CLK_PERI_CTRL]
    guard control >> 11 & 1 != 0 else { return 0 }
    return switch control >> 5 & 7 {
    case 0: systemClock
    case 1: systemPLL.frequency
    case 2: usbPLL.frequency
    case 3: rosc.frequency
    case 4: xosc.frequency
    default: 0
    }
  }

  package var adcClock: UInt64 { lateClock(CLOCKS.CLK_ADC_CTRL) }

  /// The frequency of clk_usb, clk_adc or clk_rtc in Hz, which have the same sources.
  private func lateClock(_ offset: UInt32) -> UInt64 {
    let control = self[offset]
    guard control >> 11 & 1 != 0 else { return 0 }
    let source =
      switch control >> 5 & 7 {
      case 0: usbPLL.frequency
      case 1: systemPLL.frequency
      case 2: rosc.frequency
      case 3: xosc.frequency
      default: 0 as UInt64
      }
    return divided(source, by: offset + 4)
  }

  /// The frequency that FC0_SRC selects, in Hz.
  private var measured: UInt64 {
    switch self[CLOCKS.FC0_SRC] & 0xFF {
    case 1: systemPLL.frequency
    case 2: usbPLL.frequency
    case 3, 4: rosc.frequency
    case 5: xosc.frequency
    case 8: referenceClock
    case 9: systemClock
    case 10: peripheralClock
    case 11: lateClock(CLOCKS.CLK_USB_CTRL)
    case 12: adcClock
    case 13: lateClock(CLOCKS.CLK_RTC_CTRL)
    default: 0
    }
  }
}

/// A source of a clock.
class Oscillator: Peripheral {
  /// A callback after a change of the frequency.
  var didChange: () -> Void = {}
  /// The frequency in Hz; 0 while the oscillator is stopped.
  var frequency: UInt64 { 0 }

  final override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    self[offset] = stored(offset, value)
    didChange()
    return isModelled(offset)
  }

  /// Returns the value that a register has after a write.
  func stored(_ offset: UInt32, _ value: UInt32) -> UInt32 { value }
  /// Returns whether a register is modelled.
  func isModelled(_ offset: UInt32) -> Bool { true }
}

/// ROSC, the ring oscillator, from which the chip starts; some 6.5 MHz.
final class ROSC: Oscillator {
  static let CTRL: UInt32 = 0x00
  static let STATUS: UInt32 = 0x18
  static let RANDOMBIT: UInt32 = 0x1C
  static let COUNT: UInt32 = 0x20
  private var random: RandomWords

  init(seed: UInt64, _ chip: Chip) {
    random = RandomWords(seed: seed)
    super.init(at: 0x4006_0000, chip)
    define(ROSC.CTRL, reset: 0xAA0)
    for offset in stride(from: 0x04 as UInt32, through: 0x14, by: 4) { define(offset) }
    for offset in [ROSC.STATUS, ROSC.RANDOMBIT] { define(offset, mask: 0) }
    define(ROSC.COUNT)
  }

  private var isOn: Bool { self[ROSC.CTRL] >> 12 & 0xFFF != 0xD1E }
  override var frequency: UInt64 { isOn ? 6_500_000 : 0 }

  override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case ROSC.STATUS: isOn ? 1 << 31 | 1 << 12 : 0
    case ROSC.RANDOMBIT: UInt32(truncatingIfNeeded: random.next() & 1)
    case ROSC.COUNT: 0
    default: nil
    }
  }

  override func isModelled(_ offset: UInt32) -> Bool { offset <= ROSC.COUNT }
}

/// XOSC, the crystal oscillator, which is stable at once.
final class XOSC: Oscillator {
  static let CTRL: UInt32 = 0x00
  static let STATUS: UInt32 = 0x04
  static let DORMANT: UInt32 = 0x08
  static let STARTUP: UInt32 = 0x0C
  static let COUNT: UInt32 = 0x1C
  /// The frequency of the crystal in Hz: 12 MHz on nearly all boards.
  var crystal: UInt64 = 12_000_000

  init(_ chip: Chip) {
    super.init(at: 0x4002_4000, chip)
    define(XOSC.CTRL)
    define(XOSC.STATUS, mask: 0)
    define(XOSC.DORMANT)
    define(XOSC.STARTUP, reset: 0xC4)
    define(XOSC.COUNT)
  }

  private var isOn: Bool { self[XOSC.CTRL] >> 12 & 0xFFF == 0xFAB }
  override var frequency: UInt64 { isOn ? crystal : 0 }

  override func load(_ offset: UInt32) -> UInt32? {
    switch offset {
    case XOSC.STATUS: isOn ? 1 << 31 | 1 << 12 : 0
    case XOSC.COUNT: 0
    default: nil
    }
  }

  override func stored(_ offset: UInt32, _ value: UInt32) -> UInt32 {
    if offset == XOSC.DORMANT, value == 0x636F_6D61 { note(offset, "dormant mode") }
    return value
  }

  override func isModelled(_ offset: UInt32) -> Bool {
    offset <= XOSC.STARTUP || offset == XOSC.COUNT
  }
}

/// PLL_SYS and PLL_USB, which lock at once.
final class PLL: Oscillator {
  static let CS: UInt32 = 0x00
  static let PWR: UInt32 = 0x04
  static let FBDIV_INT: UInt32 = 0x08
  static let PRIM: UInt32 = 0x0C
  private let crystal: XOSC

  init(at base: UInt32, resetBit: UInt32, _ crystal: XOSC, _ chip: Chip) {
    self.crystal = crystal
    super.init(at: base, resetBit: resetBit, chip)
    define(PLL.CS, reset: 1)
    define(PLL.PWR, reset: 0x2D)
    define(PLL.FBDIV_INT)
    define(PLL.PRIM, reset: 0x7_7000)
  }

  override func reset() {
    super.reset()
    didChange()
  }

  /// PD and VCOPD are 0.
  private var isOn: Bool { self[PLL.PWR] & 0x21 == 0 && self[PLL.FBDIV_INT] & 0xFFF >= 16 }

  override var frequency: UInt64 {
    guard isOn else { return 0 }
    let dividers =
      UInt64(max(self[PLL.PRIM] >> 16 & 7, 1)) * UInt64(max(self[PLL.PRIM] >> 12 & 7, 1))
    let input = crystal.frequency / UInt64(max(self[PLL.CS] & 0x3F, 1))
    return self[PLL.CS] >> 8 & 1 != 0
      ? input : input * UInt64(self[PLL.FBDIV_INT] & 0xFFF) / dividers
  }

  override func load(_ offset: UInt32) -> UInt32? {
    offset == PLL.CS ? self[PLL.CS] & 0x13F | (isOn ? 1 << 31 : 0) : nil
  }

  override func isModelled(_ offset: UInt32) -> Bool { offset <= PLL.PRIM }
}
