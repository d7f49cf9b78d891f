package import Cores

/// The execution loop of a microcontroller with an ARM core, which alternates between the core and due events of the
/// peripherals.
package final class ArmRun {
  package let core: ArmCore
  /// The scheduled events of the peripherals.
  package let schedule = EventSchedule()
  /// The clock of the microcontroller.
  package let clock: MachineClock
  package let breakpoints = Breakpoints()
  package let watchpoints = Watchpoints()
  /// Accesses to unmodelled registers.
  package let unmodelledRegisters = UnmodelledRegisters()
  /// The detector of polling loops.
  package let polls = PollWatch()
  /// `true` to skip the iterations of polling loops.
  ///
  /// Default: true.
  @exclusivity(unchecked) package var skipsIdleLoops = true
  /// `true` while the microcontroller is switched off, during which only time passes.
  @exclusivity(unchecked) package var isOff = false
  /// The number of cycles for which the microcontroller has been switched off.
  @exclusivity(unchecked) package private(set) var offCycles: UInt64 = 0
  /// Executes a BKPT of the microcontroller's own ROM natively; returns `false` for a BKPT of the program.
  @exclusivity(unchecked) package var trap: (_ number: UInt32) -> Bool = { _ in false }
  /// A stop that a peripheral has requested.
  @exclusivity(unchecked) private var request: MachineStop?
  /// The bounds within which `processEvents(before:)` processes events in sequence while the core sleeps.
  ///
  /// `end` is the cycle before which the events must be due, or 0 while the function does not run. `changes` is the
  /// number of clock changes when the function started.
  @exclusivity(unchecked) private var resting: (end: UInt64, changes: Int) = (0, 0)
  private let reset: (ResetCause) -> Void

  /// Creates the execution loop of a core.
  ///
  /// - Parameters:
  ///   - core: the core.
  ///   - frequency: the clock frequency in Hz.
  ///   - reset: a function that resets the microcontroller.
  package init(_ core: ArmCore, frequency: UInt64, reset: @escaping (ResetCause) -> Void) {
    self.core = core
    self.reset = reset
    clock = MachineClock(frequency: frequency) { core.cycles }
    schedule.didMoveEarlier = { core.shorten(to: $0) }
    breakpoints.didChange = { address, isSet in
      if isSet { core.addBreakpoint(at: address) } else { core.removeBreakpoint(at: address) }
    }
    watchpoints.didChange = { range, isSet in
      if isSet { core.addWatch(range) } else { core.removeWatch(range) }
    }
    unmodelledRegisters.halt = { core.shorten(to: 0) }
    polls.halt = { core.shorten(to: 0) }
  }

  /// Resets the microcontroller after the current instruction.
  package func requestReset(_ cause: ResetCause) {
    request = .reset(cause)
    core.shorten(to: 0)
  }

  /// Switches the microcontroller off after the current instruction.
  package func requestOff() {
    request = .off
    core.shorten(to: 0)
  }

  /// The time of the next scheduled peripheral event in nanoseconds; `nil` if no event is scheduled.
  package var nextEvent: UInt64? {
    schedule.next == .max ? nil : clock.nanoseconds(at: schedule.next)
  }

  /// `true` if only an event from outside the microcontroller can change its state.
  package var waitsForever: Bool {
    guard schedule.next == .max, !isOff, !core.hasTimer else { return false }
    return core.isAsleep ? core.isResting : polls.isIdleLoop
  }

  /// Runs until a time in nanoseconds, or until another stop.
  package func run(until nanoseconds: UInt64) -> MachineStop {
    var target = clock.cycle(at: nanoseconds)
    var changes = clock.changes
    while true {
      if schedule.next <= core.cycles {
        polls.didFireEvent()
        schedule.fire(upTo: core.cycles)
      }
      if clock.changes != changes {
        target = clock.cycle(at: nanoseconds)
        changes = clock.changes
      }
      processEvents(before: target)
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
        // The skipped code may have scheduled an earlier event.
        continue
      }
      let pause = skipsIdleLoops ? polls.pause(asleep: core.isAsleep) : .max
      if let stop = stop(of: core.run(until: min(end, pause))) { return stop }
    }
  }

  /// Processes events in sequence while the core sleeps, until one of them requires the core.
  private func processEvents(before end: UInt64) {
    guard core.isResting else { return }
    resting = (end, clock.changes)
    while schedule.next < end, canStayAsleep {
      core.rest(until: schedule.next)
      polls.didFireEvent()
      schedule.fire(upTo: core.cycles)
    }
    resting.end = 0
  }

  /// `true` if the core can stay asleep until the next event.
  private var canStayAsleep: Bool {
    core.isResting && !isOff && request == nil && !unmodelledRegisters.hasViolation
      && !schedule.wantsStop
      && !polls.isCheckDue
      && clock.changes == resting.changes
  }

  /// Advances time to a peripheral's next event if the core sleeps until then and no other event comes first.
  ///
  /// The peripheral then need not schedule the event.
  ///
  /// - Returns: `true` if time has advanced to the cycle; otherwise the peripheral must schedule the event.
  package func staysAsleep(until cycle: UInt64) -> Bool {
    guard cycle < resting.end, cycle < schedule.next, canStayAsleep else { return false }
    core.rest(until: cycle)
    polls.didFireEvent()
    return true
  }

  /// Skips the iterations of a polling loop; returns the stop reason if the core stopped.
  private func skipLoop(before end: UInt64) -> MachineStop? {
    let stop = polls.look(
      core, before: end, findLoop: { core.findLoop(within: $0, before: $1) },
      isStill: { schedule.next >= end }, pass: { core.pass($0, before: $1) })
    return stop.flatMap { self.stop(of: $0) }
  }

  /// Executes one instruction, or advances to the next event while the core sleeps.
  package func step() -> MachineStop {
    schedule.fire(upTo: core.cycles)
    if let stop = takeRequest() { return stop }
    if isOff {
      if schedule.next != .max { pass(to: schedule.next) }
      return .reached
    }
    let wasAsleep = core.isAsleep
    if let stop = stop(of: core.step()) { return stop }
    // The last event may have woken the core. If not, nothing happens before the next event.
    guard wasAsleep, core.isAsleep, schedule.next != .max else { return .reached }
    return stop(of: core.run(until: schedule.next)) ?? .reached
  }

  /// Advances time while the microcontroller is switched off.
  private func pass(to cycle: UInt64) {
    guard cycle > core.cycles else { return }
    offCycles += cycle - core.cycles
    core.cycles = cycle
  }

  private func takeRequest() -> MachineStop? {
    if let access = unmodelledRegisters.takeViolation() { return .unmodelled(access) }
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
    case .stackLimit: return .stackOverflow
    case .faulted: return .fault
    case .breakpoint(let number): return trap(number) ? nil : .breakInstruction(number: number)
    case .lockUp(let fault): return .lockUp(fault.words)
    case .reset:
      reset(.software)
      return .reset(.software)
    }
  }
}

/// An event of a microcontroller at a time in nanoseconds, which does not move when the clocks change.
package final class MachineEvent {
  private unowned let run: ArmRun
  private let slot: EventSchedule.Slot
  /// The time of the event in nanoseconds; `nil` if none is scheduled.
  package private(set) var time: UInt64?

  /// Creates an event that is not scheduled.
  package init(_ run: ArmRun, _ action: @escaping () -> Void) {
    self.run = run
    let holder = Holder()
    slot = run.schedule.slot { _ in
      holder.event?.time = nil
      action()
    }
    holder.event = self
  }

  private final class Holder {
    weak var event: MachineEvent?
  }

  /// Schedules the event at a time in nanoseconds, but not before the next cycle.
  package func set(at time: UInt64) {
    self.time = time
    run.schedule.set(slot, at: max(run.clock.cycle(at: time), run.core.cycles + 1))
  }

  /// Cancels the event.
  package func clear() {
    time = nil
    run.schedule.clear(slot)
  }

  /// Schedules the event again after a change of the clocks.
  package func reschedule() {
    if let time { set(at: time) }
  }
}

/// Debugger access to an ARM core.
extension ArmCore: MachineCore {
  /// The registers in GDB's order: R0 to R12, SP, LR, PC and XPSR, the FPU registers as raw bits and FPSCR, and the
  /// special registers.
  private static let names =
    (0..<13).map { CoreRegister("r\($0)") }
    + ["sp", "lr", "pc", "xpsr"].map { CoreRegister($0) }
    + (0..<32).map { CoreRegister("s\($0)") } + [CoreRegister("fpscr")]
    + specials.map { CoreRegister($0.name) }

  private static let specials: [(name: String, register: Special)] = [
    ("msp", .mainStack), ("psp", .processStack), ("primask", .primask), ("basepri", .basepri),
    ("faultmask", .faultmask), ("control", .control),
  ]

  package var architecture: CoreArchitecture { .arm }
  package var registers: [CoreRegister] { Self.names }
  package var stackPointer: UInt32 { self[register: 13] }

  package var programCounter: UInt32 {
    get { self[register: 15] }
    set { self[register: 15] = newValue }
  }

  package func setStackEnd(_ address: UInt32) { stackLimit = address }
  package func stopAtFaults() { stopsAtFaults = true }
  package func recordCoverage() { recordsCoverage = true }

  package func readRegister(_ number: Int) -> UInt64 {
    switch number {
    case 0...15: UInt64(self[register: number])
    case 16: UInt64(xpsr)
    case 17...48: UInt64(self[float: number - 17])
    case 49: UInt64(fpscr)
    default: UInt64(self[special: Self.specials[number - 50].register])
    }
  }

  package func writeRegister(_ number: Int, _ value: UInt64) {
    let word = UInt32(truncatingIfNeeded: value)
    switch number {
    case 0...15: self[register: number] = word
    case 16: xpsr = word
    case 17...48: self[float: number - 17] = word
    case 49: fpscr = word
    default: self[special: Self.specials[number - 50].register] = word
    }
  }
}
