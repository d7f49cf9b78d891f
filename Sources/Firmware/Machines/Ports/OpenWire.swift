package import I2C

/// A bus with pull-ups and nobody on it: no address is acknowledged, and every bit reads 1.
package final class OpenWire: I2CWire {
  package var frequency: UInt64 = 100_000

  /// Creates an empty bus.
  package init() {}

  private func reply(_ bits: UInt64, _ kind: I2CError.Kind?, _ time: UInt64) -> I2CWireReply {
    I2CWireReply(failure: kind, end: time + bits * 1_000_000_000 / frequency)
  }

  package func start(
    _ address: I2CAddress, _ direction: I2CSegment.Direction, plan: I2CWirePlan, at time: UInt64
  ) -> I2CWireReply { reply(10, .addressNack, time) }

  package func write(_ byte: UInt8, at time: UInt64) -> I2CWireReply { reply(9, .dataNack, time) }
  package func read(acknowledging: Bool, at time: UInt64) -> I2CWireReply { reply(9, nil, time) }
  package func stop(at time: UInt64) -> I2CWireReply { reply(1, nil, time) }
  package func errno(of kind: I2CError.Kind) -> I2CErrno { .enxio }
}
