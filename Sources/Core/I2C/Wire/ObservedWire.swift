/// A wire that shows each transfer through another when its stop has passed.
public final class ObservedWire: I2CWire {
  private let wire: any I2CWire
  private let didEnd: (_ transfer: WireTransfer, _ end: UInt64, _ error: I2CError?) -> Void
  @exclusivity(unchecked) private var transfer = WireTransfer()

  /// Creates an observation of a wire.
  ///
  /// - Parameters:
  ///   - wire: the wire.
  ///   - didEnd: takes each transfer, when its stop had passed, in nanoseconds, and what went wrong first.
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

  /// Sends a stop on the other wire and shows the transfer.
  public func stop(at time: UInt64) -> I2CWireReply {
    let reply = wire.stop(at: time)
    guard transfer.isOpen else { return reply }
    transfer.fail(reply.failure)
    didEnd(transfer, reply.end, transfer.error { wire.errno(of: $0) })
    transfer.removeAll()
    return reply
  }
}
