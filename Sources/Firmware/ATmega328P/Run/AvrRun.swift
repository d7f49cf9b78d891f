import Cores
import Machines

/// The run of the part: the core until the next event, the event, the core again.
final class AvrRun: CoreLoopWatch {
  private unowned let chip: AvrChip
  private let core: AvrCore
  private let polls: PollWatch
  private let schedule: EventSchedule
  let breakpoints = Breakpoints()
  let watchpoints = Watchpoints()
  /// Whether loops in which the program waits are passed over.
  var skipsIdleLoops = true
  private var request: ResetCause?
  private let reset: (ResetCause) -> Void

  /// Creates the run of a part that begins anew as `reset` does it.
  init(_ chip: AvrChip, reset: @escaping (ResetCause) -> Void) {
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
    watchpoints.didChange = { stretch, isSet in
      let watch = Self.watch(stretch)
      if isSet { core.addWatch(watch) } else { core.removeWatch(watch) }
    }
    chip.untouched.halt = { core.shorten(to: 0) }
    polls.halt = { core.shorten(to: 0) }
  }

  /// A stretch as a debugger names it, by the addresses of the data space.
  private static func watch(_ stretch: MemoryWatch) -> MemoryWatch {
    var watch = stretch
    watch.address &-= IOSpace.dataBase
    return watch
  }

  /// Whether nothing more is to come, unless from outside.
  var waitsForEver: Bool {
    schedule.next == .max && core.requests == 0 && (core.isAsleep || polls.standsStill)
  }

  /// Runs until a time in nanoseconds, or something stops it.
  func run(until nanoseconds: UInt64) -> MachineStop {
    while true {
      if schedule.next <= core.cycles {
        polls.didHappen()
        schedule.fire(upTo: core.cycles)
      }
      if let stop = takeRequest() { return stop }
      let target = chip.clock.cycle(at: nanoseconds)
      if core.cycles >= target { return .reached }
      let end = min(target, schedule.next)
      if skipsIdleLoops, polls.isDue(asleep: core.isAsleep, core.sleptCycles, at: core.cycles) {
        if let stop = skipLoop(before: end) { return stop }
        // What was run there may have brought an event nearer.
        continue
      }
      let pause = skipsIdleLoops ? polls.pause(asleep: core.isAsleep) : .max
      if let stop = stop(of: core.run(until: min(end, pause))) { return stop }
    }
  }

  /// Passes over a loop in which the program waits.
  private func skipLoop(before end: UInt64) -> MachineStop? {
    guard polls.hasRoom(core.cycles, before: end) else { return nil }
    if case .passed(let isCounting) = core.skipTurns(before: end, self) {
      polls.didPass(isCounting: isCounting, at: core.cycles)
      return nil
    }
    if polls.didMiss(at: core.cycles) { return nil }
    if polls.mayLearn(at: core.cycles) {
      let (isLearned, stop) = core.learnTurn(
        within: polls.learningSteps, before: end, self)
      if isLearned { polls.didLearn(at: core.cycles) }
      if isLearned || stop != nil { return stop.flatMap { self.stop(of: $0) } }
    }
    let stop = polls.look(
      core, before: end, turn: { core.turn(within: $0, before: $1) },
      isStill: { schedule.next >= end }, pass: { core.pass($0, before: $1) })
    return stop.flatMap { self.stop(of: $0) }
  }

  func beginTurn() { polls.beginTurn() }
  func takeCount() -> CoreCount? { polls.takeCount() }
  var stableUntil: UInt64 { polls.stableUntil }
  var nextEvent: UInt64 {
    let isDisturbed =
      polls.hasWritten || request != nil || schedule.wantsStop
      || chip.untouched.hasOffence
    return isDisturbed ? 0 : schedule.next
  }

  /// Runs one instruction, or to the next event while the core sleeps.
  func step() -> MachineStop {
    schedule.fire(upTo: core.cycles)
    if let stop = takeRequest() { return stop }
    let wasAsleep = core.isAsleep
    if let stop = stop(of: core.step()) { return stop }
    // Something that has just happened may have woken it; else nothing does before the next event.
    guard wasAsleep, core.isAsleep, schedule.next != .max else { return .reached }
    return stop(of: core.run(until: schedule.next)) ?? .reached
  }

  private func takeRequest() -> MachineStop? {
    if let access = chip.untouched.takeOffence() { return .unmodelled(access) }
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
    case .stackFloor: return .stackOverflow
    case .stackTop(let address): return .stackUnderflow(at: address)
    case .breakpoint:
      let address = core.programCounter
      // It stands at the instruction; without a debugger that is one of a cycle.
      core.passBreakpoint()
      return .breakInstruction(number: address)
    case .undefined(let word): return .noInstruction(word)
    }
  }
}
