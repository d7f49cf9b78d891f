public import I2C

/// An adapter that counts what goes through another.
public final class TransferMeter: I2CAdapter {
  /// How many transfers were asked for.
  public private(set) var transfers = 0
  /// How many of them failed.
  public private(set) var errors = 0

  private let adapter: any I2CAdapter

  /// Creates a meter on an adapter.
  public init(_ adapter: any I2CAdapter) {
    self.adapter = adapter
  }

  /// What the metered adapter can do.
  public var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the metered adapter.
  public var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer on the metered adapter and counts it.
  ///
  /// - Throws: what the metered adapter throws.
  public func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    transfers += 1
    do throws(I2CError) {
      try adapter.transfer(segments, writing: writing, reading: &reading)
    } catch {
      errors += 1
      throw error
    }
  }
}
