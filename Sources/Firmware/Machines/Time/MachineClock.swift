import I2C

/// The time of a microcontroller and of the bench around it: the cycles of its core at their frequency.
///
/// A transfer that a bus makes as a whole waits here: the clock is then ahead of the core by the time its bits
/// take, and the core catches up. It never goes back.
package final class MachineClock: I2CClock {
  /// The frequency of the core in Hz.
  @exclusivity(unchecked) package private(set) var frequency: UInt64
  @exclusivity(unchecked) private var scale: Scale
  /// How often the cycles of a time have changed.
  @exclusivity(unchecked) private(set) var changes = 0
  @exclusivity(unchecked) private var anchorCycle: UInt64 = 0
  @exclusivity(unchecked) private var anchorTime: UInt64 = 0
  @exclusivity(unchecked) private var ahead: UInt64 = 0
  private let cycles: () -> UInt64

  /// A second's nanoseconds and its cycles in lowest terms: with them most times are one product and one quotient.
  private struct Scale {
    let nanoseconds: UInt64
    let cycles: UInt64
    /// The exponent of the cycles, where they are a power of two.
    let shift: UInt64?

    init(of frequency: UInt64) {
      var (divisor, rest) = (UInt64(1_000_000_000), frequency)
      while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
      nanoseconds = 1_000_000_000 / divisor
      cycles = frequency / divisor
      shift = cycles.nonzeroBitCount == 1 ? UInt64(cycles.trailingZeroBitCount) : nil
    }
  }

  /// Creates a clock that shows 0 at cycle 0.
  ///
  /// - Parameters:
  ///   - frequency: the frequency of the core in Hz.
  ///   - cycles: the cycles of the core now.
  package init(frequency: UInt64, cycles: @escaping () -> UInt64) {
    self.frequency = frequency
    scale = Scale(of: frequency)
    self.cycles = cycles
  }

  /// The cycles of the core now.
  package var cycle: UInt64 { cycles() }

  /// Lets it show a time now, before anything has run: that of a bench that was there before.
  package func begin(at nanoseconds: UInt64) {
    (anchorCycle, anchorTime) = (cycles(), nanoseconds)
    changes += 1
  }

  /// Nanoseconds since the machine was created, as buses see them.
  package var nanoseconds: UInt64 { max(nanoseconds(at: cycles()), ahead) }

  /// Lets a bus be ahead of the core, and returns at once.
  package func wait(nanoseconds: UInt64) { ahead = self.nanoseconds &+ nanoseconds }

  /// The time of a cycle, rounded down.
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

  /// The first cycle that is not before a time.
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

  /// Runs the core at another frequency from now on.
  ///
  /// Whoever calls it plans its events anew: they are kept by cycle.
  package func setFrequency(_ frequency: UInt64) {
    let now = cycles()
    anchorTime = nanoseconds(at: now)
    anchorCycle = now
    self.frequency = frequency
    scale = Scale(of: frequency)
    changes += 1
  }
}
