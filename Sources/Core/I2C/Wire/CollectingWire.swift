/// A wire over an adapter that makes combined transfers only: a real bus, a replayed trace, a bridge.
///
/// It collects what is written and makes the transfer when it must: at the first byte that is read, or at the stop. So
/// the program sees as acknowledged what is not known yet, and a failure at the first read or at the stop. A read asks for as
/// many bytes as the controller plans; one that does not know gets bytes from a read of ``readAhead``, and where it
/// wants more, from a further transfer that goes on reading. A start behind a read begins a transfer of its own.
public final class CollectingWire: I2CWire {
  /// How many bytes are read where nobody knows how many are wanted.
  public static let readAhead = 32

  /// What the controller wants; the bus of the adapter has a frequency of its own.
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
  ///   - adapter: what makes the transfers.
  ///   - clock: its time.
  public init(_ adapter: any I2CAdapter, _ clock: any I2CClock) {
    self.adapter = adapter
    self.clock = clock
  }

  /// The time of some bits, and then as much as the adapter is ahead.
  private func end(_ bits: UInt64, from time: UInt64) -> UInt64 {
    max(time + bits * 1_000_000_000 / max(frequency, 1), clock.nanoseconds)
  }

  /// Collects a start; that of a read makes the transfer.
  public func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
  ) -> I2CWireReply {
    if isReading { forget() }
    segments.append(I2CSegment(address: address, direction: direction, count: 0))
    isReading = direction == .read
    guard direction == .read else { return I2CWireReply(end: end(10, from: time)) }
    segments[segments.count - 1].count = plan.count ?? Self.readAhead
    let failure = send()
    return I2CWireReply(failure: failure, end: end(10, from: time))
  }

  /// Collects a byte.
  public func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply {
    guard !segments.isEmpty, !isReading else {
      return I2CWireReply(failure: .dataNack, end: end(9, from: time))
    }
    writing.append(byte)
    segments[segments.count - 1].count += 1
    return I2CWireReply(end: end(9, from: time))
  }

  /// Gives a byte of what was read.
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

  /// Sends what was collected and not sent.
  public func stop(at time: UInt64) -> I2CWireReply {
    let failure = segments.isEmpty || isReading ? nil : send()
    forget()
    return I2CWireReply(failure: failure, end: end(1, from: time))
  }

  /// The errno that came with the last failure; EIO for another.
  public func errno(of kind: I2CError.Kind) -> I2CErrno {
    lastError?.kind == kind ? lastError?.errno ?? .eio : .eio
  }

  private func forget() {
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
    /// A wire to the bus of any adapter: its own where it has one, else one that collects.
    public func anyWire(_ clock: any I2CClock) -> any I2CWire {
      (self as? any I2CWireAdapter)?.wire(clock) ?? CollectingWire(self, clock)
    }
  }
#endif
