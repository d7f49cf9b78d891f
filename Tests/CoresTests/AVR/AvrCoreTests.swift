import Cores
import Testing

/// Tests of resets, interrupts, sleep and memory of an AVR core.
struct AvrCoreTests {
  private static let nop: UInt16 = 0, sei: UInt16 = 0x9478, cli: UInt16 = 0x94F8
  private static let reti: UInt16 = 0x9518, sleep: UInt16 = 0x9588, stop: UInt16 = 0x9598
  /// INC R16, 17, 18.
  private static let (first, second, third): (UInt16, UInt16, UInt16) = (0x9503, 0x9513, 0x9523)

  @Test("a reset sets the stack pointer to the end of RAM and clears SREG")
  func reset() {
    let core = AvrProgram([Self.nop]).core
    core.status = 0xFF
    core.reset()
    #expect(core.stack == 0x8FF)
    #expect(core.status == 0)
    #expect(core.pc == 0)
  }

  @Test("an interrupt pushes PC, clears I, jumps to its vector and takes 4 cycles")
  func interrupt() {
    let program = AvrProgram([Self.first, Self.second], [32: [Self.third]])
    let core = program.core
    core.status = 0x80
    _ = core.step()
    core.requests = 1 << 16 | 1 << 20
    let before = core.cycles
    _ = core.run(until: before + 1)
    #expect(core.pc == 32)
    #expect(core.cycles == before + 4)
    #expect(core.status & 0x80 == 0)
    #expect(program.io.taken == [16])
    #expect(core.stack == 0x8FD)
    #expect([core[data: 0x8FE], core[data: 0x8FF]] == [0, 1])
  }

  @Test("interrupts stay pending while I is clear")
  func disabled() {
    let core = AvrProgram([Self.first, Self.second]).core
    core.requests = 2
    _ = core.step()
    _ = core.step()
    #expect(core.pc == 2)
  }

  @Test("after SEI, RETI or a write that sets I, one more instruction runs before an interrupt")
  func oneMore() {
    for enabling in [Self.sei, 0xBF1F] {  // OUT SREG, R17
      let program = AvrProgram([enabling, Self.first, Self.second], [4: [Self.reti]])
      let core = program.core
      core[register: 17] = 0x80
      core.requests = 1 << 2
      _ = core.step()
      #expect(core.pc == 1)
      _ = core.step()
      #expect(core.pc == 2)
      #expect(program.io.taken == [])
      _ = core.step()
      #expect(core.pc == 4)
      #expect(program.io.taken == [2])
      // RETI with the interrupt still requested: one instruction, then the interrupt again.
      _ = core.step()
      #expect(core.pc == 2)
      _ = core.step()
      #expect(core.pc == 3)
      _ = core.step()
      #expect(core.pc == 4)
    }
  }

  @Test("CLI directly after SEI prevents the interrupt")
  func closedAgain() {
    let program = AvrProgram([Self.sei, Self.cli, Self.first])
    program.core.requests = 2
    for _ in 0..<3 { _ = program.core.step() }
    #expect(program.core.pc == 3)
    #expect(program.io.taken == [])
  }

  @Test("a sleeping core advances time until an interrupt")
  func sleeping() {
    let program = AvrProgram([Self.sei, Self.sleep, Self.stop], [4: [Self.reti]])
    let core = program.core
    #expect(core.run(until: 1000) == .reached)
    #expect(core.isAsleep)
    #expect(core.cycles == 1000)
    #expect(core.sleptCycles == 1000 - 2)
    core.requests = 1 << 2
    _ = core.step()
    #expect(!core.isAsleep)
    core.requests = 0
    #expect(core.run(until: 2000) == .breakpoint)
    #expect(core.pc == 2)
  }

  @Test("SLEEP has no effect if the peripherals do not enable sleep")
  func awake() {
    let program = AvrProgram([Self.sleep, Self.stop])
    program.io.sleeps = false
    #expect(program.core.run(until: 1000) == .breakpoint)
  }

  @Test("an undefined instruction, such as erased flash, stops the core at its address")
  func undefined() {
    for word: UInt16 in [0xFFFF, 0x0001, 0x9004 | 2, 0x9519, 0x95D8] {
      let core = AvrProgram([Self.nop, word]).core
      #expect(core.run(until: 100) == .undefined(word))
      #expect(core.pc == 1)
    }
  }

  @Test("the program counter wraps at the end of the flash")
  func wrap() {
    let program = AvrProgram([Self.second, Self.stop], [0x3FFF: [Self.first]])
    program.core.reset(to: 0x3FFF)
    #expect(program.core.run(until: 100) == .breakpoint)
    #expect(program.core[register: 16] == 1)
    #expect(program.core[register: 17] == 1)
    // RJMP -2 at 0, and a skip of a two-word instruction at the end.
    program.put([0xCFFE], at: 0)
    program.core.reset()
    _ = program.core.step()
    #expect(program.core.pc == 0x3FFF)
    program.put([0x1000, 0x940E, 0], at: 0x3FFD)
    program.put([Self.stop], at: 0)
    program.core.reset(to: 0x3FFD)
    let before = program.core.cycles
    #expect(program.core.run(until: 10_000) == .breakpoint)
    #expect(program.core.cycles == before + 3)
  }

  @Test("changed code is decoded again, as is a skip instruction directly before the change")
  func changed() {
    let program = AvrProgram([0x1000, Self.first, Self.second, Self.stop])
    _ = program.core.run(until: 100)
    #expect(program.core[register: 17] == 1)
    program.put([0x940C, 0], at: 1)
    program.core.reset()
    #expect(program.core.run(until: 200) == .breakpoint)
    #expect(program.core[register: 17] == 1)
  }

  @Test("SPM passes Z and R1:R0, WDR resets the watchdog, and LPM can read from peripherals")
  func special() {
    let program = AvrProgram([0x95E8, 0x95A8, 0x9104, Self.stop])
    let core = program.core
    (core[register: 0], core[register: 1]) = (0x34, 0x12)
    (core[register: 30], core[register: 31]) = (2, 0)
    core.loadsProgramSpecially = true
    #expect(core.run(until: 100) == .breakpoint)
    #expect(program.io.stored.map(\.0) == [2] && program.io.stored.map(\.1) == [0x1234])
    #expect(program.io.watchdogResets == 1)
    #expect(core[register: 16] == ~0xA8)
  }

  @Test("the core counts executed instructions")
  func count() {
    let core = AvrProgram([Self.nop, 0xCFFE]).core
    _ = core.run(until: 3000)
    #expect(core.instructions == 2000)
  }
}
