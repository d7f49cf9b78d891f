public import I2C

/// An error of the SHT21 driver, which names the step that failed and the cause.
public struct SHT21DriverError: Error, Hashable, Sendable {
  /// A step of the driver, during which an error can occur.
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

  /// The reason why a step failed.
  public enum Cause: Hashable, Sendable {
    /// A transfer failed.
    case bus(I2CError)
    /// The adapter timed out while the chip held SCL.
    case holdTimedOut(I2CError)
    /// The computed checksum differs from the received one.
    case checksum(expected: UInt8, received: UInt8)
    /// The chip did not acknowledge its address within `waited` nanoseconds of the start of the
    /// measurement.
    case stillMeasuring(waited: UInt64)
    /// The user register that was read back differs from the one that was written.
    case settingsRefused(expected: UInt8, found: UInt8)
  }

  /// The step that failed.
  public var step: Step
  /// The reason why the step failed.
  public var cause: Cause

  /// Creates an error from the failed step and its cause.
  public init(_ step: Step, _ cause: Cause) {
    self.step = step
    self.cause = cause
  }
}

extension SHT21DriverError: CustomStringConvertible {
  /// A sentence such as "reading the result: the checksum is 0x12, not 0x7c".
  public var description: String { "\(step): \(cause)" }
}

extension SHT21DriverError.Step: CustomStringConvertible {
  /// The step as a phrase for error messages.
  public var description: String {
    switch self {
    case .reset: "resetting the chip"
    case .configure: "writing the user register"
    case .identify: "reading the serial number"
    case .trigger: "starting a measurement"
    case .wait: "waiting for a measurement"
    case .read: "reading the result"
    }
  }
}

extension SHT21DriverError.Cause: CustomStringConvertible {
  /// The cause as a phrase for error messages.
  public var description: String {
    switch self {
    case .bus(let error):
      error.description
    case .holdTimedOut(let error):
      "\(error.description); the chip stretches the clock for up to 85 ms, which this adapter does not "
        + "support: measure without hold"
    case .checksum(let expected, let received):
      "the checksum is \(hexadecimal(received)), not \(hexadecimal(expected)): the data was "
        + "corrupted on the bus"
    case .stillMeasuring(let waited):
      "no result within \(waited / 1_000_000) ms"
    case .settingsRefused(let expected, let found):
      "the user register reads \(hexadecimal(found)) instead of \(hexadecimal(expected))"
    }
  }

  private func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16)
  }
}
