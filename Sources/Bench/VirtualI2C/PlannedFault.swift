public import I2C

/// A planned fault on a bus, with a count of how often it fired.
public struct PlannedFault: Hashable, Sendable {
  /// The kinds of faults.
  public enum Kind: Hashable, Sendable {
    /// The target NACKs its address.
    case addressNack
    /// The target NACKs the byte with this index in a write.
    case dataNack(byte: Int)
    /// Another controller wins the arbitration.
    case arbitrationLost
    /// A misplaced start or stop condition.
    case busError
    /// SCL is held low for a time in nanoseconds; beyond the stretch limit the adapter times out.
    case clockStretch(UInt64)
    /// SDA is held low: the transfer times out, and nine clocks of the adapter free the bus.
    case dataStuck
    /// SCL is held low for a time in nanoseconds and cannot be freed: every transfer times out.
    case clockStuck(UInt64)
    /// Bits of a read byte are inverted.
    case bitFlip(byte: Int, mask: UInt8)
    /// The target has no power for a time in nanoseconds, then performs a power-on reset.
    case powerLoss(UInt64)
    /// The target releases SDA after this many bytes of a read: the remaining bits read as ones.
    case shortRead(bytes: Int)
    /// Another chip responds instead of the target: it acknowledges everything, and all its registers have one value.
    case otherTarget(reads: UInt8)
    /// An internal fault of the target.
    case condition(TargetCondition)
    /// A bridge acknowledges a request late, by a time in nanoseconds.
    case frameLate(UInt64)
    /// A response of a bridge is lost.
    case frameLost
    /// A request that reached a bridge is sent again and executed twice.
    case frameRepeated
  }

  /// The kind of fault.
  public let kind: Kind
  /// The conditions under which it fires.
  public let trigger: Trigger
  /// The affected target; `nil` for any target on the bus.
  public let address: I2CAddress?
  /// The number of times it fires: transfers, frames, or effects of a condition; `unlimited` for no limit.
  public let count: Int
  /// The duration in nanoseconds, from its start time or from the first message that meets its conditions.
  ///
  /// Default: unlimited.
  public var length: UInt64?
  /// The number of times it has fired.
  public internal(set) var fired = 0
  /// The times at which it first and last fired, in nanoseconds; `nil` before it has fired.
  public internal(set) var span: (first: UInt64, last: UInt64)? {
    get { lastTime.map { (firstTime, $0) } }
    set {
      firstTime = newValue?.first ?? 0
      lastTime = newValue?.last
    }
  }
  private var firstTime: UInt64 = 0
  private var lastTime: UInt64?

  /// Counts that it fired at a time.
  mutating func fire(at time: UInt64, times: Int = 1) {
    guard times > 0 else { return }
    fired += times
    span = (lastTime == nil ? time : firstTime, time)
  }

  /// The count of a fault without a limit.
  public static let unlimited = Int.max

  /// Creates a fault.
  ///
  /// - Parameters:
  ///   - kind: the kind of fault.
  ///   - trigger: the conditions under which it fires.
  ///   - address: the affected target. Default: any target on the bus.
  ///   - count: how many times it fires. Default: 1.
  public init(kind: Kind, trigger: Trigger, address: I2CAddress? = nil, count: Int = 1) {
    self.kind = kind
    self.trigger = trigger
    self.address = address
    self.count = count
  }

  /// Creates a fault that fires from a time in nanoseconds on.
  public init(kind: Kind, start: UInt64, address: I2CAddress? = nil, count: Int = 1) {
    var trigger = Trigger()
    trigger.start = start
    self.init(kind: kind, trigger: trigger, address: address, count: count)
  }

  /// Whether it has fired as often as planned.
  public var isOver: Bool { fired >= count }

  /// Returns whether its duration has passed.
  private func hasEnded(at time: UInt64) -> Bool {
    guard let length else { return false }
    let begin =
      trigger.concernsNoMessage && trigger.transfers == 0 ? trigger.start : span?.first
    return begin.map { time >= $0 &+ length } ?? false
  }

  /// Whether it affects the supply of a target rather than a message.
  var concernsSupply: Bool {
    if case .powerLoss = kind { true } else { false }
  }

  /// The internal fault of the target; `nil` for other kinds.
  var condition: TargetCondition? {
    if case .condition(let condition) = kind { condition } else { nil }
  }

  /// Returns whether a message meets the conditions, apart from the probability.
  ///
  /// - Parameters:
  ///   - segment: the message.
  ///   - register: the register pointer, if known.
  ///   - time: now, in nanoseconds.
  ///   - transfers: the number of earlier transfers on the bus.
  /// - Returns: whether the fault may fire.
  func meets(_ segment: I2CSegment, register: UInt8?, at time: UInt64, after transfers: Int) -> Bool
  {
    guard !isOver, !hasEnded(at: time), time >= trigger.start, transfers >= trigger.transfers,
      address == nil || address == segment.address,
      trigger.concerns(segment, register: register)
    else { return false }
    switch kind {
    case .dataNack(let byte): return segment.direction == .write && byte < segment.count
    case .bitFlip(let byte, _): return segment.direction == .read && byte < segment.count
    case .shortRead(let bytes): return segment.direction == .read && bytes < segment.count
    case .powerLoss, .condition, .frameLate, .frameLost, .frameRepeated: return false
    default: return true
    }
  }
}

extension PlannedFault.Kind {
  /// The parts of the bench on which a fault can act.
  public enum Reach: Hashable, Sendable, CaseIterable {
    /// The wire: possible on any adapter.
    case wire
    /// A target or its supply: possible only with a virtual target.
    case target
    /// The frames of a bridge.
    case bridge
  }

  /// The part of the bench on which the fault acts.
  public var reach: Reach {
    switch self {
    case .powerLoss, .condition: .target
    case .frameLate, .frameLost, .frameRepeated: .bridge
    default: .wire
    }
  }
}

extension PlannedFault {
  /// The conditions under which a fault fires; all of them must hold.
  public struct Trigger: Hashable, Sendable {
    /// The earliest time, in nanoseconds since the start of the run.
    ///
    /// Default: 0.
    public var start: UInt64 = 0
    /// The number of transfers on the bus before it can fire.
    ///
    /// Default: 0.
    public var transfers = 0
    /// The register pointer that a message must have; `nil` for any.
    public var register: UInt8?
    /// The direction that a message must have; `nil` for both.
    public var direction: I2CSegment.Direction?
    /// The probability for each message that meets the other conditions, from 0 to 1.
    ///
    /// Default: 1.
    public var probability = 1.0

    /// Creates a trigger for every message from the start of the run.
    public init() {}

    /// Whether it depends on time and transfer count only.
    var concernsNoMessage: Bool { register == nil && direction == nil && probability >= 1 }

    /// Returns whether a message meets the conditions on register and direction.
    func concerns(_ segment: I2CSegment, register: UInt8?) -> Bool {
      (self.register == nil || self.register == register)
        && (direction == nil || direction == segment.direction)
    }
  }

  /// Returns whether a message may start the condition, apart from the probability.
  ///
  /// - Parameters:
  ///   - segment: the message.
  ///   - register: the register pointer, if known.
  ///   - time: now, in nanoseconds.
  ///   - transfers: the number of earlier transfers on the bus.
  /// - Returns: whether the condition may start.
  func mayBegin(
    with segment: I2CSegment, register: UInt8?, at time: UInt64, after transfers: Int
  ) -> Bool {
    !trigger.concernsNoMessage && time >= trigger.start && transfers >= trigger.transfers
      && (address == nil || address == segment.address)
      && trigger.concerns(segment, register: register)
  }

  /// Returns whether it acts at a byte of a message, counted from 0, instead of at its address.
  func showsAt(byte: Int) -> Bool {
    switch kind {
    case .dataNack(byte), .bitFlip(byte, _), .shortRead(byte): true
    default: false
    }
  }

  /// Whether it depends on the register pointer and does not act at a certain byte.
  var needsRegister: Bool {
    switch kind {
    case .dataNack, .bitFlip, .shortRead: false
    default: trigger.register != nil
    }
  }
}
