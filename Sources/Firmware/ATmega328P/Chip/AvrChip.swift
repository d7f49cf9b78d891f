import Cores
import Machines

/// What the peripherals share: the core, the time, the pending interrupts.
final class AvrChip {
  let core: AvrCore
  let schedule = EventSchedule()
  let clock: MachineClock
  let untouched = RegisterLedger()
  /// Who notices that the program waits.
  let polls = PollWatch()
  let analog = AnalogInputs()
  let energy: EnergyLedger
  var fuses: ATmega328PFuses
  /// The frequency of the oscillator in Hz, before CLKPR.
  let frequency: UInt64
  /// Lets the part begin anew once the instruction under way has ended.
  var requestReset: (ResetCause) -> Void = { _ in }

  init(core: AvrCore, frequency: UInt64, fuses: ATmega328PFuses, energy: EnergyLedger) {
    self.core = core
    self.frequency = frequency
    self.fuses = fuses
    self.energy = energy
    clock = MachineClock(frequency: frequency) { [unowned core] in core.cycles }
    schedule.comesNearer = { [unowned core] in core.shorten(to: $0) }
  }

  /// The cycle that has come.
  var cycle: UInt64 { core.cycles }
  /// The time, in nanoseconds.
  var now: UInt64 { clock.nanoseconds(at: core.cycles) }

  /// Asks for an interrupt, or no longer.
  func request(_ vector: Vector, _ isOn: Bool) {
    let bit: UInt64 = 1 << UInt64(vector.rawValue)
    let requests = core.requests
    let changed = isOn ? requests | bit : requests & ~bit
    if changed != requests { core.requests = changed }
  }

  /// How many cycles a time in nanoseconds lasts, at least one.
  func cycles(nanoseconds: UInt64) -> UInt64 {
    max(1, nanoseconds * clock.frequency / 1_000_000_000)
  }
}
