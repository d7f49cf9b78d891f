import Cores
import Testing

/// Tests of semihosting.
struct SemihostingTests {
  /// A console that records its output.
  private final class Console {
    var output = ""
    var error = ""
  }

  /// Runs a program to its exit; returns its status and output.
  private func run(_ text: String, typed: String = "") throws -> (status: Int32, Console, ArmCore) {
    let core = try Assembly(text).core
    let console = Console()
    var semihosting = Semihosting { stream, bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if stream == .error { console.error += text } else { console.output += text }
    }
    semihosting.typed = Array(typed.utf8)
    semihosting.epoch = 1_000_000
    let memory = SemihostingMemory(read: core.readByte, write: core.writeByte)
    for _ in 0..<100 {
      try #require(core.run(until: core.cycles + 1_000_000) == .breakpoint(0xAB))
      let answer = semihosting.serve(
        core[register: 0], core[register: 1], memory: memory, nanoseconds: 5_120_000_000)
      switch answer {
      case .exit(let status): return (status, console, core)
      case .result(let value): core[register: 0] = value
      case .unknown(let number): Issue.record("operation \(number)")
      }
      core.skip()
    }
    Issue.record("no exit")
    return (-1, console, core)
  }

  @Test("a program writes strings and characters, and opens the console as a file")
  func text() throws {
    let (status, console, core) = try run(
      """
      movs r0, #4
      adr r1, text
      bkpt 0xAB
      movs r0, #3
      adr r1, text + 1
      bkpt 0xAB
      movs r0, #1
      adr r1, open
      bkpt 0xAB
      ldr r2, =0x20000100
      mov r4, r0
      str r0, [r2]
      adr r3, text
      str r3, [r2, #4]
      movs r3, #2
      str r3, [r2, #8]
      movs r0, #5
      mov r1, r2
      bkpt 0xAB
      mov r5, r0
      movs r0, #0x18
      ldr r1, =0x20026
      bkpt 0xAB
      .align 2
      open: .word name, 8, 3
      name: .asciz ":tt"
      text: .asciz "hello"
      """)
    #expect(status == 0)
    #expect(console.output == "helloe")
    #expect(console.error == "he")
    #expect(core[register: 4] == 3)
    #expect(core[register: 5] == 0)
  }

  @Test("a program reads the time and exits with a status")
  func time() throws {
    let (status, _, core) = try run(
      """
      movs r0, #0x10
      bkpt 0xAB
      mov r4, r0
      movs r0, #0x11
      bkpt 0xAB
      mov r5, r0
      movs r0, #0x20
      adr r1, end
      bkpt 0xAB
      .align 2
      end: .word 0x20026, 42
      """)
    #expect(status == 42)
    #expect(core[register: 4] == 512)
    #expect(core[register: 5] == 1_000_005)
  }

  @Test("a program reads console input to its end, and opening a file fails")
  func input() throws {
    let (status, _, core) = try run(
      """
      movs r0, #7
      bkpt 0xAB
      mov r4, r0
      ldr r1, =0x20000100
      movs r2, #1
      str r2, [r1]
      ldr r2, =0x20000200
      str r2, [r1, #4]
      movs r2, #8
      str r2, [r1, #8]
      movs r0, #6
      bkpt 0xAB
      mov r5, r0
      ldr r6, =0x20000200
      ldrh r6, [r6]
      movs r0, #1
      adr r1, open
      bkpt 0xAB
      mov r7, r0
      movs r0, #0x18
      movs r1, #0
      bkpt 0xAB
      .align 2
      open: .word name, 0, 11
      name: .asciz "/etc/passwd"
      """, typed: "abc")
    #expect(status == 1)
    #expect(core[register: 4] == 0x61)
    #expect(core[register: 5] == 6)
    #expect(core[register: 6] == 0x6362)
    #expect(core[register: 7] == .max)
  }

  @Test("a malformed request does not hang, and an unknown request is reported")
  func hostile() {
    var semihosting = Semihosting { _, _ in }
    let endless = SemihostingMemory(read: { _ in 0xFF }, write: { _, _ in true })
    for operation in UInt32(0)..<0x120 {
      _ = semihosting.serve(operation, 0xFFFF_FFF0, memory: endless, nanoseconds: .max)
    }
    let nowhere = SemihostingMemory(read: { _ in nil }, write: { _, _ in false })
    #expect(semihosting.serve(0x04, 0, memory: nowhere, nanoseconds: 0) == .result(0))
    #expect(semihosting.serve(0x99, 0, memory: nowhere, nanoseconds: 0) == .unknown(0x99))
  }
}
