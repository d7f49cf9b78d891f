public import I2C

extension PlannedFault {
  /// When it happens: all conditions together.
  public struct Trigger: Hashable, Sendable {
    /// From when on, in nanoseconds since the start of the run.
    public var start: UInt64 = 0
    /// How many transfers of the bus pass before.
    public var transfers = 0
    /// Only messages that concern this register; any where `nil`.
    public var register: UInt8?
    /// Only messages of this direction; both where `nil`.
    public var direction: I2CSegment.Direction?
    /// How likely each message that meets the conditions is hit, from 0 to 1.
    public var probability = 1.0

    /// Creates a trigger: at once, for everything.
    public init() {}

    /// Whether time and transfers alone decide.
    var concernsNoMessage: Bool { register == nil && direction == nil && probability >= 1 }

    /// Whether a message is one of those that it is about.
    func concerns(_ segment: I2CSegment, register: UInt8?) -> Bool {
      (self.register == nil || self.register == register)
        && (direction == nil || direction == segment.direction)
    }
  }

  /// Whether a message may begin its condition, chance aside.
  ///
  /// - Parameters:
  ///   - segment: the message.
  ///   - register: the register that it concerns, as far as that is known.
  ///   - time: now, in nanoseconds.
  ///   - transfers: how many transfers the bus has seen before.
  /// - Returns: whether it may.
  func mayBegin(
    with segment: I2CSegment, register: UInt8?, at time: UInt64, after transfers: Int
  ) -> Bool {
    !trigger.concernsNoMessage && time >= trigger.start && transfers >= trigger.transfers
      && (address == nil || address == segment.address)
      && trigger.concerns(segment, register: register)
  }

  /// Whether it shows at a byte of a message, from 0, and not at its address.
  func showsAt(byte: Int) -> Bool {
    switch kind {
    case .dataNack(byte), .bitFlip(byte, _), .shortRead(byte): true
    default: false
    }
  }

  /// Whether it needs to know the register of a message, and does not show at a byte.
  var waitsForRegister: Bool {
    switch kind {
    case .dataNack, .bitFlip, .shortRead: false
    default: trigger.register != nil
    }
  }
}
