import Cores
import Testing

/// Tests of resets, exceptions, sleep and faults of an ARM core.
struct ArmCoreTests {
  @Test("a reset loads SP and PC from the vector table")
  func reset() {
    let program = Program([0x2007])
    #expect(program.core[register: 13] == Program.stack)
    #expect(program.core[register: 15] == Program.start)
    #expect(program.core.step() == .reached)
    #expect(program.core[register: 0] == 7)
    #expect(program.core.cycles == 1)
  }

  @Test("ITSTATE advances from instruction to instruction")
  func itState() {
    // ITTE EQ; MOVEQ R0, #1; MOVEQ R1, #2; MOVNE R2, #3, with Z clear.
    let core = Program([0x2001, 0xBF06, 0x2001, 0x2102, 0x2203, 0xBF00]).core
    _ = core.step()
    var states: [UInt32] = []
    for _ in 0..<4 {
      _ = core.step()
      states.append(core.xpsr >> 25 & 3 | core.xpsr >> 8 & 0xFC)
    }
    #expect(states == [0x06, 0x0C, 0x18, 0])
    #expect((0..<3).map { core[register: $0] } == [1, 0, 3])
  }

  @Test("SVC stacks the registers, and the exception return restores them")
  func supervisorCall() {
    // MOVS R0, #5; SVC 3; MOVS R1, #6 - handler: MOVS R0, #9; BX LR.
    let program = Program([0x2005, 0xDF03, 0x2106, 0xBE00], [0x200: [0x2009, 0x4770]])
    program.handle(11, at: 0x200)
    let core = program.core
    _ = core.step()
    _ = core.step()
    _ = core.step()
    #expect(core.xpsr & 0x1FF == 11)
    #expect(core[register: 14] == 0xFFFF_FFF9)
    #expect(core[register: 0] == 9)
    #expect(core.run(until: 1000) == .breakpoint(0))
    #expect(core[register: 0] == 5)
    #expect(core[register: 1] == 6)
    #expect(core[register: 13] == Program.stack)
  }

  @Test("an interrupt wakes the core from WFI, and time advances until the interrupt")
  func sleep() {
    // Enable interrupt 0 by NVIC_ISER0; WFI; BKPT - handler: MOVS R7, #1; BX LR.
    let program = Program(
      [0x4802, 0x2101, 0x6001, 0xBF30, 0xBE01, 0xBF00, 0xE100, 0xE000],
      [0x200: [0x2701, 0x4770]])
    program.handle(16, at: 0x200)
    let core = program.core
    #expect(core.run(until: 1000) == .reached)
    #expect(core.isAsleep)
    #expect(core.cycles == 1000)
    core.pend(16)
    #expect(core.run(until: 2000) == .breakpoint(1))
    #expect(core[register: 7] == 1)
  }

  @Test("SysTick raises its exception every RVR + 1 cycles")
  func sysTick() {
    // SYST_RVR = 99, SYST_CSR = 3, then a loop - handler: ADDS R7, #1; BX LR.
    let program = Program(
      [0x4803, 0x2163, 0x6041, 0x2103, 0x6001, 0xE7FE, 0xBF00, 0xBF00, 0xE010, 0xE000],
      [0x200: [0x3701, 0x4770]])
    program.handle(15, at: 0x200)
    #expect(program.core.run(until: 10_050) == .reached)
    #expect(program.core[register: 7] == 100)
  }

  @Test(
    "a load from an unmapped address raises HardFault, and a fault in its handler locks up the core"
  )
  func faults() {
    // LDR R0, [R1] with R1 = 0x70000000.
    let code: [UInt16] = [0x2107, 0x0709, 0x6808]
    let program = Program(code, [0x200: [0xBE02]])
    program.handle(3, at: 0x200)
    #expect(program.core.run(until: 1000) == .breakpoint(2))
    #expect(program.core.faults == 0x8200)
    #expect(program.core.lastFault == .access)
    let hopeless = Program(code, [0x200: [0x6808]])
    hopeless.handle(3, at: 0x200)
    #expect(hopeless.core.run(until: 1000) == .lockUp(.access))
  }

  @Test("rewritten code in RAM is decoded again")
  func selfModifying() {
    // R0 = 0x20000000, R1 = MOVS R2, #1 and BX LR; store; BLX; ADDS R1, #1; store; BLX; BKPT.
    let code: [UInt16] = [
      0x4804, 0x4905, 0x6001, 0x1C43, 0x4798, 0x0014, 0x3101, 0x6001, 0x4798, 0xBE00,
      0x0000, 0x2000, 0x2201, 0x4770,
    ]
    let core = Program(code).core
    #expect(core.run(until: 1000) == .breakpoint(0))
    #expect(core[register: 4] == 1)
    #expect(core[register: 2] == 2)
  }

  @Test("an ARMv6-M core faults on ARMv7-M instructions and on unaligned loads")
  func baseline() {
    // UDIV R0, R0, R1; LDR R0, [R1] at 0x20000002.
    let division: [UInt16] = [0xFBB0, 0xF0F1]
    let small = Program(division, [0x200: [0xBE00]], model: .cortexM0)
    small.handle(3, at: 0x200)
    #expect(small.core.run(until: 100) == .breakpoint(0))
    #expect(small.core.lastFault == .undefined)
    let load = Program([0x6808], [0x200: [0xBE00]], model: .cortexM0)
    load.handle(3, at: 0x200)
    load.core[register: 1] = 0x2000_0002
    #expect(load.core.run(until: 100) == .breakpoint(0))
    #expect(load.core.lastFault == .unaligned)
  }

  @Test(
    "an unaligned access faults if UNALIGN_TRP is set; LDM, LDRD and LDREX always fault",
    arguments: [
      ("str r7, [r3, #8]\n ldr r7, [r1, #1]", true), ("str r7, [r3, #8]\n strh r7, [r1, #1]", true),
      ("ldr r7, [r1, #1]\n ldrh r7, [r1, #3]\n str r7, [r1, #2]", false),
      ("str r7, [r3, #8]\n ldrb r7, [r1, #1]", false), ("add r1, #2\n ldm r1, {r5, r6}", true),
      ("add r1, #2\n ldrd r5, r6, [r1]", true), ("add r1, #1\n ldrex r5, [r1]", true),
    ])
  func alignment(_ code: String, _ faults: Bool) throws {
    // R3 + 8 is CCR; 8 there is UNALIGN_TRP.
    let program = try Assembly(
      """
      ldr r3, =0xE000ED0C
      ldr r1, =0x20000100
      movs r7, #8
      \(code)
      bkpt 1
      handler fault
      bkpt 2
      """, handlers: [3: "fault"])
    #expect(program.core.run(until: 1000) == .breakpoint(faults ? 2 : 1))
    #expect(program.core.lastFault == (faults ? .unaligned : nil))
  }
}
