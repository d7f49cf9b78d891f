public import I2C

/// What the BMP180's driver was doing when it failed, and what it met.
public struct BMP180DriverError: Error, Hashable, Sendable {
  /// What the driver was doing.
  public enum Step: UInt8, Hashable, Sendable {
    /// Reading the chip's identity.
    case identify
    /// Reading the calibration.
    case calibrate
    /// Resetting the chip.
    case reset
    /// Starting a conversion.
    case trigger
    /// Waiting for a conversion to end, and reading its result.
    case read
  }

  /// What the driver met.
  public enum Cause: Hashable, Sendable {
    /// A transfer failed.
    case bus(I2CError)
    /// The chip is none of the family.
    case stranger(id: UInt8)
    /// A word of the calibration is 0 or 0xFFFF, or the formulas cannot work with it.
    case unsoundCalibration
    /// The conversion went on for too long; `waited` is in nanoseconds.
    case stillConverting(waited: UInt64)
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
