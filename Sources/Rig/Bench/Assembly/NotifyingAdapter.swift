package import I2C

/// An adapter after each of whose transfers something is done.
package final class NotifyingAdapter: I2CAdapter {
  private let adapter: any I2CAdapter
  private let then: () -> Void

  package init(_ adapter: any I2CAdapter, then: @escaping () -> Void) {
    self.adapter = adapter
    self.then = then
  }

  package var functionality: I2CFunctionality { adapter.functionality }
  package var quirks: I2CQuirks { adapter.quirks }

  package func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    defer { then() }
    try adapter.transfer(segments, writing: writing, reading: &reading)
  }
}

extension NotifyingAdapter: I2CWireAdapter {
  package func wire(_ clock: any I2CClock) -> any I2CWire {
    ObservedWire(adapter.anyWire(clock)) { [then] _, _, _ in then() }
  }
}
