import Cores
import Machines

/// The resources that the peripherals share, such as core, event schedule, interrupt requests and energy ledger.
final class Chip {
  let core: AvrCore
  let schedule = EventSchedule()
  let clock: MachineClock
  let unmodelledRegisters = UnmodelledRegisters()
  /// The detector of polling loops.
  let polls = PollWatch()
  let analog = AnalogInputs()
  let energy: EnergyLedger
  var fuses: ATmega328PFuses
  /// The frequency of the oscillator in Hz, before CLKPR.
  let frequency: UInt64
  /// A function that resets the chip after the current instruction.
  var requestReset: (ResetCause) -> Void = { _ in }

  init(core: AvrCore, frequency: UInt64, fuses: ATmega328PFuses, energy: EnergyLedger) {
    self.core = core
    self.frequency = frequency
    self.fuses = fuses
    self.energy = energy
    clock = MachineClock(frequency: frequency) { [unowned core] in core.cycles }
    schedule.didMoveEarlier = { [unowned core] in core.shorten(to: $0) }
  }

  /// The current cycle.
  var cycle: UInt64 { core.cycles }
  /// The current time in nanoseconds.
  var now: UInt64 { clock.nanoseconds(at: core.cycles) }
  /// The cycle of the timer event that is being processed, which may precede the current cycle by an instruction.
  var eventCycle: UInt64?

  /// Sets or clears an interrupt request.
  func request(_ vector: Vector, _ isOn: Bool) {
    let bit: UInt64 = 1 << UInt64(vector.rawValue)
    let requests = core.requests
    let changed = isOn ? requests | bit : requests & ~bit
    if changed != requests { core.requests = changed }
  }

  /// Converts a time in nanoseconds to cycles, at least one.
  func cycles(nanoseconds: UInt64) -> UInt64 {
    max(1, nanoseconds * clock.frequency / 1_000_000_000)
  }
}

/// A scheduled action of a peripheral, which is suspended while the clock is stopped.
final class ChipEvent {
  private unowned let chip: Chip
  private var slot: EventSchedule.Slot?
  /// The number of cycles that remained until the event when the clock stopped; `nil` if it is not suspended.
  private var rest: UInt64?

  /// Creates an event that is not scheduled.
  init(_ chip: Chip, _ action: @escaping (_ cycle: UInt64) -> Void) {
    self.chip = chip
    slot = chip.schedule.slot(action)
  }

  /// Schedules the event at a cycle.
  func set(at cycle: UInt64) { slot.map { chip.schedule.set($0, at: cycle) } }

  /// Schedules the event a number of cycles from now.
  func set(in cycles: UInt64) { set(at: chip.cycle &+ cycles) }

  /// Cancels the event.
  func clear() {
    slot.map { chip.schedule.clear($0) }
    rest = nil
  }

  /// `true` if the event is scheduled or suspended.
  var isDue: Bool { due != nil || rest != nil }
  private var due: UInt64? { slot.flatMap { chip.schedule.cycle(of: $0) } }

  /// Suspends the event when the clock stops, and schedules it again when the clock restarts.
  func clock(runs: Bool) {
    if runs {
      if let rest { set(in: rest) }
      rest = nil
    } else if let due {
      let left = due > chip.cycle ? due - chip.cycle : 0
      clear()
      rest = left
    }
  }
}

/// The interrupts by vector number (data sheet, table 12-6).
enum Vector: Int {
  case int0 = 1
  case int1, pinChange0, pinChange1, pinChange2, watchdog
  case timer2CompareA, timer2CompareB, timer2Overflow
  case timer1Capture, timer1CompareA, timer1CompareB, timer1Overflow
  case timer0CompareA, timer0CompareB, timer0Overflow
  case spi, usartReceive, usartEmpty, usartSent, adc, eepromReady, comparator, twi, spmReady

  /// The number of vectors, including the reset vector.
  static let count = 26
}
