public import I2C

/// A failure on a bus that a rig asks for, and the proof that it happened.
public struct PlannedFault: Hashable, Sendable {
  /// What goes wrong.
  public enum Kind: Hashable, Sendable {
    /// The target does not acknowledge its address.
    case addressNack
    /// The target does not acknowledge the byte of this index in a write.
    case dataNack(byte: Int)
    /// Another controller wins the bus.
    case arbitrationLost
    /// A misplaced start or stop.
    case busError
  }

  /// What goes wrong.
  public let kind: Kind
  /// From when on, in nanoseconds since the start of the run.
  public let start: UInt64
  /// To whom; any target of the bus when nothing.
  public let address: I2CAddress?
  /// How many transfers it spoils.
  public let count: Int
  /// How many transfers it has spoilt so far.
  public internal(set) var fired = 0

  /// Makes a fault.
  public init(kind: Kind, start: UInt64, address: I2CAddress? = nil, count: Int = 1) {
    self.kind = kind
    self.start = start
    self.address = address
    self.count = count
  }

  /// Whether it has spoilt as many transfers as it should.
  public var isOver: Bool { fired >= count }

  /// Whether it spoils a message.
  func strikes(_ segment: I2CSegment, at time: UInt64) -> Bool {
    guard !isOver, time >= start, address == nil || address == segment.address else { return false }
    if case .dataNack(let byte) = kind {
      return segment.direction == .write && byte < segment.count
    }
    return true
  }
}
