/// An error of a chip's driver: the step that failed and the cause.
public struct DriverError<Reason: DriverCause>: Error, Hashable, Sendable {
  /// The causes of the chip.
  public typealias Cause = Reason
  /// A step of the driver, during which an error can occur.
  public typealias Step = DriverStep

  /// The step that failed.
  public var step: DriverStep
  /// The reason why the step failed.
  public var cause: Reason

  /// Creates an error from the failed step and its cause.
  public init(_ step: DriverStep, _ cause: Reason) {
    self.step = step
    self.cause = cause
  }
}

extension DriverError: CustomStringConvertible {
  /// A sentence such as "reading the calibration: address not acknowledged (message 0, ENXIO)".
  public var description: String { step.description + ": " + cause.description }
}

/// The causes for which the driver of a chip fails, each with a phrase for error messages.
public protocol DriverCause: Hashable, Sendable, CustomStringConvertible {
  /// A transfer failed.
  static func bus(_ error: I2CError) -> Self
}

/// A step of a chip's driver.
public enum DriverStep: UInt8, Hashable, Sendable {
  /// Reading the chip's id or its serial number.
  case identify
  /// Resetting the chip, and waiting until it can be used.
  case reset
  /// Reading the calibration.
  case calibrate
  /// Writing the settings, or reading them back.
  case configure
  /// Starting a measurement.
  case trigger
  /// Waiting for a measurement to end.
  case wait
  /// Reading a result.
  case read
}

extension DriverStep: CustomStringConvertible {
  /// The step as a phrase for error messages.
  public var description: String {
    switch self {
    case .identify: "identifying the chip"
    case .reset: "resetting the chip"
    case .calibrate: "reading the calibration"
    case .configure: "writing the configuration"
    case .trigger: "starting a measurement"
    case .wait: "waiting for a measurement"
    case .read: "reading the result"
    }
  }
}
