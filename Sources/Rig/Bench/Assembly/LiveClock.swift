import Files
import I2C

/// The time of a bench that programs use while they wait by themselves: the wall clock's.
///
/// A transfer is computed at once, and the bus is then ahead of the wall clock by the time that its bits take.
/// Whoever answers the caller does so when the wall clock has caught up: ``freeMoment``.
package final class LiveClock: I2CClock {
  private var start = MachineTime.monotonic()
  private let origin: UInt64
  private var ahead: UInt64 = 0

  /// Creates a clock that shows a time now.
  package init(nanoseconds: UInt64 = 0) {
    origin = nanoseconds
  }

  /// Lets its time go on from here, and not from when it was created: before its program begins.
  package func begin() { start = MachineTime.monotonic() }

  /// Nanoseconds since time 0; never goes back.
  package var nanoseconds: UInt64 { max(origin + (MachineTime.monotonic() - start), ahead) }

  /// Moves the bus ahead and returns at once.
  package func wait(nanoseconds: UInt64) { ahead = self.nanoseconds + nanoseconds }

  /// When the wall clock has caught up with the bus, in nanoseconds of CLOCK_MONOTONIC; it may be over.
  package var freeMoment: UInt64 { ahead > origin ? start + (ahead - origin) : start }
}
