import Machines

/// Something that happens at a time, and keeps to it when the clocks change.
final class Alarm {
  private unowned let chip: Silicon
  private let slot: EventSchedule.Slot
  /// When it happens, in nanoseconds; `nil` when it does not.
  private(set) var time: UInt64?

  init(_ chip: Silicon, _ action: @escaping () -> Void) {
    self.chip = chip
    let holder = Holder()
    slot = chip.schedule.slot { _ in
      holder.alarm?.time = nil
      action()
    }
    holder.alarm = self
  }

  private final class Holder {
    weak var alarm: Alarm?
  }

  /// Lets it happen at a time, in nanoseconds.
  func set(at time: UInt64) {
    self.time = time
    chip.schedule.set(slot, at: chip.cycle(at: time))
  }

  func clear() {
    time = nil
    chip.schedule.clear(slot)
  }

  /// Plans it anew, once the clocks have changed.
  func renew() {
    if let time { set(at: time) }
  }
}
