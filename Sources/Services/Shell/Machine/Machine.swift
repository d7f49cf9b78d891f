import Glibc

/// The clocks of a machine: ages and durations are measured with the boot clock, which cannot be set.
package struct MachineClocks: Sendable {
  /// The time in nanoseconds since boot, including suspended time; this clock cannot be set.
  package var boot: @Sendable () -> Int64
  /// The time in nanoseconds since 1970 on the wall clock, which can be set.
  package var wall: @Sendable () -> Int64
  /// The identifier of this boot; empty if the system provides none.
  package var bootName: String

  package init(
    boot: @escaping @Sendable () -> Int64, wall: @escaping @Sendable () -> Int64, bootName: String
  ) {
    (self.boot, self.wall, self.bootName) = (boot, wall, bootName)
  }

  /// The clocks of this machine.
  ///
  /// The boot clock is `CLOCK_BOOTTIME`; `CLOCK_MONOTONIC` stops while the machine is suspended,
  /// but silences and breaches continue during that time.
  package static let system = MachineClocks(
    boot: { read(CLOCK_BOOTTIME) }, wall: { read(CLOCK_REALTIME) }, bootName: systemBootName())

  /// The whole seconds since boot on this machine.
  @Sendable package static func bootSeconds() -> Int { Int(system.boot() / 1_000_000_000) }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    // A clock set beyond 2262 overflows 64 bits, so the value is clamped; it is rejected later as
    // implausible.
    let (nanoseconds, isTooMuch) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    guard !isTooMuch else { return time.tv_sec < 0 ? .min : .max }
    let (sum, hasOverflowed) = nanoseconds.addingReportingOverflow(Int64(time.tv_nsec))
    return hasOverflowed ? .max : sum
  }

  private static func systemBootName() -> String {
    guard let file = fopen("/proc/sys/kernel/random/boot_id", "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 36)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Reads both clocks at nearly the same time: the wall clock is read between two readings of the
  /// boot clock.
  ///
  /// Because preemption between the readings must not look like a step, the fastest of several
  /// attempts is used.
  package func pair() -> (boot: Int64, wall: Int64) {
    var best = (boot: Int64(0), wall: Int64(0), width: Int64.max)
    for _ in 0..<5 {
      let before = boot()
      let wall = wall()
      let after = boot()
      let width = after - before
      if width < best.width { best = (before + width / 2, wall, width) }
      if width < 1_000_000 { break }
    }
    return (best.boot, best.wall)
  }
}

/// The version of a file, which changes when the file is replaced or written to.
package struct FileVersion: Hashable, Sendable {
  private let device, inode, seconds, nanoseconds: Int
  /// The length of the file in bytes.
  package let size: Int

  /// Reads the version of an open file.
  package init?(descriptor: Int32) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// Reads the current version of the file at a path; the result is `nil` if there is no file.
  package init?(path: String) {
    var facts = stat()
    guard stat(path, &facts) == 0 else { return nil }
    self.init(facts)
  }

  /// Returns `true` if two versions belong to the same file, even if it was written to in between.
  package func isSameFile(as other: FileVersion) -> Bool {
    device == other.device && inode == other.inode
  }

  private init(_ facts: stat) {
    (device, inode, size) = (Int(facts.st_dev), Int(facts.st_ino), Int(facts.st_size))
    (seconds, nanoseconds) = (Int(facts.st_mtim.tv_sec), Int(facts.st_mtim.tv_nsec))
  }
}
