import I2C

/// The clock of a driver that only asks a question and never waits.
package final class StillClock: I2CClock {
  /// Creates a clock.
  package init() {}

  /// Always 0.
  package var nanoseconds: UInt64 { 0 }

  /// Returns at once.
  package func wait(nanoseconds: UInt64) {}
}
