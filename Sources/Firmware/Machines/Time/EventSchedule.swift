/// What peripherals have to do by themselves, by the cycle at which it is due.
///
/// Each thing that can happen has a slot, made once; a slot is due at one cycle or not at all. Nothing is allocated when
/// a slot is set or fires.
package final class EventSchedule {
  /// One thing that can happen.
  package struct Slot: Sendable {
    fileprivate let index: Int
  }

  /// The cycle of the earliest; `UInt64.max` when nothing is due.
  package private(set) var next: UInt64 = .max
  /// Is told when the earliest comes nearer: the run that is under way must end there.
  package var comesNearer: (UInt64) -> Void = { _ in }

  private static let most = 256
  private let due = UnsafeMutablePointer<UInt64>.allocate(capacity: EventSchedule.most)
  private var count = 0
  private var actions: [(UInt64) -> Void] = []

  /// Creates a schedule without slots.
  package init() {}

  deinit { due.deallocate() }

  /// Lets go of what slots do, which holds their part as it holds them; nothing may happen afterwards.
  package func removeActions() { actions = [] }

  /// Makes a slot.
  ///
  /// - Parameter action: what happens; it gets the cycle at which it was due, which may lie before now by the length of
  ///   an instruction, and may set slots again.
  /// - Returns: the slot.
  package func slot(_ action: @escaping (_ cycle: UInt64) -> Void) -> Slot {
    precondition(count < Self.most, "a part has fewer things to do")
    (due + count).initialize(to: .max)
    count += 1
    actions.append(action)
    return Slot(index: count - 1)
  }

  /// Lets a slot be due at a cycle, and no more at another.
  package func set(_ slot: Slot, at cycle: UInt64) {
    let before = due[slot.index]
    due[slot.index] = cycle
    if cycle < next {
      next = cycle
      comesNearer(cycle)
    } else if before == next {
      findNext()
    }
  }

  /// Lets a slot not be due any more.
  package func clear(_ slot: Slot) {
    let before = due[slot.index]
    guard before != .max else { return }
    due[slot.index] = .max
    if before == next { findNext() }
  }

  /// When a slot is due; `nil` when it is not.
  package func cycle(of slot: Slot) -> UInt64? {
    due[slot.index] == .max ? nil : due[slot.index]
  }

  /// Lets happen what is due, the earliest first, and of two at one cycle the one whose slot was made first.
  package func fire(upTo cycle: UInt64) {
    while next <= cycle, next != .max {
      let moment = next
      var index = 0
      while due[index] != moment { index += 1 }
      due[index] = .max
      findNext()
      actions[index](moment)
    }
  }

  /// Lets nothing be due any more.
  package func clearAll() {
    due.update(repeating: .max, count: count)
    next = .max
  }

  private func findNext() {
    var least = UInt64.max
    for index in 0..<count { least = min(least, due[index]) }
    next = least
  }
}
