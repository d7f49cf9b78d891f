import Cores
import Testing

/// Tests of the MPU.
struct ProtectionTests {
  /// Sets up regions by base and RASR value, then enables the MPU.
  static func setUp(_ regions: [(base: UInt32, attribute: UInt32)], control: UInt32)
    -> String
  {
    var text = "ldr r0, =0xE000ED90\n"
    for (number, region) in regions.enumerated() {
      text += """
        ldr r1, =\(region.base | 16 | UInt32(number))
        str r1, [r0, #12]
        ldr r1, =\(region.attribute)
        str r1, [r0, #16]

        """
    }
    return text + """
      movs r1, #\(control)
      str r1, [r0, #4]
      ldr r1, =0xE000ED24
      ldr r2, =0x70000
      str r2, [r1]
      dsb
      isb

      """
  }

  static let caught = """

    handler memory
    ldr r4, =0xE000ED34
    ldr r5, [r4]
    ldr r6, [sp, #24]
    bkpt 2
    """

  /// 16 KiB of code for all programs, and 64 KiB of RAM for privileged access only.
  static let code: (UInt32, UInt32) = (0, 0x0600_0000 | 13 << 1 | 1)
  static let ram: (UInt32, UInt32) = (0x2000_0000, 0x1300_0000 | 15 << 1 | 1)
  /// A guard region of 32 bytes without access.
  private static let guardBand: (UInt32, UInt32) = (0x2000_0800, 4 << 1 | 1)

  @Test("MPU_TYPE reports eight regions, and region registers keep their values")
  func registers() throws {
    let program = try Assembly(
      Self.setUp([Self.code, Self.ram], control: 5) + """
        ldr r2, [r0]
        ldr r3, [r0, #12]
        ldr r4, [r0, #16]
        ldr r5, [r0, #4]
        bkpt 1
        """)
    let core = program.core
    #expect(core.run(until: 1000) == .breakpoint(1))
    #expect(core[register: 2] == 0x800)
    #expect(core[register: 3] == 0x2000_0001)
    #expect(core[register: 4] == 0x1300_001F)
    #expect(core[register: 5] == 5)
  }

  @Test(
    "a store to a guard region raises MemManage with the address, even in a page already in use")
  func stackGuard() throws {
    let program = try Assembly(
      """
      ldr r3, =0x20000800
      str r3, [r3]
      str r3, [r3, #32]
      """ + "\n" + Self.setUp([Self.code, Self.ram, Self.guardBand], control: 4 | 1) + """
        str r3, [r3, #32]
        str r3, [r3, #-4]
        probe: str r3, [r3, #28]
        bkpt 1
        """ + Self.caught, handlers: [4: "memory"])
    let core = program.core
    #expect(core.run(until: 1000) == .breakpoint(2))
    #expect(core[register: 5] == 0x2000_081C)
    #expect(core[register: 6] == program["probe"])
    #expect(core.faults == 0x82)
    #expect(program.word(0x2000_07FC) == 0x2000_0800)
  }

  @Test("a guard region that was moved protects only its current address")
  func movingGuard() throws {
    let program = try Assembly(
      Self.setUp([Self.code, Self.ram, Self.guardBand], control: 5) + """
        ldr r3, =0x20000800
        ldr r7, =0x20000C00
        str r7, [r7]
        ldr r1, =0x20000C12
        str r1, [r0, #12]
        str r3, [r3]
        probe: str r7, [r7]
        bkpt 1
        """ + Self.caught, handlers: [4: "memory"])
    let core = program.core
    #expect(core.run(until: 1000) == .breakpoint(2))
    #expect(core[register: 5] == 0x2000_0C00)
    #expect(core[register: 6] == program["probe"])
  }

  @Test("without MPU regions only privileged programs can run, and only with PRIVDEFENA")
  func background() throws {
    let text = """
      ldr r3, =0x20000800
      ldr r3, [r3]
      movs r1, #1
      msr control, r1
      isb
      bkpt 1
      """
    let allowed = try Assembly(
      Self.setUp([], control: 5) + text + Self.caught, handlers: [4: "memory"])
    #expect(allowed.core.run(until: 1000) == .breakpoint(2))
    #expect(allowed.core.faults == 0x11)
    let forbidden = try Assembly(
      Self.setUp([Self.code], control: 1) + text + Self.caught, handlers: [4: "memory"])
    // MemManage cannot read its frame: HardFault, which runs without the MPU.
    #expect(forbidden.core.run(until: 1000) == .breakpoint(0xEE))
    #expect(forbidden.core.exception == 3)
  }

  @Test("an unprivileged program accesses neither privileged RAM nor core registers")
  func unprivileged() throws {
    let text = """
      movs r1, #1
      msr control, r1
      isb
      ldr r3, =0x20000800
      probe: ldr r3, [r3]
      bkpt 1
      """
    let user: (UInt32, UInt32) = (0x2000_0000, 0x1100_0000 | 15 << 1 | 1)
    let program = try Assembly(
      Self.setUp([Self.code, user], control: 5) + text + Self.caught, handlers: [4: "memory"])
    program.core.addBreakpoint(at: program["probe"])
    #expect(program.core.run(until: 1000) == .halted)
    // There is no room for the frame either: both are reported, and the handler runs.
    #expect(program.core.run(until: 1000) == .breakpoint(2))
    #expect(program.core.faults == 0x92)
    #expect(program.core[register: 5] == 0x2000_0800)
    let registers = try Assembly(
      """
      movs r1, #1
      msr control, r1
      isb
      ldr r3, =0xE000ED08
      ldr r3, [r3]
      bkpt 1
      """)
    #expect(registers.core.run(until: 1000) == .breakpoint(0xEE))
    #expect(registers.core.faultAddress == 0xE000_ED08)
  }

  @Test("code in an execute-never region faults, even if it was executed before")
  func neverCode() throws {
    let program = try Assembly(
      """
      ldr r3, =0x20000400
      ldr r1, =0xBF004770
      str r1, [r3]
      adds r3, #1
      blx r3
      """ + "\n" + Self.setUp([Self.code, Self.ram], control: 5) + """
        blx r3
        bkpt 1
        """ + Self.caught, handlers: [4: "memory"])
    let core = program.core
    #expect(core.run(until: 1000) == .breakpoint(2))
    #expect(core.faults == 1)
    #expect(core[register: 6] == 0x2000_0400)
  }

  @Test("a frame that reaches into a guard region is not written, and MemManage is raised")
  func stacking() throws {
    let program = try Assembly(
      Self.setUp([Self.code, Self.ram, Self.guardBand], control: 5) + """
        ldr r3, =0xE000ED1C
        ldr r1, =0x20000000
        str r1, [r3]
        ldr r3, =0x20000830
        msr psp, r3
        movs r1, #2
        msr control, r1
        isb
        svc 0
        bkpt 1
        handler service
        bkpt 3
        """ + Self.caught, handlers: [4: "memory", 11: "service"])
    let core = program.core
    #expect(core.run(until: 1000) == .breakpoint(2))
    #expect(core.faults == 0x10)
    #expect(core[special: .processStack] == 0x2000_0810)
  }

  @Test("HardFault runs without the MPU unless HFNMIENA is set")
  func hardFault() throws {
    let text = """
      ldr r3, =0x20000800
      ldr r1, =0xE000ED24
      movs r2, #0
      str r2, [r1]
      ldr r3, [r3]
      bkpt 1
      handler hard
      ldr r3, =0x20000800
      ldr r3, [r3]
      bkpt 3
      """
    let regions = [Self.code, Self.ram, Self.guardBand]
    let free = try Assembly(Self.setUp(regions, control: 5) + text, handlers: [3: "hard"])
    #expect(free.core.run(until: 1000) == .breakpoint(3))
    #expect(free.core.hardFaults == 1 << 30)
    let held = try Assembly(Self.setUp(regions, control: 7) + text, handlers: [3: "hard"])
    #expect(held.core.run(until: 1000) == .lockUp(.protectedAccess))
  }

  @Test("a disabled subregion exposes the region below it")
  func subregions() throws {
    // 64 KiB without its second subregion, over a background region.
    let split: (UInt32, UInt32) = (0x2000_0000, 0x1600_0000 | 2 << 8 | 15 << 1 | 1)
    let program = try Assembly(
      Self.setUp([Self.code, split], control: 5) + """
        ldr r3, =0x20002800
        str r3, [r3]
        ldr r3, =0x20004800
        probe: str r3, [r3]
        bkpt 1
        """ + Self.caught, handlers: [4: "memory"])
    program.core.addBreakpoint(at: program["probe"])
    #expect(program.core.run(until: 1000) == .halted)
    // RAM is read-only now, including the stack.
    #expect(program.core.run(until: 1000) == .breakpoint(2))
    #expect(program.core.faults == 0x92)
    #expect(program.core.protectionAddress == 0x2000_4800)
    #expect(program.word(0x2000_2800) == 0x2000_2800)
  }
}
