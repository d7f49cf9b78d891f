public import I2C

/// An adapter that records each transfer through another, the failed ones too.
public final class TracingAdapter: I2CAdapter {
  private let adapter: any I2CAdapter
  private let bus: Int
  private let clock: any I2CClock
  private let recorder: TraceRecorder

  /// Creates a recording of an adapter.
  ///
  /// - Parameters:
  ///   - adapter: the adapter.
  ///   - bus: N of its bus.
  ///   - clock: the time of the bus.
  ///   - recorder: what takes the transfers of all buses.
  public init(
    _ adapter: any I2CAdapter, bus: Int, clock: any I2CClock, recorder: TraceRecorder
  ) {
    self.adapter = adapter
    self.bus = bus
    self.clock = clock
    self.recorder = recorder
  }

  /// What the adapter can do.
  public var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the adapter.
  public var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer and records it.
  ///
  /// - Throws: what the adapter throws.
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
  /// A wire to the bus of the other adapter, whose transfers are recorded alike.
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

/// The one place where the transfers of all buses of a bench become a trace.
public final class TraceRecorder {
  /// The writer.
  public internal(set) var writer: TraceWriter
  private let afterEach: (TraceRecorder) -> Void

  /// Creates a recorder.
  ///
  /// - Parameters:
  ///   - writer: the writer.
  ///   - afterEach: what is done after each transfer.
  public init(_ writer: TraceWriter, afterEach: @escaping (TraceRecorder) -> Void = { _ in }) {
    self.writer = writer
    self.afterEach = afterEach
  }

  /// Prints what has gathered.
  public func flush() { writer.flush() }

  func didTrace() { afterEach(self) }
}
