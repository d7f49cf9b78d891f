import Glibc

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
  func pair() -> (boot: Int64, wall: Int64) {
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

/// The time of a hub, which advances with the boot clock and follows the wall clock.
///
/// The clock stores the difference between the wall clock and the boot clock. If the difference
/// changes by half a second or more, the wall clock was stepped, because time synchronization slews
/// both clocks alike. The difference is then updated, and the step is reported.
package struct HubClock: Sendable {
  /// The smallest change of the difference that counts as a step, in nanoseconds; smaller changes
  /// accumulate.
  package static let smallestStep: Int64 = 500_000_000
  /// The range of plausible wall-clock times in nanoseconds since 1970, which ends in 2191.
  private static let believed: ClosedRange<Int64> = 0...7_000_000_000_000_000_000

  private let clocks: MachineClocks
  /// The offset in nanoseconds that is added to the boot clock.
  private var offset: Int64

  /// The stored state of the clocks, for use after a restart.
  package struct Note: Equatable, Sendable {
    /// The identifier of the boot during which the state was stored.
    package let boot: String
    /// The difference between the wall clock and the boot clock, and the hub's time, in nanoseconds.
    package let offset, time: Int64

    /// The state as text.
    package var text: String { "\(boot) \(offset) \(time)" }

    package init(boot: String, offset: Int64, time: Int64) {
      (self.boot, self.offset, self.time) = (boot, offset, time)
    }

    /// Parses a state in the format of `text`; the result is `nil` if the text is invalid.
    package init?(_ text: String) {
      let parts = text.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 3, let offset = Int64(parts[1]), let time = Int64(parts[2]) else {
        return nil
      }
      self.init(boot: String(parts[0]), offset: offset, time: time)
    }
  }

  /// Creates a clock that continues from a stored state.
  ///
  /// Within the same boot, the boot clock measures the hub's downtime, regardless of the wall
  /// clock. After a reboot only the wall clock can measure it; if the wall clock is behind the
  /// stored time, the downtime counts as zero.
  ///
  /// - Parameters:
  ///   - clocks: The clocks of the machine.
  ///   - note: The stored state; `nil` if there is none.
  package init(_ clocks: MachineClocks, after note: Note?) {
    self.clocks = clocks
    let (boot, wall) = clocks.pair()
    let shown = min(max(wall, Self.believed.lowerBound), Self.believed.upperBound)
    offset = shown - boot
    guard let note, Self.believed.contains(note.time) else { return }
    if !note.boot.isEmpty, note.boot == clocks.bootName {
      offset = note.offset
    } else if shown < note.time {
      offset = note.time - boot
    }
  }

  /// Converts a time on the boot clock to the hub's time, in nanoseconds since 1970.
  package func time(atBoot boot: Int64) -> Int64 { boot + offset }

  /// The hub's current time in nanoseconds since 1970.
  package var now: Int64 { clocks.boot() + offset }

  /// The state to store.
  package var note: Note { Note(boot: clocks.bootName, offset: offset, time: now) }

  /// Returns the step of the wall clock since the last call in nanoseconds, truncated to
  /// milliseconds; 0 if there was none.
  ///
  /// An implausible wall-clock time is ignored, and the hub's time continues from its previous
  /// value.
  package mutating func takeStep() -> Int64 {
    let (boot, wall) = clocks.pair()
    guard Self.believed.contains(wall) else { return 0 }
    let step = (wall - boot - offset) / 1_000_000 * 1_000_000
    guard abs(step) >= Self.smallestStep else { return 0 }
    offset += step
    return step
  }
}
