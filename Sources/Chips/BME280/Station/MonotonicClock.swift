import Glibc
public import I2C

/// The time of the machine, in nanoseconds since it was switched on.
public final class MonotonicClock: I2CClock {
  /// Creates a clock.
  public init() {}

  /// Nanoseconds of CLOCK_MONOTONIC.
  public var nanoseconds: UInt64 {
    var moment = timespec()
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return UInt64(moment.tv_sec) * 1_000_000_000 + UInt64(moment.tv_nsec)
  }

  /// Sleeps, however often a signal interrupts.
  public func wait(nanoseconds: UInt64) {
    let end = self.nanoseconds + nanoseconds
    var moment = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
  }
}
