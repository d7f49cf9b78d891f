import Cores
import Testing

/// Tests of exception entry, chaining and return.
struct ExceptionTests {
  @Test("PendSV is taken directly after the store that pends it")
  func pendSV() throws {
    let program = try Assembly(
      """
      ldr r0, =0xE000ED04
      ldr r1, =0x10000000
      movs r2, #0
      str r1, [r0]
      isb
      adds r2, #1
      bkpt 1
      handler switch
      mov r3, r2
      movs r4, #1
      bx lr
      """, handlers: [14: "switch"])
    #expect(program.core.run(until: 1000) == .breakpoint(1))
    #expect(program.core[register: 3] == 0)
    #expect(program.core[register: 4] == 1)
    #expect(program.core[register: 2] == 1)
  }

  @Test("a pending exception is tail-chained in 6 cycles")
  func tailChaining() throws {
    let program = try Assembly(
      """
      ldr r0, =0xE000E100
      movs r1, #3
      str r1, [r0]
      str r1, [r0, #0x100]
      bkpt 1
      handler first
      mov r6, sp
      bx lr
      handler second
      mov r7, sp
      bx lr
      """, handlers: [16: "first", 17: "second"])
    let core = program.core
    core.addBreakpoint(at: program["first"] + 2)
    core.addBreakpoint(at: program["second"])
    #expect(core.run(until: 1000) == .halted)
    let before = core.cycles
    #expect(core.run(until: 1000) == .halted)
    #expect(core.cycles - before == 6 + 1)
    #expect(core.run(until: 1000) == .breakpoint(1))
    #expect(core[register: 6] == core[register: 7])
    #expect(core[register: 6] == Assembly.stack - 0x20)
  }

  @Test(
    "a more urgent exception before a handler's first instruction takes over its frame (late arrival)"
  )
  func lateArrival() throws {
    let program = try Assembly(
      """
      ldr r0, =0xE000E400
      movs r1, #0x40
      strb r1, [r0]
      ldr r0, =0xE000E100
      movs r1, #3
      str r1, [r0]
      idle: b idle
      handler calm
      mov r6, sp
      movs r5, #1
      bx lr
      handler urgent
      mov r7, sp
      mov r4, r5
      bx lr
      """, handlers: [16: "calm", 17: "urgent"])
    let core = program.core
    #expect(core.run(until: 100) == .reached)
    core.pend(16)
    // Only the frame has been written at this point.
    #expect(core.run(until: core.cycles + 1) == .reached)
    #expect(core.exception == 16)
    core.pend(17)
    #expect(core.run(until: core.cycles + 100) == .reached)
    #expect(core[register: 4] == 0)
    #expect(core[register: 5] == 1)
    #expect(core[register: 7] == Assembly.stack - 0x20)
    #expect(core[register: 6] == Assembly.stack - 0x20)
    #expect(core.exception == 0)
  }

  @Test("ICSR.RETTOBASE and VECTPENDING are correct in a handler")
  func interruptControl() throws {
    let program = try Assembly(
      """
      ldr r4, =0xE000ED04
      ldr r0, =0xE000E400
      movs r1, #0x40
      strb r1, [r0]
      ldr r0, =0xE000E100
      movs r1, #3
      str r1, [r0]
      movs r1, #5
      str r1, [r0, #0x100]
      nop
      bkpt 1
      handler first
      ldr r5, [r4]
      movs r1, #2
      str r1, [r0, #0x100]
      nop
      ldr r7, [r4]
      bx lr
      handler urgent
      ldr r6, [r4]
      bx lr
      """, handlers: [16: "first", 17: "urgent"])
    #expect(program.core.run(until: 1000) == .breakpoint(1))
    // Interrupt 2 is pending and not enabled. RETTOBASE is bit 11, ISRPENDING bit 22.
    #expect(program.core[register: 5] == 1 << 22 | 1 << 11 | 16)
    #expect(program.core[register: 6] == 1 << 22 | 17)
    #expect(program.core[register: 7] == 1 << 22 | 1 << 11 | 16)
  }

  @Test(
    "a pending interrupt can be cleared while its line is low, but not while its line is high",
    arguments: [false, true])
  func clearing(isHigh: Bool) throws {
    let program = try Assembly(
      """
      ldr r0, =0xE000E280
      movs r1, #1
      ldr r2, [r0]
      str r1, [r0]
      ldr r3, [r0]
      bkpt 1
      """)
    program.core.setLine(16, true)
    program.core.setLine(16, isHigh)
    #expect(program.core.run(until: 1000) == .breakpoint(1))
    #expect(program.core[register: 2] == 1)
    #expect(program.core[register: 3] == (isHigh ? 1 : 0))
  }

  @Test(
    "an interrupt is taken again if its line is still high when its handler returns",
    arguments: [false, true])
  func returning(isHigh: Bool) throws {
    let program = try Assembly(
      """
      ldr r0, =0xE000E100
      movs r1, #1
      str r1, [r0]
      movs r4, #0
      ldr r0, =0xE000E280
      probe: nop
      nop
      bkpt 1
      handler device
      adds r4, #1
      cmp r4, #3
      beq enough
      bx lr
      enough: bkpt 2
      """, handlers: [16: "device"])
    let core = program.core
    core.addBreakpoint(at: program["probe"])
    #expect(core.run(until: 1000) == .halted)
    core.removeBreakpoint(at: program["probe"])
    core.setLine(16, true)
    core.setLine(16, isHigh)
    #expect(core.run(until: 1000) == .breakpoint(isHigh ? 2 : 1))
    #expect(core[register: 4] == (isHigh ? 3 : 1))
  }

  @Test("with SLEEPONEXIT the core sleeps after a handler until the next exception")
  func sleepOnExit() throws {
    let program = try Assembly(
      """
      ldr r0, =0xE000ED10
      movs r1, #2
      str r1, [r0]
      ldr r0, =0xE000E100
      movs r1, #1
      str r1, [r0]
      wfi
      bkpt 1
      handler tick
      adds r7, #1
      bx lr
      """, handlers: [16: "tick"])
    let core = program.core
    for round in 1...3 {
      core.pend(16)
      #expect(core.run(until: core.cycles + 1000) == .reached)
      #expect(core.isAsleep)
      #expect(core[register: 7] == UInt32(round))
    }
  }

  @Test("SEV wakes the core from WFE, and with SEVONPEND so does a disabled interrupt")
  func events() throws {
    let program = try Assembly(
      """
      sev
      wfe
      movs r7, #1
      ldr r0, =0xE000ED10
      movs r1, #0x10
      str r1, [r0]
      wfe
      movs r7, #2
      wfe
      bkpt 1
      """)
    let core = program.core
    #expect(core.run(until: 100) == .reached)
    #expect(core.isAsleep)
    #expect(core[register: 7] == 1)
    core.pend(40)
    #expect(core.run(until: 200) == .reached)
    #expect(core[register: 7] == 2)
    #expect(core.isAsleep)
    // It is already pending, so nothing changes.
    core.pend(40)
    #expect(core.run(until: 300) == .reached)
    #expect(core.isAsleep)
  }

  @Test("CYCCNT counts only while TRCENA and CYCCNTENA are set")
  func cycleCounter() throws {
    let program = try Assembly(
      """
      ldr r0, =0xE0001000
      ldr r1, =0xE000EDFC
      ldr r2, =0x01000000
      movs r3, #1
      str r3, [r0]
      ldr r4, [r0, #4]
      str r2, [r1]
      ldr r5, [r0, #4]
      nop
      nop
      ldr r6, [r0, #4]
      movs r3, #0
      str r3, [r0]
      ldr r7, [r0, #4]
      nop
      ldr r8, [r0, #4]
      bkpt 1
      """)
    let core = program.core
    #expect(core.run(until: 1000) == .breakpoint(1))
    #expect(core[register: 4] == 0)
    #expect(core[register: 6] - core[register: 5] == 4)
    #expect(core[register: 7] == core[register: 8])
    #expect(core[register: 7] > core[register: 6])
  }

  @Test("if BusFault is enabled, a load from an unmapped address raises it and sets BFAR")
  func busFault() throws {
    let program = try Assembly(
      """
      ldr r0, =0xE000ED24
      ldr r1, =0x20000
      str r1, [r0]
      ldr r2, =0x50001234
      probe: ldr r3, [r2]
      bkpt 1
      handler bus
      ldr r4, =0xE000ED38
      ldr r5, [r4]
      ldr r6, [sp, #24]
      bkpt 2
      """, handlers: [5: "bus"])
    let core = program.core
    #expect(core.run(until: 1000) == .breakpoint(2))
    #expect(core[register: 5] == 0x5000_1234)
    #expect(core[register: 6] == program["probe"])
    #expect(core.faults == 0x8200)
  }
}
