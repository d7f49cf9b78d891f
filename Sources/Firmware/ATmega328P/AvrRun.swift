package import Cores
package import Machines

/// The execution loop of the chip, which runs the core until the next event and then fires the event.
final class AvrRun: CoreLoopWatch {
  private unowned let chip: Chip
  private let core: AvrCore
  private let polls: PollWatch
  private let schedule: EventSchedule
  let breakpoints = Breakpoints()
  let watchpoints = Watchpoints()
  /// `true` to skip the iterations of polling loops.
  var skipsIdleLoops = true
  private var request: ResetCause?
  private let reset: (ResetCause) -> Void

  /// Creates the execution loop of a chip; `reset` is the function that resets the chip.
  init(_ chip: Chip, reset: @escaping (ResetCause) -> Void) {
    self.chip = chip
    let core = chip.core
    (self.core, polls, schedule) = (core, chip.polls, chip.schedule)
    self.reset = reset
    chip.requestReset = { [unowned self] cause in
      request = cause
      core.shorten(to: 0)
    }
    breakpoints.didChange = { address, isSet in
      if isSet { core.addBreakpoint(at: address) } else { core.removeBreakpoint(at: address) }
    }
    watchpoints.didChange = { range, isSet in
      let watch = Self.watch(range)
      if isSet { core.addWatch(watch) } else { core.removeWatch(watch) }
    }
    chip.unmodelledRegisters.halt = { core.shorten(to: 0) }
    polls.halt = { core.shorten(to: 0) }
  }

  /// Converts a watched range from debugger addresses to addresses of the data space.
  private static func watch(_ range: MemoryWatch) -> MemoryWatch {
    var watch = range
    watch.address &-= IOSpace.dataBase
    return watch
  }

  /// `true` if only an event from outside the chip can change its state.
  var waitsForever: Bool {
    schedule.next == .max && core.requests == 0 && (core.isAsleep || polls.isIdleLoop)
  }

  /// Runs until a time in nanoseconds, or until a stop.
  func run(until nanoseconds: UInt64) -> MachineStop {
    while true {
      if schedule.next <= core.cycles {
        polls.didFireEvent()
        schedule.fire(upTo: core.cycles)
      }
      if let stop = takeRequest() { return stop }
      let target = chip.clock.cycle(at: nanoseconds)
      if core.cycles >= target { return .reached }
      let end = min(target, schedule.next)
      if skipsIdleLoops, polls.isDue(asleep: core.isAsleep, core.sleptCycles, at: core.cycles) {
        if let stop = skipLoop(before: end) { return stop }
        // The loop may have moved an event to an earlier time.
        continue
      }
      let pause = skipsIdleLoops ? polls.pause(asleep: core.isAsleep) : .max
      if let stop = stop(of: core.run(until: min(end, pause))) { return stop }
    }
  }

  /// Skips the iterations of a polling loop; returns the stop reason if the core stopped.
  private func skipLoop(before end: UInt64) -> MachineStop? {
    guard polls.hasRoom(core.cycles, before: end) else { return nil }
    if case .passed(let isCounting) = core.skipIterations(before: end, self) {
      polls.didPass(isCounting: isCounting, at: core.cycles)
      return nil
    }
    if polls.didMiss(at: core.cycles) { return nil }
    if polls.mayLearn(at: core.cycles) {
      let (isLearned, stop) = core.learnLoop(
        within: polls.learningSteps, before: end, self)
      if isLearned { polls.didLearn(at: core.cycles) }
      if isLearned || stop != nil { return stop.flatMap { self.stop(of: $0) } }
    }
    let stop = polls.look(
      core, before: end, findLoop: { core.findLoop(within: $0, before: $1) },
      isStill: { schedule.next >= end }, pass: { core.pass($0, before: $1) })
    return stop.flatMap { self.stop(of: $0) }
  }

  func beginIteration() { polls.beginIteration() }
  func takeCount() -> CoreCount? { polls.takeCount() }
  var stableUntil: UInt64 { polls.stableUntil }
  var nextEvent: UInt64 {
    let isDisturbed =
      polls.hasWritten || request != nil || schedule.wantsStop
      || chip.unmodelledRegisters.hasViolation
    return isDisturbed ? 0 : schedule.next
  }

  /// Executes one instruction, or advances to the next event while the core sleeps.
  func step() -> MachineStop {
    schedule.fire(upTo: core.cycles)
    if let stop = takeRequest() { return stop }
    let wasAsleep = core.isAsleep
    if let stop = stop(of: core.step()) { return stop }
    // The step may have woken the core; otherwise it sleeps until the next event.
    guard wasAsleep, core.isAsleep, schedule.next != .max else { return .reached }
    return stop(of: core.run(until: schedule.next)) ?? .reached
  }

  private func takeRequest() -> MachineStop? {
    if let access = chip.unmodelledRegisters.takeViolation() { return .unmodelled(access) }
    if schedule.takeStop() { return .reached }
    guard let cause = request else { return nil }
    request = nil
    reset(cause)
    return .reset(cause)
  }

  private func stop(of stop: AvrStop) -> MachineStop? {
    switch stop {
    case .reached: return nil
    case .halted: return .breakpoint(address: core.programCounter)
    case .watched(let hit):
      return .watchpoint(address: hit.address + IOSpace.dataBase, isStore: hit.isStore)
    case .stackLimit: return .stackOverflow
    case .stackTop(let address): return .stackUnderflow(at: address)
    case .breakpoint:
      let address = core.programCounter
      // The program counter is at BREAK, which takes one cycle without a debugger.
      core.passBreakpoint()
      return .breakInstruction(number: address)
    case .undefined(let word): return .noInstruction(word)
    }
  }
}

/// Debugger access to an AVR core, with the data space at 0x800000 and flash at 0.
extension AvrCore: MachineCore {
  /// The registers in GDB's order: R0 to R31, SREG, SP, PC.
  private static let names =
    (0..<32).map { CoreRegister("r\($0)", bits: 8) } + [
      CoreRegister("SREG", bits: 8), CoreRegister("SP", bits: 16), CoreRegister("pc", bits: 32),
    ]
  /// The base of the data space.
  private static let data: UInt32 = 0x80_0000

  package var architecture: CoreArchitecture { .avr }
  package var registers: [CoreRegister] { Self.names }
  package var stackPointer: UInt32 { UInt32(stack) }

  package var programCounter: UInt32 {
    get { UInt32(pc) * 2 }
    set { pc = UInt16(truncatingIfNeeded: newValue / 2) }
  }

  package func setStackEnd(_ address: UInt32) {
    stackLimit = UInt16(truncatingIfNeeded: max(address, 1) - 1)
    stackTop = model.ramStart + model.ramCount
  }
  package var beginsWithInterruptsOff: Bool { true }
  package var libraryEnding: LibraryEnding? {
    LibraryEnding(name: "avr-libc", symbol: "__stop_program")
  }
  /// Does nothing, because an AVR has no faults.
  package func stopAtFaults() {}
  package func recordCoverage() { recordsCoverage = true }

  package func readRegister(_ number: Int) -> UInt64 {
    switch number {
    case 0..<32: UInt64(self[register: number])
    case 32: UInt64(status)
    case 33: UInt64(stack)
    default: UInt64(programCounter)
    }
  }

  package func writeRegister(_ number: Int, _ value: UInt64) {
    switch number {
    case 0..<32: self[register: number] = UInt8(truncatingIfNeeded: value)
    case 32: status = UInt8(truncatingIfNeeded: value)
    case 33: stack = UInt16(truncatingIfNeeded: value)
    default: programCounter = UInt32(truncatingIfNeeded: value)
    }
  }

  package func readByte(_ address: UInt32) -> UInt8? {
    if address < UInt32(flash.count) { return flash[Int(address)] }
    return inData(address).map { self[data: $0] }
  }

  package func writeByte(_ address: UInt32, _ value: UInt8) -> Bool {
    if address < UInt32(flash.count) {
      flash[Int(address)] = value
      invalidate(Int(address), count: 1)
      return true
    }
    guard let offset = inData(address) else { return false }
    self[data: offset] = value
    return true
  }

  private func inData(_ address: UInt32) -> UInt16? {
    let end = UInt32(model.ramStart) + UInt32(model.ramCount)
    return address &- Self.data < end ? UInt16(address - Self.data) : nil
  }
}
