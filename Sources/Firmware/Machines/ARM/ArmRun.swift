package import Cores

/// The run of a microcontroller with an ARM core: the core until the next event, the event, the core again.
package final class ArmRun {
  /// The core.
  package let core: ArmCore
  /// What peripherals have to do.
  package let schedule = EventSchedule()
  /// The time.
  package let clock: MachineClock
  /// Where somebody wants it to stop.
  package let breakpoints = Breakpoints()
  package let watchpoints = Watchpoints()
  /// What nobody models.
  package let untouched = RegisterLedger()
  /// Who notices that the program waits for a register.
  package let polls = PollWatch()
  /// Whether loops that only wait for a register are passed over.
  @exclusivity(unchecked) package var skipsIdleLoops = true
  /// Whether the part is switched off: only time passes.
  @exclusivity(unchecked) package var isOff = false
  /// Cycles that have passed switched off.
  @exclusivity(unchecked) package private(set) var offCycles: UInt64 = 0
  /// What a peripheral asks of the part.
  @exclusivity(unchecked) private var request: MachineStop?
  /// Before which cycle events happen one after the other while the core sleeps, 0 while they do not; and how often the
  /// clock had changed.
  @exclusivity(unchecked) private var resting: (end: UInt64, changes: Int) = (0, 0)
  private let reset: (ResetCause) -> Void

  /// Creates the run of a core.
  ///
  /// - Parameters:
  ///   - core: the core.
  ///   - frequency: its clock in Hz.
  ///   - reset: lets the part begin anew.
  package init(_ core: ArmCore, frequency: UInt64, reset: @escaping (ResetCause) -> Void) {
    self.core = core
    self.reset = reset
    clock = MachineClock(frequency: frequency) { core.cycles }
    schedule.comesNearer = { core.shorten(to: $0) }
    breakpoints.didChange = { address, isSet in
      if isSet { core.addBreakpoint(at: address) } else { core.removeBreakpoint(at: address) }
    }
    watchpoints.didChange = { stretch, isSet in
      if isSet { core.addWatch(stretch) } else { core.removeWatch(stretch) }
    }
    untouched.halt = { core.shorten(to: 0) }
    polls.halt = { core.shorten(to: 0) }
  }

  /// Lets the part begin anew once the instruction under way has ended.
  package func requestReset(_ cause: ResetCause) {
    request = .reset(cause)
    core.shorten(to: 0)
  }

  /// Switches the part off once the instruction under way has ended.
  package func requestOff() {
    request = .off
    core.shorten(to: 0)
  }

  /// When something happens next without the core, in nanoseconds.
  package var nextEvent: UInt64? {
    schedule.next == .max ? nil : clock.nanoseconds(at: schedule.next)
  }

  /// Whether nothing more is to come, unless from outside.
  package var waitsForEver: Bool {
    guard schedule.next == .max, !isOff, !core.hasTimer else { return false }
    return core.isAsleep ? core.isResting : polls.standsStill
  }

  /// Runs until a time in nanoseconds, or something stops it.
  package func run(until nanoseconds: UInt64) -> MachineStop {
    var target = clock.cycle(at: nanoseconds)
    var changes = clock.changes
    while true {
      if schedule.next <= core.cycles {
        polls.didHappen()
        schedule.fire(upTo: core.cycles)
      }
      if clock.changes != changes {
        target = clock.cycle(at: nanoseconds)
        changes = clock.changes
      }
      happen(before: target)
      if clock.changes != changes { continue }
      if let stop = takeRequest() { return stop }
      if core.cycles >= target { return .reached }
      let end = min(target, schedule.next)
      if isOff {
        pass(to: end)
        continue
      }
      if skipsIdleLoops, polls.isDue(asleep: core.isAsleep, core.sleptCycles, at: core.cycles) {
        if let stop = skipLoop(before: end) { return stop }
        // What was run there may have brought an event nearer.
        continue
      }
      let pause = skipsIdleLoops ? polls.pause(asleep: core.isAsleep) : .max
      if let stop = stop(of: core.run(until: min(end, pause))) { return stop }
    }
  }

  /// Lets events happen one after the other while the core sleeps, for as long as none of them asks for more.
  private func happen(before end: UInt64) {
    guard core.isResting else { return }
    resting = (end, clock.changes)
    while schedule.next < end, staysAsleep {
      core.rest(until: schedule.next)
      polls.didHappen()
      schedule.fire(upTo: core.cycles)
    }
    resting.end = 0
  }

  /// Whether nothing that has happened asks for more than the next event.
  private var staysAsleep: Bool {
    core.isResting && !isOff && request == nil && !untouched.hasOffence && !schedule.wantsStop
      && !polls.isSuspicious
      && clock.changes == resting.changes
  }

  /// Lets time pass asleep until what a peripheral does next, where nothing else happens before; it need not make an
  /// event of it then.
  ///
  /// - Returns: whether it is that cycle now; else the peripheral sets its slot.
  package func sleepsOn(to cycle: UInt64) -> Bool {
    guard cycle < resting.end, cycle < schedule.next, staysAsleep else { return false }
    core.rest(until: cycle)
    polls.didHappen()
    return true
  }

  /// Passes over a loop in which the program waits.
  private func skipLoop(before end: UInt64) -> MachineStop? {
    let stop = polls.look(
      core, before: end, turn: { core.turn(within: $0, before: $1) },
      isStill: { schedule.next >= end }, pass: { core.pass($0, before: $1) })
    return stop.flatMap { self.stop(of: $0) }
  }

  /// Runs one instruction, or to the next event while the core sleeps.
  package func step() -> MachineStop {
    schedule.fire(upTo: core.cycles)
    if let stop = takeRequest() { return stop }
    if isOff {
      if schedule.next != .max { pass(to: schedule.next) }
      return .reached
    }
    let wasAsleep = core.isAsleep
    if let stop = stop(of: core.step()) { return stop }
    // Something that has just happened may have woken it; else nothing does before the next event.
    guard wasAsleep, core.isAsleep, schedule.next != .max else { return .reached }
    return stop(of: core.run(until: schedule.next)) ?? .reached
  }

  /// Lets time pass switched off.
  private func pass(to cycle: UInt64) {
    guard cycle > core.cycles else { return }
    offCycles += cycle - core.cycles
    core.cycles = cycle
  }

  private func takeRequest() -> MachineStop? {
    if let access = untouched.takeOffence() { return .unmodelled(access) }
    if schedule.takeStop() { return .reached }
    guard let stop = request else { return nil }
    request = nil
    if case .reset(let cause) = stop { reset(cause) }
    if case .off = stop { isOff = true }
    return stop
  }

  private func stop(of stop: ArmStop) -> MachineStop? {
    switch stop {
    case .reached: return nil
    case .halted: return .breakpoint(address: core[register: 15])
    case .watched(let hit): return .watchpoint(address: hit.address, isStore: hit.isStore)
    case .stackFloor: return .stackOverflow
    case .faulted: return .fault
    case .breakpoint(let number): return .breakInstruction(number: number)
    case .lockUp(let fault): return .lockUp(fault.words)
    case .reset:
      reset(.software)
      return .reset(.software)
    }
  }
}
