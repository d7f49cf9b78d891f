public import I2C

/// An adapter that tells each transfer through another in one line.
///
///     0.012345 i2c-1 0x76  w f7  r 80 00 00 80 00 00 80 00   247.5 us
public final class TransferLog: I2CAdapter {
  private let adapter: any I2CAdapter
  private let bus: Int
  private let clock: any I2CClock
  private let print: (String) -> Void

  /// Makes a log of an adapter.
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
      tell(start, Self.text(segments, writing, Span()), "failed: \(error)")
      throw error
    }
    tell(start, Self.text(segments, writing, reading.span), "")
  }

  private func tell(_ start: UInt64, _ text: String, _ end: String) {
    let duration = Decimal.fixed(Double(clock.nanoseconds - start) / 1000, 1)
    let time = Decimal.fixed(Double(start) / 1e9, 6)
    print("\(time) i2c-\(bus) \(text)   \(end.isEmpty ? "\(duration) us" : end)")
  }

  /// The messages as they went; what was read only if `reading` has it.
  private static func text(
    _ segments: Span<I2CSegment>, _ writing: Span<UInt8>, _ reading: Span<UInt8>
  ) -> String {
    var text = ""
    var (written, read) = (0, 0)
    var address: I2CAddress?
    for index in segments.indices {
      let segment = segments[index]
      if segment.address != address { text += (text.isEmpty ? "" : "  ") + "\(segment.address)" }
      address = segment.address
      switch segment.direction {
      case .write:
        text += "  w" + bytes(writing, written, segment.count)
        written += segment.count
      case .read:
        let isRead = reading.count >= read + segment.count
        text += "  r" + (isRead ? bytes(reading, read, segment.count) : " [\(segment.count)]")
        read += segment.count
      }
    }
    return text
  }

  /// Bytes in hexadecimal; of many only the first.
  private static func bytes(_ span: Span<UInt8>, _ start: Int, _ count: Int) -> String {
    var text = ""
    for index in start..<(start + min(count, 64)) { text += " " + Hexadecimal.digits(span[index]) }
    return count > 64 ? text + " ... (\(count) bytes)" : text
  }
}
