import Cores
import Machines

/// The run of the part: the core until the next event, the event, the core again.
final class AvrRun {
  private unowned let chip: AvrChip
  let breakpoints = Breakpoints()
  let watchpoints = Watchpoints()
  /// Whether loops in which the program waits are passed over.
  var skipsIdleLoops = true
  private var request: ResetCause?
  private let reset: (ResetCause) -> Void

  /// Creates the run of a part that begins anew as `reset` does it.
  init(_ chip: AvrChip, reset: @escaping (ResetCause) -> Void) {
    self.chip = chip
    self.reset = reset
    chip.requestReset = { [unowned self] cause in
      request = cause
      self.chip.core.shorten(to: 0)
    }
    let core = chip.core
    breakpoints.didChange = { address, isSet in
      if isSet { core.addBreakpoint(at: address) } else { core.removeBreakpoint(at: address) }
    }
    watchpoints.didChange = { stretch, isSet in
      let watch = Self.watch(stretch)
      if isSet { core.addWatch(watch) } else { core.removeWatch(watch) }
    }
    chip.untouched.halt = { core.shorten(to: 0) }
    chip.polls.halt = { core.shorten(to: 0) }
  }

  /// A stretch as a debugger names it, by the addresses of the data space.
  private static func watch(_ stretch: MemoryWatch) -> MemoryWatch {
    var watch = stretch
    watch.address &-= IOSpace.dataBase
    return watch
  }

  /// Whether nothing more is to come, unless from outside.
  var waitsForEver: Bool {
    chip.schedule.next == .max && chip.core.requests == 0
      && (chip.core.isAsleep || chip.polls.standsStill)
  }

  /// Runs until a time in nanoseconds, or something stops it.
  func run(until nanoseconds: UInt64) -> MachineStop {
    let core = chip.core
    while true {
      if chip.schedule.next <= core.cycles {
        chip.polls.didHappen()
        chip.schedule.fire(upTo: core.cycles)
      }
      if let stop = takeRequest() { return stop }
      let target = chip.clock.cycle(at: nanoseconds)
      if core.cycles >= target { return .reached }
      let end = min(target, chip.schedule.next)
      if skipsIdleLoops, chip.polls.isDue(asleep: core.isAsleep, core.sleptCycles, at: core.cycles)
      {
        if let stop = skipLoop(before: end) { return stop }
        // What was run there may have brought an event nearer.
        continue
      }
      let pause = skipsIdleLoops ? chip.polls.pause(asleep: core.isAsleep) : .max
      if let stop = stop(of: core.run(until: min(end, pause))) { return stop }
    }
  }

  /// Passes over a loop in which the program waits.
  private func skipLoop(before end: UInt64) -> MachineStop? {
    let core = chip.core
    let stop = chip.polls.look(
      core, before: end, turn: { core.turn(within: $0, before: $1) },
      isStill: { chip.schedule.next >= end }, pass: { core.pass($0, before: $1) })
    return stop.flatMap { self.stop(of: $0) }
  }

  /// Runs one instruction, or to the next event while the core sleeps.
  func step() -> MachineStop {
    let core = chip.core
    chip.schedule.fire(upTo: core.cycles)
    if let stop = takeRequest() { return stop }
    let wasAsleep = core.isAsleep
    if let stop = stop(of: core.step()) { return stop }
    // Something that has just happened may have woken it; else nothing does before the next event.
    guard wasAsleep, core.isAsleep, chip.schedule.next != .max else { return .reached }
    return stop(of: core.run(until: chip.schedule.next)) ?? .reached
  }

  private func takeRequest() -> MachineStop? {
    if let access = chip.untouched.takeOffence() { return .unmodelled(access) }
    if chip.schedule.takeStop() { return .reached }
    guard let cause = request else { return nil }
    request = nil
    reset(cause)
    return .reset(cause)
  }

  private func stop(of stop: AvrStop) -> MachineStop? {
    switch stop {
    case .reached: return nil
    case .halted: return .breakpoint(address: chip.core.programCounter)
    case .watched(let hit):
      return .watchpoint(address: hit.address + IOSpace.dataBase, isStore: hit.isStore)
    case .stackFloor: return .stackOverflow
    case .stackTop(let address): return .stackUnderflow(at: address)
    case .breakpoint:
      let address = chip.core.programCounter
      // It stands at the instruction; without a debugger that is one of a cycle.
      chip.core.passBreakpoint()
      return .breakInstruction(number: address)
    case .undefined(let word): return .noInstruction(word)
    }
  }
}
