package import I2C

/// An adapter that counts what goes through another.
package final class TransferMeter: I2CAdapter {
  /// How many transfers were asked for.
  package private(set) var transfers = 0
  /// How many of them failed.
  package private(set) var errors = 0

  private let adapter: any I2CAdapter

  /// Creates a meter on an adapter.
  package init(_ adapter: any I2CAdapter) {
    self.adapter = adapter
  }

  /// What the metered adapter can do.
  package var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the metered adapter.
  package var quirks: I2CQuirks { adapter.quirks }

  /// Makes the transfer on the metered adapter and counts it.
  ///
  /// - Throws: what the metered adapter throws.
  package func transfer(
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

extension TransferMeter: I2CWireAdapter {
  /// A wire to the bus of the metered adapter, whose transfers are counted alike.
  package func wire(_ clock: any I2CClock) -> any I2CWire {
    ObservedWire(adapter.anyWire(clock)) { [self] _, _, error in
      transfers += 1
      if error != nil { errors += 1 }
    }
  }
}
