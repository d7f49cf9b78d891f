import FirmwareRuns
import Foundation
import TestSupport
import Testing

/// Tests of stack overflows without a fault, and of false positives.
struct StackTests {
  private func wrong(_ kind: Int) throws -> Outcome {
    try Firmware.run(FirmwareBuild.arm("wrong", flags: ["-DKIND=\(kind)"]))
  }

  @Test(
    "a main stack that grows into variables is reported immediately, with its function")
  func variables() throws {
    let outcome = try wrong(10)
    let message = try #require(outcome.failure.first)
    #expect(message.contains("stack overflow: the stack pointer is 0x2000"))
    #expect(message.contains("the variables below the stack end at 0x2000"))
    #expect(message.hasSuffix("at dive, the most frequent function on the stack"), "\(message)")
    #expect(outcome.output == "before\r\n" && outcome.ending?.status == 1)
  }

  @Test(
    "a heap below the stack and the stacks of coroutines and tasks are not reported as overflows",
    arguments: [11, 12, 13])
  func others(kind: Int) throws {
    let outcome = try wrong(kind)
    #expect(outcome.failure == [] && outcome.output == "before\r\nbehind\r\n")
  }

  @Test("a coroutine's stack among AVR variables is not an overflow", arguments: 0...2)
  func coroutine(kind: Int) throws {
    let own = try Firmware.run(
      FirmwareBuild.avr("avr-coroutine", flags: ["-DKIND=\(kind)"]), on: "atmega328p"
    ) { $0.duration = 100_000_000 }
    #expect(own.failure == [] && own.output == "back\r\n")
    // Afterwards the main stack is checked again.
    let deep = try Firmware.run(
      FirmwareBuild.avr("avr-coroutine", flags: ["-DKIND=\(kind)", "-DDEEP"]), on: "atmega328p"
    ) { $0.duration = 100_000_000 }
    let message = try #require(deep.failure.first)
    #expect(message.contains("stack overflow: ") && message.contains("at dive, "), "\(message)")
  }

  @Test("for an AVR program without static variables, the stack limit is the start of RAM")
  func registers() throws {
    let outcome = try Firmware.run(
      FirmwareBuild.avr("avr-stray", flags: ["-DKIND=0"]), on: "atmega328p")
    let message = try #require(outcome.failure.first)
    #expect(
      message.contains(
        "stack overflow: the stack pointer is 0xfd, and the RAM begins at 0x100, after the I/O registers"
      ),
      "\(message)")
    #expect(message.hasSuffix("at dive, the most frequent function on the stack"), "\(message)")
    // One return address is in the register area, no more.
    #expect(outcome.notices.count { $0.contains("not modelled") } == 2, "\(outcome.notices)")
  }

  @Test(
    "a return or pop past the top of an AVR's stack is reported with its function",
    arguments: [5, 6])
  func pastTop(kind: Int) throws {
    let outcome = try Firmware.run(
      FirmwareBuild.avr("avr-stray", flags: ["-DKIND=\(kind)"]), on: "atmega328p")
    let message = try #require(outcome.failure.first)
    #expect(
      message.contains("the stack was read past its top: the stack pointer is 0x90"), "\(message)")
    #expect(message.contains("and the RAM ends at 0x8ff, at take_more+"), "\(message)")
    #expect(outcome.ending?.status == 1 && outcome.ending?.reason == message)
    #expect(!outcome.notices.contains { $0.contains("not modelled") }, "\(outcome.notices)")
  }

  @Test(
    "an AVR stack overflow by calls or local variables is reported", arguments: [[], ["-DFRAME"]])
  func avr(flags: [String]) throws {
    let depth = flags.isEmpty ? 300 : 8
    let deep = try Firmware.run(
      FirmwareBuild.avr("avr-stack", flags: flags + ["-DDEPTH=\(depth)"]), on: "atmega328p")
    let message = try #require(deep.failure.first)
    #expect(message.contains("stack overflow: the stack pointer is 0x"), "\(message)")
    #expect(message.contains("the last of them 'crowd'"), "\(message)")
    #expect(message.hasSuffix("at dive, the most frequent function on the stack"), "\(message)")
    let flat = try Firmware.run(
      FirmwareBuild.avr("avr-stack", flags: flags + ["-DDEPTH=3"]), on: "atmega328p")
    #expect(flat.failure == [] && flat.output == "done\r\n")
  }
}
