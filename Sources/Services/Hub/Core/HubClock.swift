package import ServiceMachine

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
