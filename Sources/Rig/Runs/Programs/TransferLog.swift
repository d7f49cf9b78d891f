public import I2C
import I2CTrace
import Text

/// An adapter that tells each transfer through another in one line.
///
///     0.012345 i2c-1 0x76  w f7  r 80 00 00 80 00 00 80 00   247.5 us
public final class TransferLog: I2CAdapter {
  private let adapter: any I2CAdapter
  private let bus: Int
  private let clock: any I2CClock
  private let print: (String) -> Void

  /// Creates a log of an adapter.
  ///
  /// - Parameters:
  ///   - adapter: the adapter.
  ///   - bus: N in /dev/i2c-N.
  ///   - clock: the time of the bus.
  ///   - print: takes a line.
  public init(
    _ adapter: any I2CAdapter, bus: Int, clock: any I2CClock, to print: @escaping (String) -> Void
  ) {
    self.adapter = adapter
    self.bus = bus
    self.clock = clock
    self.print = print
  }

  /// What the adapter can do.
  public var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the adapter.
  public var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer and tells it.
  ///
  /// - Throws: what the adapter throws.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    let start = clock.nanoseconds
    do throws(I2CError) {
      try adapter.transfer(segments, writing: writing, reading: &reading)
    } catch {
      tell(
        TracedTransfer(
          time: start, duration: clock.nanoseconds - start, bus: bus, segments, writing: writing,
          reading: Span(), error: error))
      throw error
    }
    tell(
      TracedTransfer(
        time: start, duration: clock.nanoseconds - start, bus: bus, segments, writing: writing,
        reading: reading.span))
  }

  private func tell(_ transfer: TracedTransfer) {
    let time = Decimal.fixed(Double(transfer.time) / 1e9, 6)
    let duration = Decimal.fixed(Double(transfer.duration) / 1000, 1)
    print("\(time) i2c-\(bus) \(transfer)" + (transfer.error == nil ? "   \(duration) us" : ""))
  }
}
