public import I2C

/// An adapter that records each transfer of another adapter, including failed ones.
public final class TracingAdapter: ObservingAdapter {
  private let bus: Int
  private let recorder: TraceRecorder

  /// Creates an adapter that records the transfers of another adapter.
  ///
  /// - Parameters:
  ///   - adapter: the adapter that makes the transfers.
  ///   - bus: the number of the bus, which is the N in /dev/i2c-N.
  ///   - clock: the clock of the bus.
  ///   - recorder: the recorder for the transfers of all buses.
  public init(
    _ adapter: any I2CAdapter, bus: Int, clock: any I2CClock, recorder: TraceRecorder
  ) {
    self.bus = bus
    self.recorder = recorder
    super.init(observing: adapter, clock: clock)
  }

  /// Records a transfer.
  public override func didTransfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: Span<UInt8>, start: UInt64,
    end: UInt64, error: I2CError?
  ) {
    recorder.writer.write(
      time: start, duration: end - start, bus: bus, segments, writing: writing, reading: reading,
      error: error)
    recorder.didTrace()
  }
}

/// The recorder that merges the transfers of all buses of a bench into one trace.
public final class TraceRecorder {
  /// The writer of the trace.
  public internal(set) var writer: TraceWriter
  private let afterEach: (TraceRecorder) -> Void

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - writer: the writer of the trace.
  ///   - afterEach: the closure called after each transfer. Default: does nothing.
  public init(_ writer: TraceWriter, afterEach: @escaping (TraceRecorder) -> Void = { _ in }) {
    self.writer = writer
    self.afterEach = afterEach
  }

  /// Prints the buffered lines.
  public func flush() { writer.flush() }

  func didTrace() { afterEach(self) }
}

/// An adapter that passes each transfer of another adapter to a closure, including failed ones.
///
/// For millions of transfers `TracingAdapter` is faster, because it writes them without creating
/// a value for each.
public final class ObservedAdapter: ObservingAdapter {
  private let bus: Int
  private let isConcerned: (I2CAddress) -> Bool
  private let observe: (TracedTransfer) -> Void

  /// Creates an adapter that observes the transfers of another adapter.
  ///
  /// - Parameters:
  ///   - adapter: the adapter.
  ///   - bus: the number of the bus, which is the N in /dev/i2c-N.
  ///   - clock: the clock of the bus.
  ///   - concerns: returns whether to observe transfers whose first message has this address.
  ///     Default: all transfers are observed.
  ///   - observe: the closure called with each transfer after its end.
  public init(
    _ adapter: any I2CAdapter, bus: Int, clock: any I2CClock,
    where concerns: @escaping (I2CAddress) -> Bool = { _ in true },
    observe: @escaping (TracedTransfer) -> Void
  ) {
    self.bus = bus
    isConcerned = concerns
    self.observe = observe
    super.init(observing: adapter, clock: clock)
  }

  /// Returns whether transfers to this address are observed.
  public override func concerns(_ address: I2CAddress) -> Bool { isConcerned(address) }

  /// Passes a transfer to the closure.
  public override func didTransfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: Span<UInt8>, start: UInt64,
    end: UInt64, error: I2CError?
  ) {
    observe(
      TracedTransfer(
        time: start, duration: end - start, bus: bus, segments, writing: writing,
        reading: reading, error: error))
  }
}
