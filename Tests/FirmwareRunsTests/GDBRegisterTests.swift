import Machines
import Testing

@testable import FirmwareRuns

/// The registers that a debugger sees.
struct GDBRegisterTests {
  @Test(
    "GDB reads and writes the stack pointers and masks of an ARM core",
    arguments: [
      ("msp", 0x2000_0100), ("psp", 0x2000_0200), ("primask", 1), ("basepri", 0x40),
      ("faultmask", 1), ("control", 2),
    ] as [(String, UInt32)])
  func special(_ name: String, _ value: UInt32) throws {
    let machine = try #require(MicrocontrollerModel.named("nrf52832")).made(seed: 0)
    let registers = GDBRegisters(machine.core, family: nil)
    let number = try #require(registers.entries.firstIndex { $0.name == name })
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32($0 * 8)) }
    #expect(registers.set(number, bytes[...]))
    #expect(registers.bytes(number) == bytes)
    let text = try #require(registers.description.split(separator: "m-system").last)
    #expect(text.contains("name=\"\(name)\" bitsize=\"32\" regnum=\"\(number)\""))
    #expect(registers.entries[registers.entries.count - 7].name == "fpscr")
  }
}
