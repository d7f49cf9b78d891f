import Cores
import Testing

/// Tests of debugger access to an ARM core.
struct DebuggingTests {
  private static let loop = """
    movs r0, #0
    ldr r1, =0x20000100
    again: adds r0, #1
    middle: str r0, [r1]
    ldr r2, [r1, #4]
    cmp r0, #10
    bne again
    bkpt 1
    """

  @Test("a breakpoint stops the core before its instruction each time")
  func breakpoint() throws {
    let program = try Assembly(Self.loop)
    program.core.addBreakpoint(at: program["middle"])
    for round in 1...3 {
      #expect(program.core.run(until: 1000) == .halted)
      #expect(program.core[register: 15] == program["middle"])
      #expect(program.core[register: 0] == UInt32(round))
      #expect(program.word(0x2000_0100) == UInt32(round - 1))
    }
    program.core.removeBreakpoint(at: program["middle"])
    #expect(program.core.run(until: 1000) == .breakpoint(1))
    #expect(program.core[register: 0] == 10)
  }

  @Test("a breakpoint changes neither the cycle nor the instruction count")
  func breakpointIsFree() throws {
    let (plain, stopped) = (try Assembly(Self.loop), try Assembly(Self.loop))
    #expect(plain.core.run(until: 1000) == .breakpoint(1))
    stopped.core.addBreakpoint(at: stopped["again"])
    while stopped.core.run(until: 1000) == .halted {}
    #expect(stopped.core.cycles == plain.core.cycles)
    #expect(stopped.core.instructions == plain.core.instructions)
  }

  @Test("a single step executes one instruction, even at a breakpoint")
  func step() throws {
    let program = try Assembly(Self.loop)
    program.core.addBreakpoint(at: program["again"])
    #expect(program.core.run(until: 1000) == .halted)
    #expect(program.core.step() == .reached)
    #expect(program.core[register: 15] == program["middle"])
    #expect(program.core.step() == .reached)
    #expect(program.word(0x2000_0100) == 1)
  }

  @Test("a breakpoint in an IT block keeps the conditions of the block")
  func breakpointInBlock() throws {
    let program = try Assembly(
      """
      movs r0, #0
      cmp r0, #0
      itte eq
      moveq r1, #1
      inside: moveq r2, #2
      movne r3, #3
      bkpt 1
      """)
    program.core.addBreakpoint(at: program["inside"])
    #expect(program.core.run(until: 1000) == .halted)
    #expect(program.core[register: 1] == 1)
    #expect(program.core.run(until: 1000) == .breakpoint(1))
    #expect((1...3).map { program.core[register: $0] } == [1, 2, 0])
  }

  @Test("a watchpoint stops after the store and reports its address")
  func stores() throws {
    let program = try Assembly(Self.loop)
    let watch = MemoryWatch(address: 0x2000_0102, count: 1, onLoad: false, onStore: true)
    program.core.addWatch(watch)
    let stop = program.core.run(until: 1000)
    #expect(stop == .watched(MemoryWatchHit(address: 0x2000_0100, isStore: true, watch: watch)))
    #expect(program.core[register: 15] == program["middle"] + 2)
    #expect(program.word(0x2000_0100) == 1)
    program.core.removeWatch(watch)
    #expect(program.core.run(until: 1000) == .breakpoint(1))
  }

  @Test("a load watchpoint stops only at loads in its range, even if it is set late in a run")
  func loads() throws {
    let program = try Assembly(Self.loop)
    program.core.addBreakpoint(at: program["again"])
    for _ in 0..<3 { #expect(program.core.run(until: 1000) == .halted) }
    let watch = MemoryWatch(address: 0x2000_0104, count: 4, onLoad: true, onStore: false)
    program.core.addWatch(watch)
    program.core.addWatch(MemoryWatch(address: 0x2000_0108, count: 4, onLoad: true, onStore: true))
    let stop = program.core.run(until: 1000)
    #expect(stop == .watched(MemoryWatchHit(address: 0x2000_0104, isStore: false, watch: watch)))
    #expect(program.core[register: 0] == 3)
  }

  @Test("a debugger can read and write all registers")
  func registers() throws {
    let core = try Assembly("bkpt 1").core
    for number in 0..<13 { core[register: number] = UInt32(number * 3) }
    for number in 0..<32 { core[float: number] = UInt32(number * 5) }
    #expect((0..<13).allSatisfy { core[register: $0] == UInt32($0 * 3) })
    #expect((0..<32).allSatisfy { core[float: $0] == UInt32($0 * 5) })
    core[special: .processStack] = 0x2000_0800
    core[special: .control] = 2
    #expect(core[register: 13] == 0x2000_0800)
    #expect(core[special: .mainStack] == Assembly.stack)
    core[special: .mainStack] = 0x2000_0900
    core[special: .control] = 0
    #expect(core[register: 13] == 0x2000_0900)
    core[special: .basepri] = 0x40
    core[special: .primask] = 1
    core[special: .faultmask] = 1
    #expect(core[special: .basepri] == 0x40)
    #expect(core[special: .primask] == 1)
    #expect(core[special: .faultmask] == 1)
  }
}
