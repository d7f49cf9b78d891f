public import VirtualI2C

/// The conditions that impair a part, and the effects that they have had.
public struct Impairments {
  /// One condition.
  public struct Impairment {
    /// What is wrong.
    public let condition: TargetCondition
    /// The number of the fault that asked for it.
    public let fault: Int
    /// How many effects it has.
    public let count: Int
    /// Since when it impairs, in nanoseconds.
    public let start: UInt64
    /// How many effects it has had so far.
    public internal(set) var effects = 0
  }

  /// The conditions in the order in which they began.
  public internal(set) var all: [Impairment] = []

  /// Creates a part without any.
  public init() {}

  /// Whether nothing is wrong.
  @inlinable public var isEmpty: Bool { all.isEmpty }

  /// Adds a condition.
  ///
  /// - Parameters:
  ///   - condition: what is wrong.
  ///   - fault: the number of the fault that asks for it.
  ///   - count: how many effects it has.
  ///   - time: since when, in nanoseconds.
  public mutating func add(
    _ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64
  ) {
    all.append(Impairment(condition: condition, fault: fault, count: count, start: time))
  }

  /// How many effects the condition of a fault has had so far.
  public func effects(of fault: Int) -> Int {
    all.reduce(0) { $0 + ($1.fault == fault ? $1.effects : 0) }
  }

  /// Lets every condition act that still has effects to come.
  ///
  /// - Parameter act: acts for a condition; returns whether that was an effect.
  public mutating func act(_ act: (Impairment) -> Bool) {
    for index in all.indices where all[index].effects < all[index].count && act(all[index]) {
      all[index].effects += 1
    }
  }
}
