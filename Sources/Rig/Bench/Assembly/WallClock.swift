import Files
import Glibc
import I2C

/// The time of a bench that follows the wall clock: nanoseconds since it was made.
package final class WallClock: I2CClock {
  private let start = MachineTime.monotonic()

  /// Creates a clock that shows 0 now.
  package init() {}

  /// Nanoseconds since the clock was made.
  package var nanoseconds: UInt64 { MachineTime.monotonic() - start }

  /// Sleeps until the time has passed, however often a signal interrupts.
  package func wait(nanoseconds: UInt64) {
    let end = MachineTime.monotonic() + nanoseconds
    var moment = timespec(
      tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
  }
}
