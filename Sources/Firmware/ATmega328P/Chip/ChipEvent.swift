import Machines

/// Something that a peripheral does by itself when its time has come; it stands still while the clock does.
final class ChipEvent {
  private unowned let chip: AvrChip
  private var slot: EventSchedule.Slot?
  /// What was left when the clock stopped, in cycles.
  private var rest: UInt64?

  /// Creates an event that is not due.
  init(_ chip: AvrChip, _ action: @escaping (_ cycle: UInt64) -> Void) {
    self.chip = chip
    slot = chip.schedule.slot(action)
  }

  /// Is due at a cycle.
  func set(at cycle: UInt64) { slot.map { chip.schedule.set($0, at: cycle) } }

  /// Is due in some cycles from now.
  func set(in cycles: UInt64) { set(at: chip.cycle &+ cycles) }

  /// Is not due any more.
  func clear() {
    slot.map { chip.schedule.clear($0) }
    rest = nil
  }

  /// Whether it is due, now or when the clock goes on.
  var isDue: Bool { due != nil || rest != nil }
  private var due: UInt64? { slot.flatMap { chip.schedule.cycle(of: $0) } }

  /// The clock stops or goes on.
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
