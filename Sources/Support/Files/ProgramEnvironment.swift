import Glibc

/// The environment variables of this process.
package enum ProgramEnvironment {
  /// The value of a variable; `nil` if it is not set.
  package static subscript(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// All environment variables.
  ///
  /// If a name occurs several times, its first value is used, as in the C library.
  package static var variables: [String: String] {
    var variables: [String: String] = [:]
    var next = environ
    while let entry = next.pointee {
      let parts = String(cString: entry).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, variables[String(parts[0])] == nil {
        variables[String(parts[0])] = String(parts[1])
      }
      next += 1
    }
    return variables
  }

  /// The number of online processors on this machine.
  package static var processors: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }
}

/// The clocks of this machine.
package enum MachineTime {
  /// The wall-clock time in nanoseconds since 1970, limited to the range of `Int64`, which ends in
  /// the year 2262.
  package static var sinceEpoch: Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let (nanoseconds, isTooMuch) = Int64(now.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooMuch else { return now.tv_sec < 0 ? .min : .max }
    return nanoseconds.addingReportingOverflow(Int64(now.tv_nsec)).partialValue
  }

  /// Returns the time since this machine started, in nanoseconds.
  package static func monotonic() -> UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
