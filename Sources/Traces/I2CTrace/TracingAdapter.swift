public import I2C

/// An adapter that records each transfer of another adapter, including failed ones.
public final class TracingAdapter: I2CAdapter {
  private let adapter: any I2CAdapter
  private let bus: Int
  private let clock: any I2CClock
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
    self.adapter = adapter
    self.bus = bus
    self.clock = clock
    self.recorder = recorder
  }

  /// The functionality of the adapter.
  public var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the adapter.
  public var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer and records it.
  ///
  /// - Throws: the error of the adapter.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    let start = clock.nanoseconds
    do throws(I2CError) {
      try adapter.transfer(segments, writing: writing, reading: &reading)
    } catch {
      recorder.writer.write(
        time: start, duration: clock.nanoseconds - start, bus: bus, segments, writing: writing,
        reading: Span(), error: error)
      recorder.didTrace()
      throw error
    }
    recorder.writer.write(
      time: start, duration: clock.nanoseconds - start, bus: bus, segments, writing: writing,
      reading: reading.span, error: nil)
    recorder.didTrace()
  }
}

extension TracingAdapter: I2CWireAdapter {
  /// Returns a byte-by-byte view of the bus, whose transfers are also recorded.
  public func wire(_ clock: any I2CClock) -> any I2CWire {
    ObservedWire(adapter.anyWire(clock)) { [recorder, bus] transfer, end, error in
      recorder.writer.write(
        time: transfer.start, duration: end - transfer.start, bus: bus, transfer.segments.span,
        writing: transfer.writing.span,
        reading: error == nil ? transfer.reading.span : Span(), error: error)
      recorder.didTrace()
    }
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
public final class ObservedAdapter: I2CAdapter {
  private let adapter: any I2CAdapter
  private let bus: Int
  private let clock: any I2CClock
  private let concerns: (I2CAddress) -> Bool
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
    self.adapter = adapter
    self.bus = bus
    self.clock = clock
    self.concerns = concerns
    self.observe = observe
  }

  /// The functionality of the adapter.
  public var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the adapter.
  public var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer and passes it to the closure.
  ///
  /// - Throws: the error of the adapter.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    guard segments.count > 0, concerns(segments[0].address) else {
      return try adapter.transfer(segments, writing: writing, reading: &reading)
    }
    let start = clock.nanoseconds
    do throws(I2CError) {
      try adapter.transfer(segments, writing: writing, reading: &reading)
    } catch {
      observe(
        TracedTransfer(
          time: start, duration: clock.nanoseconds - start, bus: bus, segments, writing: writing,
          reading: Span(), error: error))
      throw error
    }
    observe(
      TracedTransfer(
        time: start, duration: clock.nanoseconds - start, bus: bus, segments, writing: writing,
        reading: reading.span))
  }
}

extension ObservedAdapter: I2CWireAdapter {
  /// Returns a byte-by-byte view of the bus, whose transfers are also observed.
  public func wire(_ clock: any I2CClock) -> any I2CWire {
    ObservedWire(adapter.anyWire(clock)) { [bus, concerns, observe] transfer, end, error in
      guard concerns(transfer.segments[0].address) else { return }
      observe(
        TracedTransfer(
          time: transfer.start, duration: end - transfer.start, bus: bus, transfer.segments.span,
          writing: transfer.writing.span,
          reading: error == nil ? transfer.reading.span : Span(), error: error))
    }
  }
}
