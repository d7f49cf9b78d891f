package import I2C

/// An adapter that counts the transfers of another adapter.
package final class TransferMeter: ObservingAdapter {
  /// The number of transfers.
  package private(set) var transfers = 0
  /// The number of failed transfers.
  package private(set) var errors = 0

  /// Creates a meter on an adapter.
  package init(_ adapter: any I2CAdapter) { super.init(observing: adapter) }

  /// Counts a transfer.
  package override func didTransfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: Span<UInt8>, start: UInt64,
    end: UInt64, error: I2CError?
  ) {
    transfers += 1
    if error != nil { errors += 1 }
  }
}

/// An adapter that calls a closure after each transfer.
package final class NotifyingAdapter: ObservingAdapter {
  private let then: () -> Void

  package init(_ adapter: any I2CAdapter, then: @escaping () -> Void) {
    self.then = then
    super.init(observing: adapter)
  }

  /// Calls the closure.
  package override func didTransfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: Span<UInt8>, start: UInt64,
    end: UInt64, error: I2CError?
  ) {
    then()
  }
}
