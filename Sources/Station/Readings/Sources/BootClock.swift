import Glibc

/// The clock that is never set: it decides how old a reading is, whatever the wall clock is set to meanwhile.
package enum BootClock {
  /// The seconds since boot, suspension included.
  @Sendable package static func seconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return time.tv_sec
  }
}
