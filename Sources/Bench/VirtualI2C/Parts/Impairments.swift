public import Environment
import Quantities

/// The active fault conditions of a part, and the effects they have had.
public struct Impairments {
  /// A condition and the number of effects it has had.
  public struct Impairment {
    /// The condition.
    public let condition: TargetCondition
    /// The index of the fault that causes the condition.
    public let fault: Int
    /// The number of effects after which the condition ends.
    public let count: Int
    /// The start of the condition in nanoseconds.
    public let start: UInt64
    /// The number of effects the condition has had so far.
    public internal(set) var effects = 0
  }

  /// The conditions in the order of their start.
  public internal(set) var all: [Impairment] = []

  /// Creates a set without conditions.
  public init() {}

  /// Whether the part has no fault conditions.
  @inlinable public var isEmpty: Bool { all.isEmpty }

  /// Adds a condition.
  ///
  /// - Parameters:
  ///   - condition: the condition.
  ///   - fault: the index of the fault that causes the condition.
  ///   - count: the number of effects after which the condition ends.
  ///   - time: the start of the condition in nanoseconds.
  public mutating func add(
    _ condition: TargetCondition, of fault: Int, count: Int, at time: UInt64
  ) {
    all.append(Impairment(condition: condition, fault: fault, count: count, start: time))
  }

  /// Returns the number of effects so far of the condition that the fault with this index causes.
  public func effects(of fault: Int) -> Int {
    all.reduce(0) { $0 + ($1.fault == fault ? $1.effects : 0) }
  }

  /// Calls a closure for each condition that has effects left.
  ///
  /// - Parameter act: the closure, which applies a condition and returns whether it had an effect.
  public mutating func act(_ act: (Impairment) -> Bool) {
    for index in all.indices where all[index].effects < all[index].count && act(all[index]) {
      all[index].effects += 1
    }
  }
}

extension Impairments {
  /// Returns the duration of a conversion, which is the maximum if the condition `slow` is active.
  ///
  /// - Parameters:
  ///   - time: the regular duration in nanoseconds.
  ///   - longest: the maximum duration in nanoseconds.
  /// - Returns: the duration of this conversion in nanoseconds.
  public mutating func conversionTime(_ time: UInt64, longest: UInt64) -> UInt64 {
    var impaired = time
    act { impairment in
      guard impairment.condition == .slow else { return false }
      impaired = longest
      return true
    }
    return impaired
  }

  /// Returns whether the condition `frozen` keeps a new result out of the data registers, and
  /// counts the effect.
  public mutating func freezeResult() -> Bool {
    var isFrozen = false
    act { impairment in
      guard impairment.condition == .frozen else { return false }
      isFrozen = true
      return true
    }
    return isFrozen
  }

  /// Adds the active offsets and drifts to the air that a part senses at a time in nanoseconds.
  public mutating func shift(_ air: inout Air, at time: UInt64) {
    act { impairment in
      switch impairment.condition {
      case .offset(let error):
        air.pressure += error.pressure
        air.temperature += error.temperature
        air.humidity += error.humidity
        return true
      case .drift(let error):
        let hours = Double(time - min(time, impairment.start)) / 3600e9
        air.pressure += error.pressure * hours
        air.temperature += error.temperature * hours
        air.humidity += error.humidity * hours
        return true
      default: return false
      }
    }
  }
}
