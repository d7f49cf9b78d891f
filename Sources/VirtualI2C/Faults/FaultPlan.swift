import I2C

/// The failures planned for one bus.
public final class FaultPlan {
  /// The faults, in the order of the plan, with how often each has fired.
  public private(set) var faults: [PlannedFault]

  /// Makes a plan.
  public init(_ faults: [PlannedFault] = []) {
    self.faults = faults
  }

  /// The fault that spoils a message now, counted as fired; nothing as a rule.
  func strike(_ segment: I2CSegment, at time: UInt64) -> PlannedFault.Kind? {
    for index in faults.indices where faults[index].strikes(segment, at: time) {
      faults[index].fired += 1
      return faults[index].kind
    }
    return nil
  }
}
