import Machines

/// RESETS: holds the subsystems in reset until a program releases them.
package final class RESETS: Peripheral {
  package static let RESET: UInt32 = 0x0
  static let WDSEL: UInt32 = 0x4
  package static let RESET_DONE: UInt32 = 0x8
  private static let all: UInt32 = 0x01FF_FFFF

  /// The bits of the subsystems.
  enum Bit {
    static let ADC: UInt32 = 1 << 0, I2C0: UInt32 = 1 << 3, I2C1: UInt32 = 1 << 4
    static let IO_BANK0: UInt32 = 1 << 5, PADS_BANK0: UInt32 = 1 << 8
    static let PLL_SYS: UInt32 = 1 << 12, PLL_USB: UInt32 = 1 << 13, PWM: UInt32 = 1 << 14
    static let SPI0: UInt32 = 1 << 16, SPI1: UInt32 = 1 << 17
    static let TIMER: UInt32 = 1 << 21, UART0: UInt32 = 1 << 22, UART1: UInt32 = 1 << 23
  }

  init(_ chip: Chip) {
    super.init(at: 0x4000_C000, chip)
    define(RESETS.RESET, reset: Self.all, mask: Self.all)
    define(RESETS.WDSEL, mask: Self.all)
    define(RESETS.RESET_DONE, mask: 0)
  }

  override func reset() {
    super.reset()
    chip.released = 0
  }

  package override func load(_ offset: UInt32) -> UInt32? {
    offset == RESETS.RESET_DONE ? ~self[RESETS.RESET] & Self.all : nil
  }

  package override func store(_ offset: UInt32, _ value: UInt32) -> Bool {
    guard offset == RESETS.RESET else { return false }
    let held = value & Self.all
    let new = held & ~self[RESETS.RESET]
    self[RESETS.RESET] = held
    chip.released = ~held & Self.all
    chip.reset(new)
    return true
  }
}

/// PSM: the power-on state machine, whose stages are always ready, except core 1, which is not modelled.
final class PSM: Peripheral {
  static let FRCE_ON: UInt32 = 0x0
  static let FRCE_OFF: UInt32 = 0x4
  static let WDSEL: UInt32 = 0x8
  static let DONE: UInt32 = 0xC

  init(_ chip: Chip) {
    super.init(at: 0x4001_0000, chip)
    for offset in [PSM.FRCE_ON, PSM.FRCE_OFF, PSM.WDSEL] { define(offset, mask: 0x1_FFFF) }
    define(PSM.DONE, mask: 0)
  }

  override func load(_ offset: UInt32) -> UInt32? {
    offset == PSM.DONE ? ~self[PSM.FRCE_OFF] & 0x1_FFFF : nil
  }
}

/// SYSINFO, SYSCFG, VREG_AND_CHIP_RESET, BUSCTRL and TBMAN: identity and settings without an effect on a program.
final class Settings: Peripheral {
  /// The reset values of the registers from the first one, and the mask of their writable bits.
  init(at base: UInt32, _ registers: [(offset: UInt32, reset: UInt32, mask: UInt32)], _ chip: Chip)
  {
    super.init(at: base, chip)
    for register in registers {
      define(register.offset, reset: register.reset, mask: register.mask)
    }
  }

  /// Creates those of the chip.
  static func all(_ chip: Chip) -> [Settings] {
    [
      // CHIP_ID of version B2, PLATFORM (ASIC) and GITREF_RP2040.
      Settings(
        at: 0x4000_0000, [(0x00, 0x2000_2927, 0), (0x04, 2, 0), (0x40, 0xE009_3FD2, 0)], chip),
      Settings(
        at: 0x4000_4000, (0..<7).map { ($0 * 4, $0 == 4 ? 0xFFFF_FFFF : 0, 0xFFFF_FFFF) }, chip),
      // VREG: regulation at 1.10 V; BOD; CHIP_RESET.
      Settings(
        at: 0x4006_4000, [(0x00, 0x10B1, 0xF3), (0x04, 0x91, 0xF1), (0x08, 1 << 8, 1 << 24)], chip),
      // BUS_PRIORITY, its acknowledgement and the performance counters.
      Settings(
        at: 0x4003_0000, [(0x00, 0, 0x1111), (0x04, 1, 0)] + (2..<10).map { ($0 * 4, 0, 0x1F) },
        chip),
      Settings(at: 0x4006_C000, [(0x00, 1, 0)], chip),
    ]
  }
}
