import Cores
import Machines
import STM32F411

/// A chip without an image, whose registers a test accesses directly; its core sleeps.
final class Part {
  let machine: STM32F411
  private let core: ArmCore

  /// A loop of WFI with interrupts masked.
  ///
  /// cpsid i; wfi; b .-2
  private static let sleep: [UInt8] = [0x72, 0xB6, 0x30, 0xBF, 0xFD, 0xE7]
  /// The same with SLEEPDEEP, once the word at 0x20003000 is not 0.
  ///
  /// ldr r0, =SCR; ldr r3, =0x20003000; movs r1, #4; str r1, [r0]; cpsid i; ldr r2, [r3]; cmp r2, #0; beq .-4; wfi;
  /// b .-2
  private static let deepSleep: [UInt8] = [
    0x04, 0x48, 0x05, 0x4B, 0x04, 0x21, 0x01, 0x60, 0x72, 0xB6, 0x1A, 0x68, 0x00, 0x2A, 0xFC, 0xD0,
    0x30, 0xBF, 0xFD, 0xE7, 0x10, 0xED, 0x00, 0xE0, 0x00, 0x30, 0x00, 0x20,
  ]

  /// Creates a chip whose core sleeps; with `isDeep` it enters deep sleep once the word at 0x20003000 is not 0.
  init?(_ model: STM32F411.Model = .stm32F411, isDeep: Bool = false) {
    machine = STM32F411(model, seed: 7)
    guard let core = machine.core as? ArmCore else { return nil }
    self.core = core
    let code = isDeep ? Self.deepSleep : Self.sleep
    var image = [UInt8](repeating: 0, count: 0x120)
    image.replaceSubrange(0..<8, with: [0x00, 0x80, 0x00, 0x20, 0xF1, 0x00, 0x00, 0x08])
    image.replaceSubrange(0xF0..<0xF0 + code.count, with: code)
    machine.memories[0].load(image, at: 0x0800_0000)
    machine.reset(.powerOn)
    pass(microseconds: 1)
  }

  subscript(address: UInt32) -> UInt32 {
    get { core.memory.read(address, bytes: 4) ?? 0xDEAD_BEEF }
    set { _ = core.memory.write(address, newValue, bytes: 4) }
  }

  /// Runs for a number of microseconds.
  @discardableResult
  func pass(microseconds: UInt64) -> MachineStop {
    machine.run(until: machine.clock.nanoseconds(at: core.cycles) + microseconds * 1000)
  }

  /// Runs until a flag is set; returns the elapsed microseconds, or `nil` after a second.
  func wait(_ address: UInt32, _ flag: UInt32) -> Double? {
    let start = machine.clock.nanoseconds(at: core.cycles)
    for _ in 0..<1_000_000 {
      if self[address] & flag != 0 {
        return Double(machine.clock.nanoseconds(at: core.cycles) - start) / 1000
      }
      pass(microseconds: 1)
    }
    return nil
  }

  /// Returns whether an interrupt is pending.
  func isPending(_ interrupt: UInt32) -> Bool {
    (0..<4).contains { core.readByte(0xE000_E200 + interrupt / 32 * 4 + $0) ?? 0 != 0 }
  }
}

/// The base addresses of the peripherals.
enum Base {
  static let TIM2: UInt32 = 0x4000_0000
  static let TIM3: UInt32 = 0x4000_0400
  static let TIM4: UInt32 = 0x4000_0800
  static let RTC: UInt32 = 0x4000_2800
  static let SPI2: UInt32 = 0x4000_3800
  static let I2C1: UInt32 = 0x4000_5400
  static let PWR: UInt32 = 0x4000_7000
  static let TIM1: UInt32 = 0x4001_0000
  static let USART1: UInt32 = 0x4001_1000
  static let ADC1: UInt32 = 0x4001_2000
  static let TIM9: UInt32 = 0x4001_4000
  static let TIM10: UInt32 = 0x4001_4400
  static let TIM11: UInt32 = 0x4001_4800
  static let GPIOA: UInt32 = 0x4002_0000
  static let GPIOB: UInt32 = 0x4002_0400
  static let GPIOD: UInt32 = 0x4002_0C00
  static let DMA1: UInt32 = 0x4002_6000
  static let DMA2: UInt32 = 0x4002_6400
}
