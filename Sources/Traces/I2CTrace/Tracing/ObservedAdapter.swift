public import I2C

/// An adapter that shows each transfer through another, the failed ones too.
///
/// ``TracingAdapter`` writes them without making a value of each, for runs of millions.
public final class ObservedAdapter: I2CAdapter {
  private let adapter: any I2CAdapter
  private let bus: Int
  private let clock: any I2CClock
  private let concerns: (I2CAddress) -> Bool
  private let observe: (TracedTransfer) -> Void

  /// Creates an observation of an adapter.
  ///
  /// - Parameters:
  ///   - adapter: the adapter.
  ///   - bus: N of its bus.
  ///   - clock: the time of the bus.
  ///   - concerns: whether transfers that begin at an address are observed; all of them unless said.
  ///   - observe: takes each transfer when it has ended.
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

  /// What the adapter can do.
  public var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the adapter.
  public var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer and shows it.
  ///
  /// - Throws: what the adapter throws.
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
  /// A wire to the bus of the other adapter, whose transfers are shown alike.
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
