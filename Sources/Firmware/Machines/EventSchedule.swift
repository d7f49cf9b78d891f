/// The scheduled events of peripherals, by cycle.
///
/// Each kind of event has a slot, which is created once and is either due at one cycle or not scheduled. Scheduling and
/// firing a slot allocates no memory.
package final class EventSchedule {
  /// A slot for one kind of event.
  package struct Slot: Sendable {
    fileprivate let index: Int
  }

  /// The cycle of the earliest event; `UInt64.max` if no event is scheduled.
  @exclusivity(unchecked) package private(set) var next: UInt64 = .max
  /// A callback that receives the cycle of an event that is now the earliest one, at which the current run of the core
  /// must end.
  @exclusivity(unchecked) package var didMoveEarlier: (UInt64) -> Void = { _ in }

  /// `true` if the run must stop before the next event.
  @exclusivity(unchecked) package private(set) var wantsStop = false

  private static let capacity = 256
  private let due = UnsafeMutablePointer<UInt64>.allocate(capacity: EventSchedule.capacity)
  /// One bit per slot, which is set while the slot is scheduled.
  private let armed = UnsafeMutablePointer<UInt64>.allocate(capacity: EventSchedule.capacity / 64)
  /// The index of the slot that fires next; if several are due at one cycle, the slot created first.
  @exclusivity(unchecked) private var first = 0
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var actions: [Unmanaged<Action>] = []
  /// `true` while an event is being processed, when there is no current run to shorten.
  @exclusivity(unchecked) private var isFiring = false

  /// The action of a slot.
  private final class Action {
    let run: (UInt64) -> Void

    init(_ run: @escaping (UInt64) -> Void) { self.run = run }
  }

  /// Creates a schedule without slots.
  package init() { armed.initialize(repeating: 0, count: Self.capacity / 64) }

  deinit {
    removeActions()
    due.deallocate()
    armed.deallocate()
  }

  /// Removes all actions to break their reference cycles with the microcontroller.
  ///
  /// The schedule must not be used afterwards.
  package func removeActions() {
    for action in actions { action.release() }
    actions = []
  }

  /// Requests that the current run stop, because its purpose has been met.
  package func requestStop() {
    wantsStop = true
    didMoveEarlier(0)
  }

  /// Returns whether the run must stop, and clears the request.
  package func takeStop() -> Bool {
    defer { wantsStop = false }
    return wantsStop
  }

  /// Creates a slot.
  ///
  /// - Parameter action: the function to call when the slot is due. Its argument is the cycle at which the slot was
  ///   due, which may precede the current cycle by up to one instruction. The function may schedule slots.
  /// - Returns: the slot.
  package func slot(_ action: @escaping (_ cycle: UInt64) -> Void) -> Slot {
    precondition(count < Self.capacity, "too many event slots")
    (due + count).initialize(to: .max)
    count += 1
    actions.append(Unmanaged.passRetained(Action(action)))
    return Slot(index: count - 1)
  }

  /// Schedules a slot at a cycle, which replaces the slot's previous cycle.
  package func set(_ slot: Slot, at cycle: UInt64) {
    let index = slot.index
    due[index] = cycle
    armed[index >> 6] |= 1 << UInt64(index & 63)
    if cycle < next {
      (next, first) = (cycle, index)
      if !isFiring { didMoveEarlier(cycle) }
    } else if index == first || cycle == next {
      findNext()
    }
  }

  /// Cancels a slot.
  package func clear(_ slot: Slot) {
    guard due[slot.index] != .max else { return }
    disarm(slot.index)
    if slot.index == first { findNext() }
  }

  /// Returns the cycle at which a slot is due; `nil` if it is not scheduled.
  package func cycle(of slot: Slot) -> UInt64? {
    due[slot.index] == .max ? nil : due[slot.index]
  }

  /// Processes due events, the earliest first; at one cycle, slots fire in the order of their creation.
  package func fire(upTo cycle: UInt64) {
    isFiring = true
    defer { isFiring = false }
    while next <= cycle, next != .max {
      let (moment, index) = (next, first)
      disarm(index)
      findNext()
      actions[index]._withUnsafeGuaranteedRef { $0.run(moment) }
    }
  }

  /// Cancels all slots.
  package func clearAll() {
    due.update(repeating: .max, count: count)
    armed.update(repeating: 0, count: Self.capacity / 64)
    next = .max
  }

  private func disarm(_ index: Int) {
    due[index] = .max
    armed[index >> 6] &= ~(1 << UInt64(index & 63))
  }

  private func findNext() {
    var least = UInt64.max
    for word in 0..<(count + 63) >> 6 {
      var rest = armed[word]
      while rest != 0 {
        let index = word << 6 + rest.trailingZeroBitCount
        rest &= rest &- 1
        if due[index] < least { (least, first) = (due[index], index) }
      }
    }
    next = least
  }
}
