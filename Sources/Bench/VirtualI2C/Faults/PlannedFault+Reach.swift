extension PlannedFault.Kind {
  /// Where a fault acts.
  public enum Reach: Hashable, Sendable, CaseIterable {
    /// On the wire: it can happen on any adapter.
    case wire
    /// Within a target or its supply: only a virtual target has it.
    case target
    /// On the frames of a bridge.
    case bridge
  }

  /// Where it acts.
  public var reach: Reach {
    switch self {
    case .powerLoss, .condition: .target
    case .frameLate, .frameLost, .frameRepeated: .bridge
    default: .wire
    }
  }
}
