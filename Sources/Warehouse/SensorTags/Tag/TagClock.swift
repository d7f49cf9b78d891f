import I2C

/// The clock of a tag's firmware: it waits while a sensor measures, and sleeps until something is due.
final class TagClock: I2CClock {
  private(set) var nanoseconds: UInt64

  init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

  func wait(nanoseconds: UInt64) { self.nanoseconds += nanoseconds }

  /// Sleeps until a time, if that is not past.
  func sleep(until time: UInt64) { nanoseconds = max(nanoseconds, time) }
}
