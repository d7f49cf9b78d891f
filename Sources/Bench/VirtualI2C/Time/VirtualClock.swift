public import I2C

/// The time of a simulated bench: it stands still unless somebody waits or bytes move on a wire.
public final class VirtualClock: I2CClock {
  /// Nanoseconds since the start of the run.
  public private(set) var nanoseconds: UInt64

  /// Creates a clock that shows a time, the start of the run unless said.
  public init(nanoseconds: UInt64 = 0) {
    self.nanoseconds = nanoseconds
  }

  /// Moves the time ahead and returns at once; it ends at the largest time there is, after 584 years.
  public func wait(nanoseconds: UInt64) {
    let (sum, isTooMuch) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    self.nanoseconds = isTooMuch ? .max : sum
  }
}
