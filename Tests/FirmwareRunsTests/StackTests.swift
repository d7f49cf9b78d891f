import Foundation
import TestSupport
import Testing

@testable import FirmwareRuns

/// Stacks that grow into variables without a fault, and those that only seem to.
struct StackTests {
  private func wrong(_ kind: Int) throws -> Outcome {
    try Firmware.run(FirmwareBuild.arm("wrong", flags: ["-DKIND=\(kind)"]))
  }

  @Test(
    "a main stack that grows into the variables is told at once, with the function that filled it")
  func variables() throws {
    let outcome = try wrong(10)
    let message = try #require(outcome.failure.first)
    #expect(message.contains("stack overflow: the stack pointer is 0x2000"))
    #expect(message.contains("the variables below the stack end at 0x2000"))
    #expect(message.hasSuffix("at dive, which is on the stack most often"), "\(message)")
    #expect(outcome.output == "before\r\n" && outcome.ending?.status == 1)
  }

  @Test(
    "a heap below the stack, a stack of a coroutine and one of a task are no overflows",
    arguments: [11, 12, 13])
  func others(kind: Int) throws {
    let outcome = try wrong(kind)
    #expect(outcome.failure == [] && outcome.output == "before\r\nbehind\r\n")
  }

  @Test("a coroutine's stack among the variables of an AVR is no overflow", arguments: 0...2)
  func coroutine(kind: Int) throws {
    let own = try Firmware.run(
      FirmwareBuild.avr("avr-coroutine", flags: ["-DKIND=\(kind)"]), on: "atmega328p"
    ) { $0.duration = 100_000_000 }
    #expect(own.failure == [] && own.output == "back\r\n")
    // Behind it the main stack is watched again.
    let deep = try Firmware.run(
      FirmwareBuild.avr("avr-coroutine", flags: ["-DKIND=\(kind)", "-DDEEP"]), on: "atmega328p"
    ) { $0.duration = 100_000_000 }
    let message = try #require(deep.failure.first)
    #expect(message.contains("stack overflow: ") && message.contains("at dive, "), "\(message)")
  }

  @Test("on an AVR without variables the stack ends where the RAM begins, above the registers")
  func registers() throws {
    let outcome = try Firmware.run(
      FirmwareBuild.avr("avr-stray", flags: ["-DKIND=0"]), on: "atmega328p")
    let message = try #require(outcome.failure.first)
    #expect(
      message.contains(
        "stack overflow: the stack pointer is 0xfd, and the RAM begins at 0x100, behind the I/O registers"
      ),
      "\(message)")
    #expect(message.hasSuffix("at dive, which is on the stack most often"), "\(message)")
    // One return address lies in registers, no more.
    #expect(outcome.notices.count { $0.contains("not modelled") } == 2, "\(outcome.notices)")
  }

  @Test(
    "a return or a pop that reads an AVR's stack past its top is told with its function",
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

  @Test("on an AVR as well, by calls and by room for variables", arguments: [[], ["-DFRAME"]])
  func avr(flags: [String]) throws {
    let depth = flags.isEmpty ? 300 : 8
    let deep = try Firmware.run(
      FirmwareBuild.avr("avr-stack", flags: flags + ["-DDEPTH=\(depth)"]), on: "atmega328p")
    let message = try #require(deep.failure.first)
    #expect(message.contains("stack overflow: the stack pointer is 0x"), "\(message)")
    #expect(message.contains("the last of them 'crowd'"), "\(message)")
    #expect(message.hasSuffix("at dive, which is on the stack most often"), "\(message)")
    let flat = try Firmware.run(
      FirmwareBuild.avr("avr-stack", flags: flags + ["-DDEPTH=3"]), on: "atmega328p")
    #expect(flat.failure == [] && flat.output == "done\r\n")
  }
}
