/// Byte-by-byte access to an I2C bus, for controllers that work with starts, bytes with their acknowledge bits, and
/// stops.
///
/// Such a controller cannot predict the next step of its program. Each call returns at once, with
/// the time at which the last bit of the step ends. The controller is busy until that time. The
/// timing, the faults and the traces are the same as when the bytes are sent with
/// `I2CAdapter/transfer(_:writing:reading:)`:
///
///     S  76 W A  F7 A  Sr  76 R A  [msb] A [lsb] N  P
///     |start--|write|  |start---|  |read--|read--| |stop
///
/// Times are nanoseconds of the bench's clock. A call made while the bus is busy takes effect when
/// the bus becomes free.
public protocol I2CWire: AnyObject {
  /// The SCL frequency of the controller in Hz; a bus with a fixed frequency ignores it.
  var frequency: UInt64 { get set }

  /// Sends a start or repeated start and an address.
  ///
  /// - Parameters:
  ///   - address: the address of the target.
  ///   - direction: the direction of the bytes that follow.
  ///   - plan: the properties of the message that are known in advance, if any.
  ///   - time: the earliest time of the start.
  /// - Returns: `true` if the address was acknowledged, and the end of its acknowledge bit.
  func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
  ) -> I2CWireReply

  /// Sends a byte.
  func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply

  /// Receives a byte and acknowledges it or not. After a byte that was not acknowledged, no further
  /// byte can be read.
  func read(acknowledging: Bool, at time: UInt64) -> I2CWireReply

  /// Sends a stop, which ends the transfer. The call has no effect if no transfer is open.
  ///
  /// - Returns: the time at which the bus is free, and the failure of a transfer that a
  ///   `CollectingWire` makes only now.
  func stop(at time: UInt64) -> I2CWireReply

  /// Returns the errno that the adapter returns for a kind of failure; it is written to traces.
  func errno(of kind: I2CError.Kind) -> I2CErrno
}

/// The properties of a message known at its start, used by wires that cannot work byte by byte.
public struct I2CWirePlan: Sendable {
  /// The number of bytes; `nil` if unknown.
  public var count: Int?
  /// The first byte to be written; `nil` if unknown.
  public var first: UInt8?

  /// Creates the properties.
  ///
  /// Default: unknown.
  @inlinable
  public init(count: Int? = nil, first: UInt8? = nil) {
    self.count = count
    self.first = first
  }
}

/// The result of one step on a wire.
public struct I2CWireReply: Hashable, Sendable {
  /// The failure; `nil` if the step was acknowledged or a byte was read.
  public var failure: I2CError.Kind?
  /// The byte read; 0xFF if the step did not read one.
  public var byte: UInt8
  /// The time at which the last bit of the step ends, in nanoseconds.
  public var end: UInt64

  /// Creates a reply.
  @inlinable
  public init(failure: I2CError.Kind? = nil, byte: UInt8 = 0xFF, end: UInt64) {
    self.failure = failure
    self.byte = byte
    self.end = end
  }
}

/// An adapter with byte-by-byte access to its bus.
public protocol I2CWireAdapter: I2CAdapter {
  /// Returns byte-by-byte access to the bus, for one controller.
  ///
  /// - Parameter clock: the clock of the bus.
  /// - Returns: the wire.
  func wire(_ clock: any I2CClock) -> any I2CWire
}

/// The record of a transfer that is made byte by byte.
public struct WireTransfer: Sendable {
  /// The time of the first start, in nanoseconds.
  public private(set) var start: UInt64 = 0
  /// The messages, each with the number of bytes transferred so far.
  public private(set) var segments: [I2CSegment] = []
  /// The bytes written, end to end; a byte that was not acknowledged is the last one.
  public private(set) var writing: [UInt8] = []
  /// The bytes read, end to end.
  public private(set) var reading: [UInt8] = []
  /// The first failure; `nil` without a failure.
  public private(set) var failure: I2CError.Kind?
  /// The message index and byte index of the first failure.
  public private(set) var failureIndex = (message: 0, byte: 0)

  /// The message index and byte index of the first failure.
  @available(*, deprecated, renamed: "failureIndex")
  public var place: (message: Int, byte: Int) { failureIndex }

  /// Creates an empty transfer.
  public init() {}

  /// `true` if the transfer has begun.
  public var isOpen: Bool { !segments.isEmpty }

  /// Records a start.
  public mutating func begin(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, at time: UInt64
  ) {
    if segments.isEmpty { start = time }
    segments.append(I2CSegment(address: address, direction: direction, count: 0))
  }

  /// Records a byte that was sent, whether or not it was acknowledged.
  public mutating func write(_ byte: UInt8) {
    writing.append(byte)
    if !segments.isEmpty { segments[segments.count - 1].count += 1 }
  }

  /// Records a byte that was received.
  public mutating func read(_ byte: UInt8) {
    reading.append(byte)
    if !segments.isEmpty { segments[segments.count - 1].count += 1 }
  }

  /// Records the failure of the last step; only the first failure is kept.
  public mutating func fail(_ kind: I2CError.Kind?) {
    guard let kind, failure == nil else { return }
    failure = kind
    let last = segments.last?.count ?? 0
    failureIndex = (max(segments.count - 1, 0), max(last - 1, 0))
  }

  /// Removes all content but keeps the allocated memory.
  public mutating func removeAll() {
    segments.removeAll(keepingCapacity: true)
    writing.removeAll(keepingCapacity: true)
    reading.removeAll(keepingCapacity: true)
    failure = nil
    failureIndex = (0, 0)
  }

  /// Returns the first failure as an error of a combined transfer; `nil` without a failure.
  public func error(errno: (I2CError.Kind) -> I2CErrno) -> I2CError? {
    failure.map {
      I2CError($0, message: failureIndex.message, byte: failureIndex.byte, errno: errno($0))
    }
  }
}

/// A wire that forwards all calls to another wire, and passes each transfer to a closure after its
/// stop.
public final class ObservedWire: I2CWire {
  private let wire: any I2CWire
  private let didEnd: (_ transfer: WireTransfer, _ end: UInt64, _ error: I2CError?) -> Void
  @exclusivity(unchecked) private var transfer = WireTransfer()

  /// Creates an observed wire.
  ///
  /// - Parameters:
  ///   - wire: the wire to which all calls are forwarded.
  ///   - didEnd: the closure called with each transfer, the time at which its stop ended in
  ///     nanoseconds, and its first failure.
  public init(
    _ wire: any I2CWire,
    didEnd:
      @escaping (_ transfer: WireTransfer, _ end: UInt64, _ error: I2CError?) -> Void
  ) {
    self.wire = wire
    self.didEnd = didEnd
  }

  /// The frequency of the other wire.
  public var frequency: UInt64 {
    get { wire.frequency }
    set { wire.frequency = newValue }
  }

  /// Sends a start and an address on the other wire.
  public func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
  ) -> I2CWireReply {
    let reply = wire.start(address, direction, plan: plan, at: time)
    transfer.begin(address, direction, at: time)
    transfer.fail(reply.failure)
    return reply
  }

  /// Sends a byte on the other wire.
  public func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply {
    let reply = wire.write(byte, at: time)
    transfer.write(byte)
    transfer.fail(reply.failure)
    return reply
  }

  /// Receives a byte from the other wire.
  public func read(acknowledging: Bool, at time: UInt64) -> I2CWireReply {
    let reply = wire.read(acknowledging: acknowledging, at: time)
    transfer.read(reply.byte)
    transfer.fail(reply.failure)
    return reply
  }

  /// The errno of the other wire.
  public func errno(of kind: I2CError.Kind) -> I2CErrno { wire.errno(of: kind) }

  /// Sends a stop on the other wire and passes the transfer to the closure.
  public func stop(at time: UInt64) -> I2CWireReply {
    let reply = wire.stop(at: time)
    guard transfer.isOpen else { return reply }
    transfer.fail(reply.failure)
    didEnd(transfer, reply.end, transfer.error { wire.errno(of: $0) })
    transfer.removeAll()
    return reply
  }
}
