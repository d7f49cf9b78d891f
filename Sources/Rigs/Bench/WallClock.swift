import Glibc
public import I2C

/// The time of a bench that follows the wall clock: nanoseconds since it was made.
public final class WallClock: I2CClock {
  private let start = WallClock.monotonic()

  /// Makes a clock that shows 0 now.
  public init() {}

  /// Nanoseconds since the clock was made.
  public var nanoseconds: UInt64 { WallClock.monotonic() - start }

  /// Sleeps until the time has passed, however often a signal interrupts.
  public func wait(nanoseconds: UInt64) {
    let end = WallClock.monotonic() + nanoseconds
    var moment = timespec(
      tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
  }

  /// The wall clock's time in nanoseconds since 1970.
  static var sinceEpoch: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// The time since this machine started, in nanoseconds.
  static func monotonic() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
