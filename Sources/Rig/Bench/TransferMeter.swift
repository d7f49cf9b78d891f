package import I2C

/// An adapter that counts the transfers of another adapter.
package final class TransferMeter: I2CAdapter {
  /// The number of transfers.
  package private(set) var transfers = 0
  /// The number of failed transfers.
  package private(set) var errors = 0

  private let adapter: any I2CAdapter

  /// Creates a meter on an adapter.
  package init(_ adapter: any I2CAdapter) {
    self.adapter = adapter
  }

  /// The functionality of the metered adapter.
  package var functionality: I2CFunctionality { adapter.functionality }
  /// The limits of the metered adapter.
  package var quirks: I2CQuirks { adapter.quirks }

  /// Executes a transfer on the metered adapter and counts it.
  ///
  /// - Throws: the error of the metered adapter.
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
  /// Returns a wire to the bus of the metered adapter; transfers on this wire are counted too.
  package func wire(_ clock: any I2CClock) -> any I2CWire {
    MeteredWire(adapter.anyWire(clock)) { [self] isFailure in
      transfers += 1
      if isFailure { errors += 1 }
    }
  }
}

/// A wire that counts each transfer after the STOP.
private final class MeteredWire: I2CWire {
  private let wire: any I2CWire
  private let didEnd: (_ isFailure: Bool) -> Void
  @exclusivity(unchecked) private var isOpen = false
  @exclusivity(unchecked) private var hasFailed = false

  init(_ wire: any I2CWire, didEnd: @escaping (_ isFailure: Bool) -> Void) {
    self.wire = wire
    self.didEnd = didEnd
  }

  var frequency: UInt64 {
    get { wire.frequency }
    set { wire.frequency = newValue }
  }

  private func noting(_ reply: I2CWireReply) -> I2CWireReply {
    if reply.failure != nil { hasFailed = true }
    return reply
  }

  func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
  ) -> I2CWireReply {
    isOpen = true
    return noting(wire.start(address, direction, plan: plan, at: time))
  }

  func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply {
    noting(wire.write(byte, at: time))
  }

  func read(acknowledging: Bool, at time: UInt64) -> I2CWireReply {
    noting(wire.read(acknowledging: acknowledging, at: time))
  }

  func errno(of kind: I2CError.Kind) -> I2CErrno { wire.errno(of: kind) }

  func stop(at time: UInt64) -> I2CWireReply {
    let reply = noting(wire.stop(at: time))
    if isOpen { didEnd(hasFailed) }
    (isOpen, hasFailed) = (false, false)
    return reply
  }
}

/// An adapter that calls a closure after each transfer.
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
