public import I2C

/// What a driver was doing when it failed, and what it met.
public struct BME280DriverError: Error, Hashable, Sendable {
  /// What the driver was doing.
  public enum Step: UInt8, Hashable, Sendable {
    /// Reading the chip's identity.
    case identify
    /// Resetting the chip and waiting for its NVM copy.
    case reset
    /// Reading the calibration.
    case calibrate
    /// Writing the settings.
    case configure
    /// Starting a measurement.
    case trigger
    /// Waiting for a measurement to end.
    case wait
    /// Reading the data registers.
    case read
  }

  /// What the driver met.
  public enum Cause: Hashable, Sendable {
    /// A transfer failed.
    case bus(I2CError)
    /// The chip is none of the family.
    case stranger(identifier: UInt8)
    /// The NVM copy did not end in time.
    case notReady(status: UInt8, waited: UInt64)
    /// Every byte of the calibration reads alike, as before the NVM copy or on a floating bus.
    case blankCalibration(byte: UInt8)
    /// The measurement did not end in time.
    case stillMeasuring(status: UInt8, control: UInt8, waited: UInt64)
    /// The chip has other settings than were written, as after a loss of power.
    case settingsLost(register: UInt8, expected: UInt8, found: UInt8)
    /// The adapter cannot read a measurement in one burst, so that it could tear.
    case burstTooLong(needed: Int, limit: Int)
    /// The driver was not started.
    case notStarted
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
