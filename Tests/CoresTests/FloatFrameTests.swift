import Cores
import Testing

/// Tests of FPU stacking.
struct FloatFrameTests {
  static let program = """
    ldr r0, =0xE000ED88
    ldr r1, =0xF00000
    str r1, [r0]
    isb
    vmov.f32 s0, #1.5
    vmov.f32 s15, #2.5
    svc 0
    vmov r7, s0
    bkpt 1
    """

  /// Returns a word of the frame on the active stack.
  private static func word(_ program: Assembly, _ index: UInt32) -> UInt32 {
    program.word(program.core[register: 13] + index * 4)
  }

  @Test("if a handler uses no FPU instructions, the stack space for FPU registers is not written")
  func unused() throws {
    let program = try Assembly(
      Self.program + """

        handler service
        ldr r2, =0xE000EF34
        ldr r3, [r2]
        ldr r4, [r2, #4]
        probe: bx lr
        """, handlers: [11: "service"])
    let core = program.core
    core.addBreakpoint(at: program["probe"])
    #expect(core.run(until: 1000) == .halted)
    #expect(core[register: 13] == Assembly.stack - 0x68)
    #expect(core[register: 14] == 0xFFFF_FFE9)
    // LSPACT, THREAD and HFRDY: only HardFault could have been taken.
    #expect(core[register: 3] == 0xC000_0019)
    #expect(core[register: 4] == Assembly.stack - 0x68 + 0x20)
    #expect(Self.word(program, 8) == 0)
    #expect(core.run(until: 1000) == .breakpoint(1))
    #expect(core[register: 13] == Assembly.stack)
    #expect(core[register: 7] == 0x3FC0_0000)
    #expect(core[special: .control] == 4)
  }

  @Test("the first FPU instruction of a handler stacks the FPU registers; the return restores them")
  func used() throws {
    let program = try Assembly(
      Self.program + """

        handler service
        vmov.f32 s0, #8.0
        ldr r2, =0xE000EF34
        ldr r3, [r2]
        probe: bx lr
        """, handlers: [11: "service"])
    let core = program.core
    core.addBreakpoint(at: program["probe"])
    #expect(core.run(until: 1000) == .halted)
    #expect(core[register: 3] == 0xC000_0018)
    #expect(Self.word(program, 8) == 0x3FC0_0000)
    #expect(Self.word(program, 23) == 0x4020_0000)
    #expect(core.run(until: 1000) == .breakpoint(1))
    #expect(core[register: 7] == 0x3FC0_0000)
  }

  @Test("without LSPEN the FPU registers are stacked immediately")
  func eager() throws {
    let program = try Assembly(
      """
      ldr r0, =0xE000EF34
      ldr r1, =0x80000000
      str r1, [r0]
      """ + "\n" + Self.program + """

        handler service
        probe: bx lr
        """, handlers: [11: "service"])
    let core = program.core
    core.addBreakpoint(at: program["probe"])
    #expect(core.run(until: 1000) == .halted)
    #expect(Self.word(program, 8) == 0x3FC0_0000)
    #expect(core.run(until: 1000) == .breakpoint(1))
    #expect(core[register: 7] == 0x3FC0_0000)
  }

  @Test("FPSCR starts as FPDSCR in a handler, and is restored at the return")
  func status() throws {
    let program = try Assembly(
      """
      ldr r0, =0xE000ED88
      ldr r1, =0xF00000
      str r1, [r0]
      ldr r0, =0xE000EF3C
      ldr r1, =0x00C00000
      str r1, [r0]
      movs r2, #0
      vmsr fpscr, r2
      svc 0
      bkpt 1
      handler service
      vmov.f32 s1, #1.0
      vmrs r6, fpscr
      bx lr
      """, handlers: [11: "service"])
    let core = program.core
    #expect(core.run(until: 1000) == .breakpoint(1))
    #expect(core[register: 6] & 0x00C0_0000 == 0x00C0_0000)
    #expect(core.fpscr & 0x00C0_0000 == 0)
  }
}
