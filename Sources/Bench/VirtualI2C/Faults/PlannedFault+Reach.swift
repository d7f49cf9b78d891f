import I2C

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

  /// The failure of a message that it refuses at once.
  var refusal: I2CError.Kind? {
    switch self {
    case .addressNack: .addressNack
    case .arbitrationLost: .arbitrationLost
    case .busError: .busError
    default: nil
    }
  }

  /// Whether nothing behind its message is sent, on an adapter that bears stretching up to a limit in nanoseconds.
  func endsTransfer(within limit: UInt64) -> Bool {
    switch self {
    case .clockStretch(let length): length > limit
    case .dataNack, .dataStuck, .clockStuck: true
    default: refusal != nil
    }
  }
}
