/// Byte-by-byte access to an adapter that supports only combined transfers, such as a real bus, a
/// replayed trace or a bridge.
///
/// The wire collects the written bytes and makes the transfer at the start of a read or at the
/// stop. The program therefore receives an acknowledge before the target has responded, and a
/// failure only at the start of a read or at the stop. A read requests the number of bytes in the
/// controller's plan. Without that number it requests `readAhead` bytes, and continues with
/// further transfers when these are used up. A start after a read begins a new transfer.
public final class CollectingWire: I2CWire {
  /// The number of bytes requested by a read of unknown length.
  public static let readAhead = 32

  /// The frequency in Hz set by the controller.
  ///
  /// It determines only when a step ends; the adapter's bus has its own frequency.
  public var frequency = I2CBusFrequency.standard

  private let adapter: any I2CAdapter
  private let clock: any I2CClock
  private var segments: [I2CSegment] = []
  private var writing: [UInt8] = []
  private var received: [UInt8] = []
  private var next = 0
  private var isReading = false
  private var lastError: I2CError?

  /// Creates a wire.
  ///
  /// - Parameters:
  ///   - adapter: the adapter that makes the transfers.
  ///   - clock: the clock of the adapter.
  public init(_ adapter: any I2CAdapter, _ clock: any I2CClock) {
    self.adapter = adapter
    self.clock = clock
  }

  /// Returns the time at which the last of `bits` bits ends if the first one begins at `time`, or
  /// the current time of the adapter's clock if that is later.
  private func end(_ bits: UInt64, from time: UInt64) -> UInt64 {
    max(time + bits * 1_000_000_000 / max(frequency, 1), clock.nanoseconds)
  }

  /// Collects a start; if it begins a read, makes the transfer.
  public func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
  ) -> I2CWireReply {
    if isReading { reset() }
    segments.append(I2CSegment(address: address, direction: direction, count: 0))
    isReading = direction == .read
    guard direction == .read else { return I2CWireReply(end: end(10, from: time)) }
    segments[segments.count - 1].count = plan.count ?? Self.readAhead
    let failure = send()
    return I2CWireReply(failure: failure, end: end(10, from: time))
  }

  /// Collects a byte to write.
  public func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply {
    guard !segments.isEmpty, !isReading else {
      return I2CWireReply(failure: .dataNack, end: end(9, from: time))
    }
    writing.append(byte)
    segments[segments.count - 1].count += 1
    return I2CWireReply(end: end(9, from: time))
  }

  /// Returns a byte of the transfer made at the start of the read.
  public func read(acknowledging: Bool, at time: UInt64) -> I2CWireReply {
    guard let address = segments.last?.address, isReading else {
      return I2CWireReply(failure: .busError, end: end(9, from: time))
    }
    if next == received.count {
      segments = [.read(Self.readAhead, from: address)]
      if let failure = send() { return I2CWireReply(failure: failure, end: end(9, from: time)) }
    }
    defer { next += 1 }
    return I2CWireReply(byte: received[next], end: end(9, from: time))
  }

  /// Makes the transfer for collected bytes that have not been sent yet.
  public func stop(at time: UInt64) -> I2CWireReply {
    let failure = segments.isEmpty || isReading ? nil : send()
    reset()
    return I2CWireReply(failure: failure, end: end(1, from: time))
  }

  /// Returns the adapter's errno if the last failure was of this kind, otherwise EIO.
  public func errno(of kind: I2CError.Kind) -> I2CErrno {
    lastError?.kind == kind ? lastError?.errno ?? .eio : .eio
  }

  private func reset() {
    segments.removeAll(keepingCapacity: true)
    writing.removeAll(keepingCapacity: true)
    received.removeAll(keepingCapacity: true)
    next = 0
    isReading = false
  }

  private func send() -> I2CError.Kind? {
    let count = segments.reduce(0) { $1.direction == .read ? $0 + $1.count : $0 }
    let (segments, writing) = (self.segments, self.writing)
    var bytes = [UInt8](repeating: 0xFF, count: count)
    next = 0
    defer { received = bytes }
    do throws(I2CError) {
      var buffer = bytes.mutableSpan
      try adapter.transfer(segments.span, writing: writing.span, reading: &buffer)
      return nil
    } catch {
      lastError = error
      return error.kind
    }
  }
}

#if !hasFeature(Embedded)
  extension I2CAdapter {
    /// Returns the adapter's own byte-by-byte access to its bus, or a collecting wire if it
    /// provides none.
    public func anyWire(_ clock: any I2CClock) -> any I2CWire {
      (self as? any I2CWireAdapter)?.wire(clock) ?? CollectingWire(self, clock)
    }
  }
#endif
