import Glibc

/// The clocks of this machine.
package enum MachineTime {
  /// The wall clock's time in nanoseconds since 1970.
  package static var sinceEpoch: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  /// The time since this machine started, in nanoseconds.
  package static func monotonic() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
