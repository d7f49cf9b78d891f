public import I2C

/// A planned fault on a bus, with the number of times it has fired.
public struct PlannedFault: Hashable, Sendable {
  /// The kinds of faults.
  public enum Kind: Hashable, Sendable {
    /// The target NACKs its address.
    case addressNack
    /// The target NACKs the byte with this index in a write message.
    case dataNack(byte: Int)
    /// Another controller wins the arbitration.
    case arbitrationLost
    /// A start or stop condition is misplaced.
    case busError
    /// SCL is held low for a time in nanoseconds. The adapter times out if this exceeds the stretch
    /// limit.
    case clockStretch(UInt64)
    /// SDA is held low. The transfer times out, and the adapter frees the bus with nine clocks.
    case dataStuck
    /// SCL is held low for a time in nanoseconds and cannot be freed, so every transfer in this
    /// time times out.
    case clockStuck(UInt64)
    /// Bits of a read byte are inverted.
    case bitFlip(byte: Int, mask: UInt8)
    /// Bits of a read byte are 1 (`areSet`) or 0, whatever the target sends.
    case stuckBits(byte: Int, mask: UInt8, areSet: Bool)
    /// The target has no power for a time in nanoseconds, then performs a power-on reset.
    case powerLoss(UInt64)
    /// The target releases SDA after this many bytes of a read, so all further bits are read as
    /// ones.
    case shortRead(bytes: Int)
    /// Another chip responds instead of the target. It acknowledges everything, and all its
    /// registers contain this value.
    case otherTarget(reads: UInt8)
    /// An internal fault of the target.
    case condition(TargetCondition)
    /// A bridge, which is a board that makes transfers for a remote client, acknowledges a request
    /// late, by this time in nanoseconds.
    case frameLate(UInt64)
    /// A response from a bridge to its client is lost.
    case frameLost
    /// A request that reached the bridge is sent again and executed twice.
    case frameRepeated
    /// The adapter is unplugged for a time in nanoseconds; with `cutsSupply`, so are the targets, which then perform a
    /// power-on reset.
    case unplugged(UInt64, cutsSupply: Bool)
  }

  /// The kind of fault.
  public let kind: Kind
  /// The conditions under which the fault fires.
  public let trigger: Trigger
  /// The affected target; `nil` for any target on the bus.
  public let address: I2CAddress?
  /// The number of times the fault fires, counted in transfers, frames or effects of a condition;
  /// `unlimited` for no limit.
  public let count: Int
  /// The time in nanoseconds for which the fault can fire, measured from its start time or from the
  /// first message that meets its conditions.
  ///
  /// Default: unlimited.
  public var length: UInt64?
  /// The firings of the fault so far.
  public package(set) var evidence = Evidence()
  /// The number of times the fault has fired.
  public var fired: Int { evidence.count }
  /// The times at which the fault first and last fired, in nanoseconds; `nil` if it has not fired
  /// yet.
  public var span: (first: UInt64, last: UInt64)? {
    evidence.first.flatMap { first in evidence.last.map { (first.time, $0.time) } }
  }

  /// Records that the fault fired.
  mutating func fire(_ firing: Evidence.Firing, times: Int = 1) {
    guard times > 0 else { return }
    evidence.count += times
    if evidence.first == nil { evidence.first = firing }
    evidence.last = firing
  }

  /// The firings of a fault: how often, when and where.
  public struct Evidence: Hashable, Sendable {
    /// One firing.
    public struct Firing: Hashable, Sendable {
      /// The time in nanoseconds.
      public let time: UInt64
      /// The number of the affected transfer on the bus, from 1.
      public let transfer: Int
      /// The address of the affected target; `nil` if the fault affects all targets, or a frame of a bridge.
      public let address: I2CAddress?

      /// Creates the record of a firing.
      public init(time: UInt64, transfer: Int, address: I2CAddress?) {
        self.time = time
        self.transfer = transfer
        self.address = address
      }
    }

    /// The number of firings, counted in transfers, frames or effects of a condition.
    public package(set) var count = 0
    /// The first and the last firing; `nil` if there is none.
    public internal(set) var first: Firing?, last: Firing?

    /// Creates evidence.
    ///
    /// Default: the fault has not fired.
    public init(count: Int = 0, first: Firing? = nil, last: Firing? = nil) {
      (self.count, self.first, self.last) = (count, first, last)
    }
  }

  /// The value of `count` for a fault that may fire any number of times.
  public static let unlimited = Int.max

  /// Creates a fault.
  ///
  /// - Parameters:
  ///   - kind: the kind of fault.
  ///   - trigger: the conditions under which the fault fires.
  ///   - address: the affected target. Default: any target on the bus.
  ///   - count: the number of times the fault fires. Default: 1.
  public init(kind: Kind, trigger: Trigger, address: I2CAddress? = nil, count: Int = 1) {
    self.kind = kind
    self.trigger = trigger
    self.address = address
    self.count = count
  }

  /// Creates a fault that can fire from a time in nanoseconds on.
  public init(kind: Kind, start: UInt64, address: I2CAddress? = nil, count: Int = 1) {
    var trigger = Trigger()
    trigger.start = start
    self.init(kind: kind, trigger: trigger, address: address, count: count)
  }

  /// Whether the fault has fired as often as planned.
  public var isOver: Bool { fired >= count }

  /// Returns whether the duration of the fault has passed.
  private func hasEnded(at time: UInt64) -> Bool {
    guard let length else { return false }
    let begin =
      trigger.concernsNoMessage && trigger.transfers == 0 ? trigger.start : span?.first
    return begin.map { time >= $0 &+ length } ?? false
  }

  /// The time in nanoseconds for which the fault cuts the supply of targets; `nil` if it does not affect the supply.
  var supplyLoss: UInt64? {
    switch kind {
    case .powerLoss(let length), .unplugged(let length, cutsSupply: true): length
    default: nil
    }
  }

  /// The times in nanoseconds in which the fault keeps the adapter unplugged; `nil` for other kinds of faults.
  var absence: Range<UInt64>? {
    guard case .unplugged(let length, _) = kind else { return nil }
    let (end, isEndless) = trigger.start.addingReportingOverflow(length)
    return trigger.start..<(isEndless ? .max : end)
  }

  /// The internal fault condition that the fault causes in the target; `nil` for other kinds of
  /// faults.
  var condition: TargetCondition? {
    if case .condition(let condition) = kind { condition } else { nil }
  }

  /// Returns whether a message meets all conditions other than the probability.
  ///
  /// - Parameters:
  ///   - segment: the message.
  ///   - register: the register pointer, if known.
  ///   - time: now, in nanoseconds.
  ///   - transfers: the number of earlier transfers on the bus.
  /// - Returns: `true` if the fault may fire.
  func meets(_ segment: I2CSegment, register: UInt8?, at time: UInt64, after transfers: Int) -> Bool
  {
    guard !isOver, !hasEnded(at: time), time >= trigger.start, transfers >= trigger.transfers,
      address == nil || address == segment.address,
      trigger.concerns(segment, register: register)
    else { return false }
    switch kind {
    case .dataNack(let byte): return segment.direction == .write && byte < segment.count
    case .bitFlip(let byte, _), .stuckBits(let byte, _, _):
      return segment.direction == .read && byte < segment.count
    case .shortRead(let bytes): return segment.direction == .read && bytes < segment.count
    case .powerLoss, .condition, .frameLate, .frameLost, .frameRepeated, .unplugged: return false
    default: return true
    }
  }
}

extension PlannedFault.Kind {
  /// The parts of the bench on which a fault can act.
  public enum Reach: Hashable, Sendable, CaseIterable {
    /// The wire; such a fault is possible on any adapter.
    case wire
    /// A target or its supply; such a fault is possible only with a virtual target.
    case target
    /// The frames between a bridge, such as a board connected over Bluetooth, and its client.
    case bridge
    /// The connection of an adapter to its computer.
    case adapter
  }

  /// The part of the bench on which the fault acts.
  public var reach: Reach {
    switch self {
    case .powerLoss, .condition: .target
    case .frameLate, .frameLost, .frameRepeated: .bridge
    case .unplugged: .adapter
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
    /// The number of transfers on the bus before the fault can fire.
    ///
    /// Default: 0.
    public var transfers = 0
    /// The register pointer with which a message must begin; `nil` for any register.
    public var register: UInt8?
    /// The direction that a message must have; `nil` for both directions.
    public var direction: I2CSegment.Direction?
    /// The probability, from 0 to 1, that the fault fires at a message that meets the other
    /// conditions.
    ///
    /// Default: 1.
    public var probability = 1.0

    /// Creates a trigger for every message from the start of the run.
    public init() {}

    /// Whether the trigger depends only on the time and the number of transfers.
    var concernsNoMessage: Bool { register == nil && direction == nil && probability >= 1 }

    /// Returns whether a message meets the conditions on register and direction.
    func concerns(_ segment: I2CSegment, register: UInt8?) -> Bool {
      (self.register == nil || self.register == register)
        && (direction == nil || direction == segment.direction)
    }
  }

  /// Returns whether a message may start the fault's internal condition in the target; the
  /// probability is not considered.
  ///
  /// - Parameters:
  ///   - segment: the message.
  ///   - register: the register pointer, if known.
  ///   - time: now, in nanoseconds.
  ///   - transfers: the number of earlier transfers on the bus.
  /// - Returns: `true` if the condition may start.
  func mayBegin(
    with segment: I2CSegment, register: UInt8?, at time: UInt64, after transfers: Int
  ) -> Bool {
    !trigger.concernsNoMessage && time >= trigger.start && transfers >= trigger.transfers
      && (address == nil || address == segment.address)
      && trigger.concerns(segment, register: register)
  }

  /// Returns whether the fault acts at the byte with this index in a message, and not at the
  /// address.
  func showsAt(byte: Int) -> Bool {
    switch kind {
    case .dataNack(byte), .bitFlip(byte, _), .stuckBits(byte, _, _), .shortRead(byte): true
    default: false
    }
  }

  /// `true` if the fault changes bytes of a read, which is possible only if the target acknowledges the read.
  var changesData: Bool {
    switch kind {
    case .bitFlip, .stuckBits, .shortRead: true
    default: false
    }
  }

  /// Whether the fault depends on the register pointer and does not act at a fixed byte.
  var needsRegister: Bool {
    switch kind {
    case .dataNack, .bitFlip, .stuckBits, .shortRead: false
    default: trigger.register != nil
    }
  }
}
