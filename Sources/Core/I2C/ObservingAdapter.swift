/// An adapter that makes the transfers of another adapter and observes them, both whole and byte by byte.
///
/// A subclass overrides ``didTransfer(_:writing:reading:start:end:error:)``; metering, tracing and logging are such
/// subclasses. The class itself only forwards.
open class ObservingAdapter: I2CAdapter {
  /// The adapter that makes the transfers.
  public final let adapter: any I2CAdapter
  private final let clock: (any I2CClock)?

  /// Creates an adapter.
  ///
  /// - Parameters:
  ///   - adapter: the adapter that makes the transfers.
  ///   - clock: the clock of the bus. Default: `nil`, for observers that need no times: those of whole transfers are 0.
  public init(observing adapter: any I2CAdapter, clock: (any I2CClock)? = nil) {
    self.adapter = adapter
    self.clock = clock
  }

  /// Called after each transfer, including failed ones.
  ///
  /// - Parameters:
  ///   - segments: the messages; in a transfer byte by byte, with the number of bytes transferred.
  ///   - writing: the written bytes, end to end.
  ///   - reading: the read bytes, end to end; empty for a failed transfer.
  ///   - start: the start of the transfer in nanoseconds.
  ///   - end: the end of the transfer in nanoseconds.
  ///   - error: the failure; `nil` if the transfer succeeded.
  open func didTransfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: Span<UInt8>, start: UInt64,
    end: UInt64, error: I2CError?
  ) {}

  /// Returns whether to observe transfers whose first message has this address.
  ///
  /// Default: `true`.
  open func concerns(_ address: I2CAddress) -> Bool { true }

  /// The functionality of the adapter.
  public final var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the adapter.
  public final var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer and observes it.
  ///
  /// - Throws: the error of the adapter.
  public final func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    guard segments.count > 0, concerns(segments[0].address) else {
      return try adapter.transfer(segments, writing: writing, reading: &reading)
    }
    let start = clock?.nanoseconds ?? 0
    do throws(I2CError) {
      try adapter.transfer(segments, writing: writing, reading: &reading)
    } catch {
      didTransfer(
        segments, writing: writing, reading: Span(), start: start, end: clock?.nanoseconds ?? 0,
        error: error)
      throw error
    }
    didTransfer(
      segments, writing: writing, reading: reading.span, start: start,
      end: clock?.nanoseconds ?? 0, error: nil)
  }
}

#if !hasFeature(Embedded)
  extension ObservingAdapter: I2CWireAdapter {
    /// Returns a wire to the bus of the adapter, whose transfers are observed after their stop.
    public final func wire(_ clock: any I2CClock) -> any I2CWire {
      ObservedWire(adapter.anyWire(clock)) { [self] transfer, end, error in
        guard concerns(transfer.segments[0].address) else { return }
        didTransfer(
          transfer.segments.span, writing: transfer.writing.span,
          reading: error == nil ? transfer.reading.span : Span(), start: transfer.start, end: end,
          error: error)
      }
    }
  }
#endif
