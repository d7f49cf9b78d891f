import Glibc
import I2C
import Support

/// A clock in real time: nanoseconds since its creation.
package final class WallClock: I2CClock {
  private let start = MachineTime.monotonic()

  /// Creates a clock that starts at 0.
  package init() {}

  /// Nanoseconds since the creation of the clock.
  package var nanoseconds: UInt64 { MachineTime.monotonic() - start }

  /// Sleeps for a duration, even if signals interrupt the sleep.
  package func wait(nanoseconds: UInt64) {
    Self.sleep(until: MachineTime.monotonic() + nanoseconds)
  }

  /// Sleeps until a time of CLOCK_MONOTONIC, in nanoseconds.
  private static func sleep(until end: UInt64) {
    while sleepOnce(until: end) == EINTR {}
  }

  /// Sleeps until a time of CLOCK_MONOTONIC, in nanoseconds, or until a signal arrives.
  ///
  /// - Returns: 0, or EINTR after a signal.
  @discardableResult
  fileprivate static func sleepOnce(until end: UInt64) -> Int32 {
    var moment = timespec(
      tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil)
  }
}

/// A clock in real time for simulated buses whose programs do their own waiting.
///
/// A transfer is computed immediately, so the bus gets ahead of the wall clock by the time that the
/// bits of the transfer take. The caller must get its response only once the wall clock has caught
/// up: at `freeMoment`.
package final class LiveClock: I2CClock {
  private var start = MachineTime.monotonic()
  private let origin: UInt64
  private var ahead: UInt64 = 0

  /// Creates a clock that starts at a time.
  ///
  /// Default: 0.
  package init(nanoseconds: UInt64 = 0) {
    origin = nanoseconds
  }

  /// Restarts the clock from its initial time; called before the program starts.
  package func begin() { start = MachineTime.monotonic() }

  /// Nanoseconds since time 0; monotonic.
  package var nanoseconds: UInt64 { max(origin + (MachineTime.monotonic() - start), ahead) }

  /// Moves the bus ahead of the wall clock by a duration, and returns at once.
  package func wait(nanoseconds: UInt64) { ahead = self.nanoseconds + nanoseconds }

  /// The time at which the wall clock has caught up with the bus, in nanoseconds of CLOCK_MONOTONIC; it may be in the
  /// past.
  package var freeMoment: UInt64 { ahead > origin ? start + (ahead - origin) : start }

  /// Sleeps until the wall clock has caught up with the bus, or a signal arrives.
  package func settle() {
    guard freeMoment > MachineTime.monotonic() else { return }
    WallClock.sleepOnce(until: freeMoment)
  }
}
