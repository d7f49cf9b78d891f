import Files
import Glibc
public import I2C

/// The time of a bench that follows the wall clock: nanoseconds since it was made.
public final class WallClock: I2CClock {
  private let start = MachineTime.monotonic()

  /// Creates a clock that shows 0 now.
  public init() {}

  /// Nanoseconds since the clock was made.
  public var nanoseconds: UInt64 { MachineTime.monotonic() - start }

  /// Sleeps until the time has passed, however often a signal interrupts.
  public func wait(nanoseconds: UInt64) {
    let end = MachineTime.monotonic() + nanoseconds
    var moment = timespec(
      tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
  }
}
