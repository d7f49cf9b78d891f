public import I2C

/// An error of the HDC1000's driver, with the step that failed and the cause.
public struct HDC1000DriverError: Error, Hashable, Sendable {
  /// A step of the driver.
  public enum Step: UInt8, Hashable, Sendable {
    /// Reading the device id or the serial number.
    case identify
    /// Resetting the chip.
    case reset
    /// Writing the configuration, or reading it back.
    case configure
    /// Starting a measurement.
    case trigger
    /// Waiting for a measurement to end.
    case wait
    /// Reading a result.
    case read
  }

  /// A cause of failure.
  public enum Cause: Hashable, Sendable {
    /// A transfer failed.
    case bus(I2CError)
    /// The device is neither an HDC1000 nor an HDC1010, HDC1050 or HDC1080.
    case unexpectedDevice(manufacturer: UInt16, device: UInt16)
    /// The chip did not acknowledge a read of the result within `waited` nanoseconds.
    case stillMeasuring(waited: UInt64)
    /// The configuration that was read back differs from the one that was written.
    case settingsRefused(expected: UInt16, found: UInt16)
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

extension HDC1000DriverError: CustomStringConvertible {
  /// A sentence such as "reading the result: address not acknowledged (message 0, ENXIO)".
  public var description: String { "\(step): \(cause)" }
}

extension HDC1000DriverError.Step: CustomStringConvertible {
  /// The step as text.
  public var description: String {
    switch self {
    case .identify: "reading the chip id"
    case .reset: "resetting the chip"
    case .configure: "writing the configuration"
    case .trigger: "starting a measurement"
    case .wait: "waiting for a measurement"
    case .read: "reading the result"
    }
  }
}

extension HDC1000DriverError.Cause: CustomStringConvertible {
  /// The cause as text.
  public var description: String {
    switch self {
    case .bus(let error):
      error.description
    case .unexpectedDevice(let manufacturer, let device):
      "the manufacturer id \(hexadecimal(manufacturer)) and the device id \(hexadecimal(device)) are not those of "
        + "an HDC1000 (0x5449, 0x1000 or 0x1050)"
    case .stillMeasuring(let waited):
      "no result within \(waited / 1_000_000) ms"
    case .settingsRefused(let expected, let found):
      "the configuration reads \(hexadecimal(found)) instead of \(hexadecimal(expected))"
    }
  }

  private func hexadecimal(_ word: UInt16) -> String {
    let digits = String(word, radix: 16)
    return "0x" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}

extension HDC1000DriverError.Cause {
  /// The former name of `unexpectedDevice(manufacturer:device:)`.
  @available(*, deprecated, renamed: "unexpectedDevice(manufacturer:device:)")
  public static func stranger(manufacturer: UInt16, device: UInt16) -> Self {
    .unexpectedDevice(manufacturer: manufacturer, device: device)
  }
}
