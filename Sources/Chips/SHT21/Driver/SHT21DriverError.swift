public import I2C

/// What the SHT21's driver was doing when it failed, and what it met.
public struct SHT21DriverError: Error, Hashable, Sendable {
  /// What the driver was doing.
  public enum Step: UInt8, Hashable, Sendable {
    /// Resetting the chip.
    case reset
    /// Reading or writing the user register.
    case configure
    /// Reading the serial number.
    case identify
    /// Starting a measurement.
    case trigger
    /// Waiting for a measurement to end.
    case wait
    /// Reading a result.
    case read
  }

  /// What the driver met.
  public enum Cause: Hashable, Sendable {
    /// A transfer failed.
    case bus(I2CError)
    /// The adapter gave up while the chip held the clock.
    case holdTimedOut(I2CError)
    /// The checksum of what was read is another than the one that was read.
    case checksum(expected: UInt8, received: UInt8)
    /// The chip did not acknowledge its address in time; `waited` is in nanoseconds.
    case stillMeasuring(waited: UInt64)
    /// The user register reads otherwise than it was written.
    case settingsRefused(expected: UInt8, found: UInt8)
  }

  /// What the driver was doing.
  public var step: Step
  /// What it met.
  public var cause: Cause

  /// Creates an error.
  public init(_ step: Step, _ cause: Cause) {
    self.step = step
    self.cause = cause
  }
}
