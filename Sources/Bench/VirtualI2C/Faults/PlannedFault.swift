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
    /// SCL is held low for a time in nanoseconds; beyond its limit the adapter gives up.
    case clockStretch(UInt64)
    /// SDA is held low: the transfer times out, and the adapter's nine clocks free the bus.
    case dataStuck
    /// SCL is held low for a time in nanoseconds, which no clock can end: every transfer times out.
    case clockStuck(UInt64)
    /// Some bits of a byte that is read are inverted.
    case bitFlip(byte: Int, mask: UInt8)
    /// The target has no supply for a time in nanoseconds, and starts anew.
    case powerLoss(UInt64)
    /// The target lets go of SDA after some bytes of a read: the rest reads as ones.
    case shortRead(bytes: Int)
    /// Another chip answers in place of the target: it takes everything, and all its registers read alike.
    case otherTarget(reads: UInt8)
    /// Something is wrong within the target.
    case condition(TargetCondition)
    /// A bridge acknowledges a request late, by a time in nanoseconds.
    case frameLate(UInt64)
    /// An answer of a bridge is lost.
    case frameLost
    /// A request to a bridge is sent again although it had arrived: it is done twice.
    case frameRepeated
  }

  /// What goes wrong.
  public let kind: Kind
  /// When it happens.
  public let trigger: Trigger
  /// To whom; any target of the bus when `nil`.
  public let address: I2CAddress?
  /// How many times it happens: transfers, frames, or effects of a condition; `unlimited` for ever.
  public let count: Int
  /// How long it happens, in nanoseconds, from its start on or from the first message that meets its conditions.
  ///
  /// Default: without end.
  public var length: UInt64?
  /// How many times it has happened so far.
  public internal(set) var fired = 0
  /// When it happened first and last, in nanoseconds; `nil` before it has.
  public internal(set) var span: (first: UInt64, last: UInt64)? {
    get { lastTime.map { (firstTime, $0) } }
    set {
      firstTime = newValue?.first ?? 0
      lastTime = newValue?.last
    }
  }
  private var firstTime: UInt64 = 0
  private var lastTime: UInt64?

  /// Counts that it happened at a time.
  mutating func fire(at time: UInt64, times: Int = 1) {
    guard times > 0 else { return }
    fired += times
    span = (lastTime == nil ? time : firstTime, time)
  }

  /// The count of a fault that never ends.
  public static let unlimited = Int.max

  /// Creates a fault.
  ///
  /// - Parameters:
  ///   - kind: what goes wrong.
  ///   - trigger: when it happens.
  ///   - address: to whom.
  ///   - count: how many times it happens.
  public init(kind: Kind, trigger: Trigger, address: I2CAddress? = nil, count: Int = 1) {
    self.kind = kind
    self.trigger = trigger
    self.address = address
    self.count = count
  }

  /// Creates a fault that begins at a time.
  public init(kind: Kind, start: UInt64, address: I2CAddress? = nil, count: Int = 1) {
    var trigger = Trigger()
    trigger.start = start
    self.init(kind: kind, trigger: trigger, address: address, count: count)
  }

  /// Whether it has happened as often as it should.
  public var isOver: Bool { fired >= count }

  /// Whether the time for which it happens has passed.
  private func hasEnded(at time: UInt64) -> Bool {
    guard let length else { return false }
    let begin =
      trigger.concernsNoMessage && trigger.transfers == 0 ? trigger.start : span?.first
    return begin.map { time >= $0 &+ length } ?? false
  }

  /// Whether it concerns the supply of a target, and no message.
  var concernsSupply: Bool {
    if case .powerLoss = kind { true } else { false }
  }

  /// What is wrong within the target, if that is what it is about.
  var condition: TargetCondition? {
    if case .condition(let condition) = kind { condition } else { nil }
  }

  /// Whether a message meets its conditions, chance aside.
  ///
  /// - Parameters:
  ///   - segment: the message.
  ///   - register: the register that it concerns, as far as that is known.
  ///   - time: now, in nanoseconds.
  ///   - transfers: how many transfers the bus has seen before.
  /// - Returns: whether it may happen.
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
