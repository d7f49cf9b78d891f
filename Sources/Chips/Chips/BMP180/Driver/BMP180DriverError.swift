public import I2C

/// An error of the BMP180's driver, with the step that failed and the cause.
public struct BMP180DriverError: Error, Hashable, Sendable {
  /// A step of the driver.
  public enum Step: UInt8, Hashable, Sendable {
    /// Reading the chip id.
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

  /// A cause of failure.
  public enum Cause: Hashable, Sendable {
    /// A transfer failed.
    case bus(I2CError)
    /// The device is neither a BMP180 nor a BMP085.
    case unexpectedDevice(id: UInt8)
    /// A calibration word is 0 or 0xFFFF, or the calibration causes a zero or negative divisor in the formulas.
    case unsoundCalibration
    /// The conversion did not finish within `waited` nanoseconds.
    case stillConverting(waited: UInt64)
  }

  /// The step that failed.
  public var step: Step
  /// The cause of the failure.
  public var cause: Cause

  /// Creates an error.
  public init(_ step: Step, _ cause: Cause) {
    self.step = step
    self.cause = cause
  }
}

extension BMP180DriverError: CustomStringConvertible {
  /// A sentence such as "reading the result: address not acknowledged (message 0, ENXIO)".
  public var description: String { "\(step): \(cause)" }
}

extension BMP180DriverError.Step: CustomStringConvertible {
  /// The step as text.
  public var description: String {
    switch self {
    case .identify: "reading the chip id"
    case .calibrate: "reading the calibration"
    case .reset: "resetting the chip"
    case .trigger: "starting a conversion"
    case .read: "reading the result"
    }
  }
}

extension BMP180DriverError.Cause: CustomStringConvertible {
  /// The cause as text.
  public var description: String {
    switch self {
    case .bus(let error): error.description
    case .unexpectedDevice(let id):
      "the chip id is 0x\(id < 16 ? "0" : "")\(String(id, radix: 16)), "
        + "not that of a BMP180 (0x55)"
    case .unsoundCalibration: "the calibration is invalid: a word is 0 or 0xFFFF"
    case .stillConverting(let waited): "no result within \(waited / 1_000_000) ms"
    }
  }
}

extension BMP180DriverError.Cause {
  /// The former name of `unexpectedDevice(id:)`.
  @available(*, deprecated, renamed: "unexpectedDevice(id:)")
  public static func stranger(id: UInt8) -> Self {
    .unexpectedDevice(id: id)
  }
}
