/// An I2C bus seen from a controller that works byte by byte: starts, bytes with their acknowledge bits, a stop.
///
/// Such a controller does not know beforehand what its program will do next. What it does lasts as long as its bits,
/// and is told at once with the time at which the last of them has passed; until then the controller is busy. The
/// same bytes are the same transfer as ``I2CAdapter/transfer(_:writing:reading:)`` makes, in time, faults and traces:
///
///     S  76 W A  F7 A  Sr  76 R A  [msb] A [lsb] N  P
///     |start--|write|  |start---|  |read--|read--| |stop
///
/// Times are nanoseconds of the bench's clock. A wire that is asked for something before it is free does it when it is.
public protocol I2CWire: AnyObject {
  /// The bits a second at which the controller clocks; a bus with a frequency of its own keeps that.
  var frequency: UInt64 { get set }

  /// Sends a start, or a repeated one, and an address.
  ///
  /// - Parameters:
  ///   - address: whom it is for.
  ///   - direction: which way the bytes behind it go.
  ///   - plan: what the controller knows of the message; it need not know anything.
  ///   - time: not before then.
  /// - Returns: whether the address was acknowledged, and when.
  func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
  ) -> I2CWireReply

  /// Sends a byte.
  func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply

  /// Receives a byte, and acknowledges it or not: behind one that is not acknowledged nothing more can be read.
  func read(acknowledging: Bool, at time: UInt64) -> I2CWireReply

  /// Sends a stop, which ends the transfer; where none is open, nothing happens.
  ///
  /// - Returns: when the bus is free, and what went wrong, where a wire that collects learns it only now.
  func stop(at time: UInt64) -> I2CWireReply

  /// The errno that the adapter gives for a failure, for traces.
  func errno(of kind: I2CError.Kind) -> I2CErrno
}

/// What a controller knows of a message when it begins; wires that cannot work byte by byte are glad of it.
public struct I2CWirePlan: Sendable {
  /// How many bytes the message has.
  public var count: Int?
  /// The first byte that will be written.
  public var first: UInt8?

  /// Creates a plan; nothing is known unless said.
  @inlinable
  public init(count: Int? = nil, first: UInt8? = nil) {
    self.count = count
    self.first = first
  }
}

/// What came of one step on a wire.
public struct I2CWireReply: Hashable, Sendable {
  /// What went wrong; `nil` where the step was acknowledged, or a byte read.
  public var failure: I2CError.Kind?
  /// The byte that was read.
  public var byte: UInt8
  /// When its last bit has passed, in nanoseconds.
  public var end: UInt64

  /// Creates a reply.
  @inlinable
  public init(failure: I2CError.Kind? = nil, byte: UInt8 = 0xFF, end: UInt64) {
    self.failure = failure
    self.byte = byte
    self.end = end
  }
}

/// An adapter whose bus can be used byte by byte.
public protocol I2CWireAdapter: I2CAdapter {
  /// A wire to its bus, for one controller.
  ///
  /// - Parameter clock: the time of the bus.
  /// - Returns: the wire.
  func wire(_ clock: any I2CClock) -> any I2CWire
}
