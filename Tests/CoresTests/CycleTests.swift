import Cores
import Testing

/// Tests of instruction timing against the table in the Cortex-M4 manual.
struct CycleTests {
  /// Cycles of one instruction, assembled after others that prepare it.
  private static let table: [(String, UInt64)] = [
    ("add r0, r1, r2, lsl #3", 1), ("mov r0, #5", 1), ("mul r0, r1, r2", 1),
    ("mla r0, r1, r2, r3", 1), ("mls r0, r1, r2, r3", 1), ("smlal r0, r1, r2, r3", 1),
    ("umull r0, r1, r2, r3", 1), ("sdiv r0, r1, r2", 7), ("ldr r0, [sp]", 2),
    ("strb r0, [sp]", 2), ("ldrd r0, r1, [sp]", 3), ("ldm sp, {r0-r3}", 5),
    ("push {r0-r3, lr}", 6), ("b 1f\nnop\n1:", 3), ("cbz r4, 1f\nnop\n1:", 3),
    ("cbnz r4, 1f\n1:", 1),
    ("bl 1f\nnop\n1:", 3), ("mrs r0, primask", 1), ("isb", 2), ("nop", 1),
    ("vadd.f32 s0, s1, s2", 1), ("vmul.f32 s0, s1, s2", 1), ("vmla.f32 s0, s1, s2", 3),
    ("vfma.f32 s0, s1, s2", 3), ("vdiv.f32 s0, s1, s2", 14), ("vsqrt.f32 s0, s1", 14),
    ("vcvt.f32.s32 s0, s1", 1), ("vldr s0, [sp]", 2), ("vldmia sp, {s0-s7}", 9),
    ("vmov r0, r1, s2, s3", 2),
  ]

  @Test("each kind of instruction takes its documented number of cycles")
  func table() throws {
    let text = Self.table.enumerated().map { "probe\($0): \($1.0)" }.joined(separator: "\n")
    let program = try Assembly("sub sp, #64\nmovs r4, #0\n" + text + "\nbkpt 1")
    let core = program.core
    core.allowFloat()
    core.addBreakpoint(at: program["probe0"])
    #expect(core.run(until: 1000) == .halted)
    for (index, (instruction, cycles)) in Self.table.enumerated() {
      #expect(core[register: 15] == program["probe\(index)"])
      let before = core.cycles
      #expect(core.step() == .reached)
      #expect(core.cycles - before == cycles, "\(instruction)")
    }
    #expect(core.step() == .breakpoint(1))
  }

  @Test("flash wait states lengthen taken branches")
  func waitStates() throws {
    let program = try Assembly("movs r0, #10\n1: subs r0, #1\nbne 1b\nbkpt 1")
    let (plain, waiting) = (
      program.core, try Assembly("movs r0, #10\n1: subs r0, #1\nbne 1b\nbkpt 1").core
    )
    waiting.waitStates = 3
    #expect(plain.run(until: 1000) == .breakpoint(1))
    #expect(waiting.run(until: 1000) == .breakpoint(1))
    #expect(waiting.cycles - plain.cycles == 9 * 3)
  }
}
