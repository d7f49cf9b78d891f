import I2C

/// The failures planned for one bus.
public final class FaultPlan {
  /// The faults, in the order of the plan, with how often each has fired.
  public var faults: [PlannedFault] { plan }

  // Stored beside its public name: what no other module reaches is accessed without checks.
  private var plan: [PlannedFault]
  private let isEmpty: Bool

  /// Makes a plan.
  public init(_ faults: [PlannedFault] = []) {
    plan = faults
    isEmpty = faults.isEmpty
  }

  /// The fault that spoils a message now, counted as fired; nothing as a rule.
  func strike(_ segment: I2CSegment, at time: UInt64) -> PlannedFault.Kind? {
    guard !isEmpty else { return nil }
    for index in plan.indices where plan[index].strikes(segment, at: time) {
      plan[index].fired += 1
      return plan[index].kind
    }
    return nil
  }
}
