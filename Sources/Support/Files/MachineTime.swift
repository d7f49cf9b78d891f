import Glibc

/// The clocks of this machine.
package enum MachineTime {
  /// The wall clock's time in nanoseconds since 1970; of a clock beyond 2262, the latest that 64 bits hold.
  package static var sinceEpoch: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let (nanoseconds, isTooMuch) = Int64(now.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooMuch else { return now.tv_sec < 0 ? .min : .max }
    return nanoseconds.addingReportingOverflow(Int64(now.tv_nsec)).partialValue
  }

  /// The time since this machine started, in nanoseconds.
  package static func monotonic() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
