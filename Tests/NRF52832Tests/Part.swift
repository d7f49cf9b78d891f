import Cores
import I2C
import Machines
import NRF52832

/// A chip without an image, whose registers a test accesses directly; its core sleeps.
final class Part {
  let machine: NRF52832
  private let core: ArmCore

  /// Creates a chip whose core runs a loop of WFI with interrupts masked.
  init(_ model: NRF52832.Model = .nRF52832) {
    machine = NRF52832(model, seed: 7)
    guard let core = machine.core as? ArmCore else { preconditionFailure("an ARM core") }
    self.core = core
    // cpsid i; wfi; b .-2
    let code: [UInt16] = [0xB672, 0xBF30, 0xE7FD]
    var image = [UInt8](repeating: 0, count: 0x100)
    image.replaceSubrange(0..<8, with: [0x00, 0x80, 0x00, 0x20, 0xF1, 0x00, 0, 0])
    for (index, half) in code.enumerated() {
      image[0xF0 + index * 2] = UInt8(half & 0xFF)
      image[0xF1 + index * 2] = UInt8(half >> 8)
    }
    machine.memories[0].load(image, at: 0)
    machine.reset(.powerOn)
    pass(microseconds: 1)
  }

  subscript(address: UInt32) -> UInt32 {
    get { core.memory.read(address, bytes: 4) ?? 0xDEAD_BEEF }
    set { _ = core.memory.write(address, newValue, bytes: 4) }
  }

  /// Returns whether an interrupt is pending in the NVIC.
  func isPending(_ interrupt: UInt32) -> Bool {
    word(0xE000_E200 + interrupt / 32 * 4) >> (interrupt % 32) & 1 != 0
  }

  /// Reads a word of the core's system registers.
  func word(_ address: UInt32) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(core.readByte(address + $1) ?? 0) << ($1 * 8) }
  }

  func bytes(_ address: UInt32, _ count: Int) -> [UInt8] {
    (0..<UInt32(count)).map { core.readByte(address + $0) ?? 0 }
  }

  func put(_ bytes: [UInt8], at address: UInt32) {
    for (index, byte) in bytes.enumerated() { _ = core.writeByte(address + UInt32(index), byte) }
  }

  @discardableResult
  func pass(microseconds: Double) -> MachineStop {
    machine.run(until: machine.clock.nanoseconds + UInt64(microseconds * 1000))
  }

  /// Runs until a register is not 0; returns the elapsed microseconds, or `nil` after a timeout in microseconds.
  func await(_ address: UInt32, within microseconds: Double = 2_000_000) -> Double? {
    let start = machine.clock.nanoseconds
    let end = start + UInt64(microseconds * 1000)
    while self[address] == 0 {
      guard let next = machine.nextEvent, next <= end else { return nil }
      _ = machine.run(until: next + 16)
    }
    return Double(machine.clock.nanoseconds - start) / 1000
  }
}

/// The base addresses of the peripherals.
enum Base {
  static let CLOCK: UInt32 = 0x4000_0000
  static let UARTE0: UInt32 = 0x4000_2000
  static let TWIM0: UInt32 = 0x4000_3000
  static let TWIM1: UInt32 = 0x4000_4000
  static let GPIOTE: UInt32 = 0x4000_6000
  static let SAADC: UInt32 = 0x4000_7000
  static let TIMER0: UInt32 = 0x4000_8000
  static let TIMER1: UInt32 = 0x4000_9000
  static let RTC0: UInt32 = 0x4000_B000
  static let TEMP: UInt32 = 0x4000_C000
  static let RNG: UInt32 = 0x4000_D000
  static let WDT: UInt32 = 0x4001_0000
  static let RTC1: UInt32 = 0x4001_1000
  static let EGU0: UInt32 = 0x4001_4000
  static let TIMER3: UInt32 = 0x4001_A000
  static let NVMC: UInt32 = 0x4001_E000
  static let PPI: UInt32 = 0x4001_F000
  static let UARTE1: UInt32 = 0x4002_8000
  static let P0: UInt32 = 0x5000_0000
}
