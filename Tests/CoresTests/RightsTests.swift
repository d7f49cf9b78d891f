import Cores
import Testing

/// Tests of accesses and fetches with access rights other than those of the running program.
struct RightsTests {
  private static func setUp(_ regions: [(UInt32, UInt32)]) -> String {
    ProtectionTests.setUp(regions, control: 5)
  }

  @Test(
    "LDRT, STRT and similar instructions use unprivileged access rights",
    arguments: ["ldrt", "ldrht", "ldrbt", "ldrsht", "ldrsbt", "strt", "strht", "strbt"])
  func unprivilegedForms(_ name: String) throws {
    let own: (UInt32, UInt32) = (0x2000_0000, 0x1100_0000 | 15 << 1 | 1)
    // The first KiB is accessible to all.
    let shared: (UInt32, UInt32) = (0x2000_0000, 0x1300_0000 | 9 << 1 | 1)
    let program = try Assembly(
      Self.setUp([ProtectionTests.code, own, shared]) + """
        ldr r3, =0x20000000
        ldr r2, =0x8180
        str r2, [r3, #4]
        str r2, [r3, #0x408]
        mov r5, r2
        \(name) r5, [r3, #4]
        adds r3, #0x400
        ldr r7, [r3, #8]
        probe: \(name) r7, [r3, #8]
        bkpt 1
        """ + ProtectionTests.caught, handlers: [4: "memory"])
    let core = program.core
    core.addBreakpoint(at: program["probe"])
    #expect(core.run(until: 1000) == .halted)
    let loaded: [String: UInt32] = [
      "ldrt": 0x8180, "ldrht": 0x8180, "ldrbt": 0x80, "ldrsht": 0xFFFF_8180, "ldrsbt": 0xFFFF_FF80,
    ]
    #expect(core[register: 5] == loaded[name, default: 0x8180])
    #expect(core.run(until: 1000) == .breakpoint(2))
    #expect(core.faults == 0x82)
    #expect(core[register: 5] == 0x2000_0408)
    #expect(core[register: 6] == program["probe"])
    #expect(core[register: 7] == 0x8180)
  }

  @Test("LDRT cannot access core registers, with or without the MPU")
  func ownRegisters() throws {
    let program = try Assembly(
      """
      ldr r3, =0xE000ED00
      ldr r2, [r3]
      ldrt r2, [r3]
      bkpt 1
      """)
    #expect(program.core.run(until: 1000) == .breakpoint(0xEE))
    #expect(program.core.faultAddress == 0xE000_ED00)
    #expect(program.core[register: 2] == 0x410F_C241)
  }

  /// Returns code at and before 0x20000800 that first runs without the MPU; then only the 1 KiB before it is
  /// executable.
  private static func crossing(_ words: [UInt32: UInt32], from start: UInt32) throws -> Assembly {
    let stores = words.sorted { $0.key < $1.key }.map {
      "ldr r3, =\($0.key)\nldr r1, =\($0.value)\nstr r1, [r3]\n"
    }
    let executable: (UInt32, UInt32) = (0x2000_0400, 0x0300_0000 | 9 << 1 | 1)
    return try Assembly(
      stores.joined() + """
        ldr r7, =\(start | 1)
        blx r7

        """ + setUp([ProtectionTests.code, ProtectionTests.ram, executable]) + """
          blx r7
          bkpt 1
          """ + ProtectionTests.caught, handlers: [4: "memory"])
  }

  @Test(
    "code past the end of an executable region within a page faults, even if it was executed before"
  )
  func sequence() throws {
    let program = try Self.crossing(
      [0x2000_07FC: 0xBF00_BF00, 0x2000_0800: 0xBF00_4770], from: 0x2000_07FC)
    #expect(program.core.run(until: 2000) == .breakpoint(2))
    #expect(program.core.faults == 1)
    #expect(program.core[register: 6] == 0x2000_0800)
  }

  @Test("an instruction faults if one of its halfwords is outside its region")
  func halfOutside() throws {
    // movw r5, #1 across the boundary; bx lr.
    let program = try Self.crossing(
      [0x2000_07FC: 0xF240_BF00, 0x2000_0800: 0x4770_0501], from: 0x2000_07FE)
    let core = program.core
    #expect(core.run(until: 2000) == .breakpoint(2))
    #expect(core.faults == 1)
    #expect(core[register: 6] == 0x2000_07FE)
  }

  /// A handler that forbids access to the reserved FPU frame, and then uses the FPU.
  private static let late = """

    handler service
    ldr r0, =0xE000ED90
    ldr r1, =0x20001FD2
    str r1, [r0, #12]
    movs r1, #9
    str r1, [r0, #16]
    dsb
    vmov.f32 s0, #8.0
    probe: bx lr
    """

  @Test("lazy stacking that the MPU forbids sets MLSPERR and pends MemManage")
  func lazyFrame() throws {
    let program = try Assembly(
      Self.setUp([ProtectionTests.code, ProtectionTests.ram]) + FloatFrameTests.program + Self.late
        + ProtectionTests.caught, handlers: [4: "memory", 11: "service"])
    let core = program.core
    core.addBreakpoint(at: program["probe"])
    #expect(core.run(until: 2000) == .halted)
    #expect(core.faults == 0x20)
    #expect(core.exception == 11)
    #expect(core.run(until: 2000) == .breakpoint(2))
    #expect(core.exception == 4)
    #expect(core.hardFaults == 0)
  }

  @Test("lazy stacking raises HardFault if MemManage could not have been taken at exception entry")
  func lateHardFault() throws {
    let program = try Assembly(
      Self.setUp([ProtectionTests.code, ProtectionTests.ram]) + """
        movs r2, #0
        str r2, [r1]

        """ + FloatFrameTests.program + Self.late, handlers: [11: "service"])
    #expect(program.core.run(until: 2000) == .breakpoint(0xEE))
    #expect(program.core.exception == 3)
    #expect(program.core.faults == 0x20)
    #expect(program.core.hardFaults == 1 << 30)
  }

  @Test(
    "CYCCNT counts during sleep only if the microcontroller keeps the core clock running",
    arguments: [true, false])
  func asleep(isClocked: Bool) throws {
    var model = ArmCore.Model.cortexM4F
    model.isClockedAsleep = isClocked
    let program = try Assembly(
      """
      ldr r0, =0xE000EDFC
      ldr r1, =0x01000000
      str r1, [r0]
      ldr r0, =0xE0001000
      movs r1, #1
      str r1, [r0]
      ldr r2, =0xE000E100
      str r1, [r2]
      ldr r2, =0xE000E010
      ldr r5, =100000
      str r5, [r2, #4]
      str r5, [r2, #8]
      str r1, [r2]
      ldr r3, [r0, #4]
      wfi
      ldr r4, [r0, #4]
      ldr r6, [r2, #8]
      bkpt 1
      handler device
      bx lr
      """, handlers: [16: "device"], model: model)
    let core = program.core
    #expect(core.run(until: 10_000) == .reached)
    #expect(core.isAsleep)
    core.pend(16)
    #expect(core.run(until: 20_000) == .breakpoint(1))
    let passed = (
      cycles: core[register: 4] &- core[register: 3], ticks: 100_000 &- core[register: 6]
    )
    #expect(isClocked ? passed.cycles > 9000 : passed.cycles < 100)
    #expect(isClocked ? passed.ticks > 9000 : passed.ticks < 100)
  }
}
