import VirtualI2C

/// The conditions that a part suffers from, and the effects that they have had.
struct Sufferings {
  /// One condition.
  struct Suffering {
    let condition: TargetCondition
    let fault: Int
    let count: Int
    let start: UInt64
    var effects = 0
  }

  private(set) var all: [Suffering] = []

  /// Whether something is wrong.
  var isEmpty: Bool { all.isEmpty }

  mutating func add(_ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64) {
    all.append(Suffering(condition: condition, fault: fault, count: count, start: time))
  }

  func effects(of fault: Int) -> Int {
    all.reduce(0) { $0 + ($1.fault == fault ? $1.effects : 0) }
  }

  /// Lets every condition act that still has effects to come.
  ///
  /// - Parameter act: acts for a condition; returns whether that was an effect.
  mutating func act(_ act: (Suffering) -> Bool) {
    for index in all.indices where all[index].effects < all[index].count && act(all[index]) {
      all[index].effects += 1
    }
  }
}
