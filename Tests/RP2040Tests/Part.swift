import Cores
import Machines
import RP2040

/// A chip without an image, whose registers a test accesses directly; its core sleeps.
final class Part {
  let machine = RP2040(seed: 7)
  private let core: ArmCore

  /// A loop of WFI with interrupts masked.
  ///
  /// cpsid i; wfi; b .-2
  private static let sleep: [UInt8] = [0x72, 0xB6, 0x30, 0xBF, 0xFD, 0xE7]

  /// Creates a chip with the crystal as the source of clk_ref, 125 MHz from the PLL, a tick of 1 µs, and all subsystems
  /// released.
  init?() {
    guard let core = machine.core as? ArmCore else { return nil }
    self.core = core
    var image = [UInt8](repeating: 0, count: 0x110)
    image.replaceSubrange(0..<8, with: [0x00, 0x20, 0x04, 0x20, 0x01, 0x02, 0x00, 0x10])
    image.replaceSubrange(0x100..<0x100 + Self.sleep.count, with: Self.sleep)
    machine.memories[0].load(image, at: 0x1000_0100)
    machine.reset(.powerOn)
    self[Base.WATCHDOG + WATCHDOG.TICK] = 1 << 9 | 12
    self[Base.XOSC] = 0xFABAA0
    self[Base.CLOCKS + CLOCKS.CLK_REF_CTRL] = 2
    self[Base.RESETS + RESETS.RESET] = 0
    self[Base.PLL_SYS + 8] = 125
    self[Base.PLL_SYS + 4] = 0
    self[Base.PLL_SYS + 12] = 6 << 16 | 2 << 12
    self[Base.CLOCKS + CLOCKS.CLK_SYS_CTRL] = 1
    self[Base.CLOCKS + CLOCKS.CLK_PERI_CTRL] = 1 << 11
    pass(microseconds: 1)
  }

  subscript(address: UInt32) -> UInt32 {
    get { core.memory.read(address, bytes: 4) ?? 0xDEAD_BEEF }
    set { _ = core.memory.write(address, newValue, bytes: 4) }
  }

  /// Writes a byte.
  func write(_ byte: UInt32, at address: UInt32) {
    _ = core.memory.write(address, byte, bytes: 1)
  }

  var nanoseconds: UInt64 { machine.clock.nanoseconds(at: core.cycles) }

  /// Runs for a number of microseconds.
  @discardableResult
  func pass(microseconds: UInt64) -> MachineStop {
    machine.run(until: nanoseconds + microseconds * 1000)
  }

  /// Runs until a flag is set; returns the elapsed microseconds, or `nil` after 0.1 s.
  func wait(_ address: UInt32, _ flag: UInt32) -> Double? {
    let start = nanoseconds
    for _ in 0..<100_000 {
      if self[address] & flag != 0 { return Double(nanoseconds - start) / 1000 }
      pass(microseconds: 1)
    }
    return nil
  }

  /// Returns whether an interrupt is pending.
  func isPending(_ interrupt: UInt32) -> Bool {
    (core.readByte(0xE000_E200 + interrupt / 8) ?? 0) >> (interrupt % 8) & 1 != 0
  }

  /// Sets the function of a pin.
  func select(_ function: UInt32, of pin: UInt32) {
    self[Base.IO_BANK0 + IO_BANK0.GPIO0_CTRL + pin * 8] = function
  }
}

/// The base addresses of the peripherals.
enum Base {
  static let CLOCKS: UInt32 = 0x4000_8000
  static let RESETS: UInt32 = 0x4000_C000
  static let IO_BANK0: UInt32 = 0x4001_4000
  static let PADS_BANK0: UInt32 = 0x4001_C000
  static let XOSC: UInt32 = 0x4002_4000
  static let PLL_SYS: UInt32 = 0x4002_8000
  static let UART0: UInt32 = 0x4003_4000
  static let UART1: UInt32 = 0x4003_8000
  static let I2C0: UInt32 = 0x4004_4000
  static let ADC: UInt32 = 0x4004_C000
  static let PWM: UInt32 = 0x4005_0000
  static let TIMER: UInt32 = 0x4005_4000
  static let WATCHDOG: UInt32 = 0x4005_8000
  static let SIO: UInt32 = 0xD000_0000
}
