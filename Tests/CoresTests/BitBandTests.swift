import Cores
import Testing

/// Tests of bit-band aliases.
struct BitBandTests {
  /// A register that records its accesses.
  private final class Register: BusDevice {
    var value: UInt32 = 0xF0
    var accesses: [String] = []

    func read(_ offset: UInt32, bytes: UInt32) -> UInt32? {
      accesses.append("read \(offset) \(bytes)")
      return value
    }

    func write(_ offset: UInt32, _ value: UInt32, bytes: UInt32) -> Bool {
      accesses.append("write \(offset) \(bytes)")
      self.value = value
      return true
    }
  }

  @Test("a store to a bit-band alias changes one bit of a register, and a load reads one bit")
  func peripherals() throws {
    let memory = AddressSpace()
    let register = Register()
    memory.add(register, at: 0x4000_4000, count: 0x400)
    BitBand.addBoth(to: memory)
    // Bit 9 of 0x40004008, then bits 7 and 8.
    let program = try Assembly(
      """
      ldr r0, =0x42080124
      movs r1, #3
      str r1, [r0]
      ldr r2, [r0, #-8]
      ldr r3, [r0, #-4]
      bkpt 1
      """, memory: memory)
    #expect(program.core.run(until: 1000) == .breakpoint(1))
    #expect(register.value == 0x2F0)
    #expect(program.core[register: 2] == 1)
    #expect(program.core[register: 3] == 0)
    #expect(register.accesses == ["read 8 4", "write 8 4", "read 8 4", "read 8 4"])
  }

  @Test("a fast-path load returns a RAM bit that was set through the bit-band alias")
  func ram() throws {
    let memory = AddressSpace()
    BitBand.addBoth(to: memory)
    let program = try Assembly(
      """
      ldr r0, =0x20000300
      ldr r1, [r0]
      ldr r2, =0x220060FC
      movs r3, #1
      str r3, [r2]
      ldr r4, [r0, #4]
      bkpt 1
      """, memory: memory)
    #expect(program.core.run(until: 1000) == .breakpoint(1))
    #expect(program.core[register: 4] == 0x8000_0000)
    #expect(program.core[register: 1] == 0)
  }

  @Test("an access to the alias of an unmapped address is a bus error")
  func nothing() {
    let memory = AddressSpace()
    BitBand.addBoth(to: memory)
    #expect(memory.read(0x4200_0000, bytes: 4) == nil)
    #expect(!memory.write(0x4200_0000, 1, bytes: 4))
  }
}
