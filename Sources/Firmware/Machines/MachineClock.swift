import I2C

/// The time of a microcontroller and its bench, derived from the core's cycles and frequency.
///
/// A bus performs a whole transfer at once and moves the bus time ahead of the core by the duration of the transfer;
/// the core catches up later. Time never goes backwards.
package final class MachineClock: I2CClock {
  /// The core frequency in Hz.
  @exclusivity(unchecked) package private(set) var frequency: UInt64
  @exclusivity(unchecked) private var scale: Scale
  /// The number of changes to the mapping from time to cycles.
  @exclusivity(unchecked) private(set) var changes = 0
  @exclusivity(unchecked) private var anchorCycle: UInt64 = 0
  @exclusivity(unchecked) private var anchorTime: UInt64 = 0
  @exclusivity(unchecked) private var ahead: UInt64 = 0
  private let cycles: () -> UInt64

  /// The ratio of nanoseconds to cycles in lowest terms, so most conversions are one multiplication and one division.
  private struct Scale {
    let nanoseconds: UInt64
    let cycles: UInt64
    /// The binary logarithm of `cycles` if it is a power of two; otherwise `nil`.
    let shift: UInt64?

    init(of frequency: UInt64) {
      var (divisor, rest) = (UInt64(1_000_000_000), frequency)
      while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
      nanoseconds = 1_000_000_000 / divisor
      cycles = frequency / divisor
      shift = cycles.nonzeroBitCount == 1 ? UInt64(cycles.trailingZeroBitCount) : nil
    }
  }

  /// Creates a clock at 0 ns and cycle 0.
  ///
  /// - Parameters:
  ///   - frequency: the core frequency in Hz.
  ///   - cycles: a function that returns the current cycle count of the core.
  package init(frequency: UInt64, cycles: @escaping () -> UInt64) {
    self.frequency = frequency
    scale = Scale(of: frequency)
    self.cycles = cycles
  }

  /// The current cycle of the core.
  package var cycle: UInt64 { cycles() }

  /// Sets the current time, before the first run, to that of a bench that has already been running.
  package func begin(at nanoseconds: UInt64) {
    (anchorCycle, anchorTime) = (cycles(), nanoseconds)
    changes += 1
  }

  /// Nanoseconds since the machine was created, as seen by the buses.
  package var nanoseconds: UInt64 { max(nanoseconds(at: cycles()), ahead) }

  /// Moves the bus time ahead of the core; this function does not wait.
  package func wait(nanoseconds: UInt64) { ahead = self.nanoseconds &+ nanoseconds }

  /// Returns the time of a cycle in nanoseconds, rounded down.
  package func nanoseconds(at cycle: UInt64) -> UInt64 {
    let passed = cycle &- anchorCycle
    let (product, isTooMuch) = passed.multipliedReportingOverflow(by: scale.nanoseconds)
    if !isTooMuch {
      return anchorTime &+ (scale.shift.map { product &>> $0 } ?? product / scale.cycles)
    }
    return anchorTime
      &+ passed / frequency &* 1_000_000_000
      &+ passed % frequency &* 1_000_000_000 / frequency
  }

  /// Returns the first cycle at or after a time in nanoseconds.
  package func cycle(at nanoseconds: UInt64) -> UInt64 {
    guard nanoseconds > anchorTime else { return anchorCycle }
    let passed = nanoseconds - anchorTime
    let (product, isLong) = passed.multipliedReportingOverflow(by: scale.cycles)
    if !isLong, product <= .max - scale.nanoseconds {
      let count = (product + scale.nanoseconds - 1) / scale.nanoseconds
      let (sum, isBeyond) = anchorCycle.addingReportingOverflow(count)
      return isBeyond ? .max : sum
    }
    let (whole, isTooMuch) = (passed / 1_000_000_000).multipliedReportingOverflow(by: frequency)
    if isTooMuch { return .max }
    let part = (passed % 1_000_000_000 * frequency + 999_999_999) / 1_000_000_000
    let (sum, isBeyond) = (anchorCycle &+ part).addingReportingOverflow(whole)
    return isBeyond ? .max : sum
  }

  /// Changes the core frequency.
  ///
  /// The caller must reschedule its events, because events are stored by cycle.
  package func setFrequency(_ frequency: UInt64) {
    let now = cycles()
    anchorTime = nanoseconds(at: now)
    anchorCycle = now
    self.frequency = frequency
    scale = Scale(of: frequency)
    changes += 1
  }
}
