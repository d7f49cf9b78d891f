public import VirtualI2C

/// A planned failure of a rig.
public struct Fault: Hashable, Sendable {
  /// The name of its kind, as the rig spells it.
  public let name: String
  /// The number of the bus on which it happens.
  public let bus: Int
  /// What happens and when.
  public let plan: PlannedFault
}
