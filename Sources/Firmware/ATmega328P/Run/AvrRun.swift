import Cores
import Machines

/// The run of the part: the core until the next event, the event, the core again.
final class AvrRun {
  private unowned let chip: AvrChip
  let breakpoints = Breakpoints()
  /// The address of a breakpoint at which it stopped, and from which it must get away.
  private var left: UInt32?
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
  }

  /// Runs until a time in nanoseconds, or something stops it.
  func run(until nanoseconds: UInt64) -> MachineStop {
    let core = chip.core
    while true {
      chip.schedule.fire(upTo: core.cycles)
      if let stop = takeRequest() { return stop }
      let target = chip.clock.cycle(at: nanoseconds)
      if core.cycles >= target { return .reached }
      var end = min(target, chip.schedule.next)
      if !breakpoints.isEmpty {
        let here = core.programCounter
        if !core.isAsleep, left != here, breakpoints.contains(here) {
          left = here
          return .breakpoint(address: here)
        }
        left = nil
        if !core.isAsleep { end = min(end, core.cycles + 1) }
      }
      if let stop = stop(of: core.run(until: end)) { return stop }
    }
  }

  /// Runs one instruction, or to the next event while the core sleeps.
  func step() -> MachineStop {
    let core = chip.core
    chip.schedule.fire(upTo: core.cycles)
    if let stop = takeRequest() { return stop }
    left = nil
    let wasAsleep = core.isAsleep
    if let stop = stop(of: core.step()) { return stop }
    // Something that has just happened may have woken it; else nothing does before the next event.
    guard wasAsleep, core.isAsleep, chip.schedule.next != .max else { return .reached }
    return stop(of: core.run(until: chip.schedule.next)) ?? .reached
  }

  private func takeRequest() -> MachineStop? {
    if let access = chip.untouched.takeOffence() { return .unmodelled(access) }
    guard let cause = request else { return nil }
    request = nil
    reset(cause)
    return .reset(cause)
  }

  private func stop(of stop: AvrStop) -> MachineStop? {
    switch stop {
    case .reached: return nil
    case .breakpoint:
      let address = chip.core.programCounter
      // It stands at the instruction; without a debugger that is one of a cycle.
      chip.core.passBreakpoint()
      return .breakInstruction(number: address)
    case .undefined(let word):
      let what = word == 0xFFFF ? "erased flash" : "no instruction of this core"
      return .lockUp("0x\(String(word, radix: 16, uppercase: true)) is \(what)")
    }
  }
}
