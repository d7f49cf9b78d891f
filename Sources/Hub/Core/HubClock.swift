import Glibc

/// The clocks of a machine, as a hub reads them.
package struct MachineClocks: Sendable {
  /// Nanoseconds since the machine started, also while it was suspended: nobody sets it.
  package var boot: @Sendable () -> Int64
  /// Nanoseconds since 1970 by the wall clock, which people and time servers set.
  package var wall: @Sendable () -> Int64
  /// What names this start of the machine; empty where the system names none.
  package var bootName: String

  /// Creates clocks.
  package init(
    boot: @escaping @Sendable () -> Int64, wall: @escaping @Sendable () -> Int64, bootName: String
  ) {
    (self.boot, self.wall, self.bootName) = (boot, wall, bootName)
  }

  /// The clocks of this machine.
  ///
  /// `CLOCK_BOOTTIME` and not `CLOCK_MONOTONIC`, which is stopped while the machine is suspended: a silence of an hour and
  /// goods that are too warm go on in a machine that sleeps.
  package static let system = MachineClocks(
    boot: { read(CLOCK_BOOTTIME) }, wall: { read(CLOCK_REALTIME) }, bootName: systemBootName())

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    // A clock that is set beyond 2262 shows more than 64 bits hold: no hub believes it, and none ends for it.
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

  /// Both clocks at one moment: the wall clock is read between two readings of the other.
  ///
  /// A program that is put aside between them is no step: of a few attempts the shortest counts.
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

/// The time of a hub: it moves with the clock since boot, and shows what the wall clock shows.
///
/// The difference of the two clocks is kept. Where it changes by half a second or more somebody has stepped the wall clock: a
/// server of time only slows down or speeds up both. Then the difference is taken anew, and the step is told.
package struct HubClock: Sendable {
  /// The smallest step that is taken for one, in nanoseconds: less is left to the next.
  package static let smallestStep: Int64 = 500_000_000
  /// The wall clocks that a hub believes, in nanoseconds since 1970: up to 2191.
  private static let believed: ClosedRange<Int64> = 0...7_000_000_000_000_000_000

  private let clocks: MachineClocks
  /// What is added to the time since boot.
  private var offset: Int64

  /// What a hub notes on its disk of its clocks, to judge by them after a start.
  package struct Note: Equatable, Sendable {
    /// The name of the machine's start.
    package let boot: String
    /// The difference of wall clock and time since boot, and the hub's time, in nanoseconds.
    package let offset, time: Int64

    /// The note as text.
    package var text: String { "\(boot) \(offset) \(time)" }

    /// Creates it.
    package init(boot: String, offset: Int64, time: Int64) {
      (self.boot, self.offset, self.time) = (boot, offset, time)
    }

    /// Reads what ``text`` writes; `nil` where it is none.
    package init?(_ text: String) {
      let parts = text.split(separator: " ", omittingEmptySubsequences: false)
      guard parts.count == 3, let offset = Int64(parts[1]), let time = Int64(parts[2]) else {
        return nil
      }
      self.init(boot: String(parts[0]), offset: offset, time: time)
    }
  }

  /// Goes on from what was noted.
  ///
  /// In the same start of the machine the time since boot says how long the hub was away, whatever the wall clock says now. After
  /// another start the wall clock alone can say it: a clock that is behind the last time counts as no time at all.
  ///
  /// - Parameters:
  ///   - clocks: the machine's clocks.
  ///   - note: what was noted last; `nil` for nothing.
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

  /// The hub's time at a time since boot, in nanoseconds since 1970.
  package func time(atBoot boot: Int64) -> Int64 { boot + offset }

  /// The hub's time now.
  package var now: Int64 { clocks.boot() + offset }

  /// What is to be noted.
  package var note: Note { Note(boot: clocks.bootName, offset: offset, time: now) }

  /// By how many nanoseconds the wall clock was stepped since the last call, in whole milliseconds; 0 where it was not.
  ///
  /// A wall clock that shows what no hub believes is passed over: time goes on from where it was.
  package mutating func takeStep() -> Int64 {
    let (boot, wall) = clocks.pair()
    guard Self.believed.contains(wall) else { return 0 }
    let step = (wall - boot - offset) / 1_000_000 * 1_000_000
    guard abs(step) >= Self.smallestStep else { return 0 }
    offset += step
    return step
  }
}
