import Cores
import Machines
import STM32F411

/// A part without an image, whose registers a test reads and writes itself; its core sleeps.
final class Part {
  let machine = STM32F411(seed: 7)
  private let core: ArmCore

  /// Lets the core run a loop of one instruction that waits for an interrupt, with interrupts masked.
  init?() {
    guard let core = machine.core as? ArmCore else { return nil }
    self.core = core
    // cpsid i; wfi; b .-2
    let code: [UInt8] = [0x72, 0xB6, 0x30, 0xBF, 0xFD, 0xE7]
    var image = [UInt8](repeating: 0, count: 0x100)
    image.replaceSubrange(0..<8, with: [0x00, 0x80, 0x00, 0x20, 0xF1, 0x00, 0x00, 0x08])
    image.replaceSubrange(0xF0..<0xF6, with: code)
    machine.memories[0].load(image, at: 0x0800_0000)
    machine.reset(.powerOn)
    pass(microseconds: 1)
  }

  subscript(address: UInt32) -> UInt32 {
    get { core.memory.read(address, bytes: 4) ?? 0xDEAD_BEEF }
    set { _ = core.memory.write(address, newValue, bytes: 4) }
  }

  /// Lets time pass.
  @discardableResult
  func pass(microseconds: UInt64) -> MachineStop {
    machine.run(until: machine.clock.nanoseconds(at: core.cycles) + microseconds * 1000)
  }

  /// Lets time pass until a flag is set; the microseconds that it took, or `nil` after a second.
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

  /// Whether an interrupt is pending.
  func isPending(_ interrupt: UInt32) -> Bool {
    (0..<4).contains { core.readByte(0xE000_E200 + interrupt / 32 * 4 + $0) ?? 0 != 0 }
  }
}
