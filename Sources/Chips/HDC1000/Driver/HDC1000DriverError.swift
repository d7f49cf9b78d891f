public import I2C

/// What the HDC1000's driver was doing when it failed, and what it met.
public struct HDC1000DriverError: Error, Hashable, Sendable {
  /// What the driver was doing.
  public enum Step: UInt8, Hashable, Sendable {
    /// Reading the chip's identity or serial number.
    case identify
    /// Resetting the chip.
    case reset
    /// Writing the settings.
    case configure
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
    /// The chip is none of the family.
    case stranger(manufacturer: UInt16, device: UInt16)
    /// The chip did not acknowledge its address in time; `waited` is in nanoseconds.
    case stillMeasuring(waited: UInt64)
    /// The configuration reads otherwise than it was written.
    case settingsRefused(expected: UInt16, found: UInt16)
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
