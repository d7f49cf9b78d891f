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
  @exclusivity(unchecked) package private(set) var next: UInt64 = .max
  /// Is told when the earliest comes nearer: the run that is under way must end there.
  @exclusivity(unchecked) package var comesNearer: (UInt64) -> Void = { _ in }

  /// Whether somebody wants the run to stop before anything else happens.
  @exclusivity(unchecked) package private(set) var wantsStop = false

  private static let most = 256
  private let due = UnsafeMutablePointer<UInt64>.allocate(capacity: EventSchedule.most)
  /// Which slots are due at all, a bit each: few are at a time.
  private let armed = UnsafeMutablePointer<UInt64>.allocate(capacity: EventSchedule.most / 64)
  /// The earliest slot, of several the one that was made first.
  @exclusivity(unchecked) private var first = 0
  @exclusivity(unchecked) private var count = 0
  @exclusivity(unchecked) private var actions: [Unmanaged<Action>] = []
  /// Whether something is happening: no run is under way that would have to end earlier.
  @exclusivity(unchecked) private var isFiring = false

  /// What a slot does.
  private final class Action {
    let run: (UInt64) -> Void

    init(_ run: @escaping (UInt64) -> Void) { self.run = run }
  }

  /// Creates a schedule without slots.
  package init() { armed.initialize(repeating: 0, count: Self.most / 64) }

  deinit {
    removeActions()
    due.deallocate()
    armed.deallocate()
  }

  /// Lets go of what slots do, which holds their part as it holds them; nothing may happen afterwards.
  package func removeActions() {
    for action in actions { action.release() }
    actions = []
  }

  /// Lets the run that is under way stop here: somebody has seen what it was for.
  package func requestStop() {
    wantsStop = true
    comesNearer(0)
  }

  /// Whether the run is to stop; it is asked for once.
  package func takeStop() -> Bool {
    defer { wantsStop = false }
    return wantsStop
  }

  /// Makes a slot.
  ///
  /// - Parameter action: what happens; it gets the cycle at which it was due, which may lie before now by the length of
  ///   an instruction, and may set slots again.
  /// - Returns: the slot.
  package func slot(_ action: @escaping (_ cycle: UInt64) -> Void) -> Slot {
    precondition(count < Self.most, "a part has fewer things to do")
    (due + count).initialize(to: .max)
    count += 1
    actions.append(Unmanaged.passRetained(Action(action)))
    return Slot(index: count - 1)
  }

  /// Lets a slot be due at a cycle, and no more at another.
  package func set(_ slot: Slot, at cycle: UInt64) {
    let index = slot.index
    due[index] = cycle
    armed[index >> 6] |= 1 << UInt64(index & 63)
    if cycle < next {
      (next, first) = (cycle, index)
      if !isFiring { comesNearer(cycle) }
    } else if index == first || cycle == next {
      findNext()
    }
  }

  /// Lets a slot not be due any more.
  package func clear(_ slot: Slot) {
    guard due[slot.index] != .max else { return }
    disarm(slot.index)
    if slot.index == first { findNext() }
  }

  /// When a slot is due; `nil` when it is not.
  package func cycle(of slot: Slot) -> UInt64? {
    due[slot.index] == .max ? nil : due[slot.index]
  }

  /// Lets happen what is due, the earliest first, and of two at one cycle the one whose slot was made first.
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

  /// Lets nothing be due any more.
  package func clearAll() {
    due.update(repeating: .max, count: count)
    armed.update(repeating: 0, count: Self.most / 64)
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
