public import I2C

/// An error of the BME280's driver, which names the step that failed and the cause.
public typealias BME280DriverError = DriverError<BME280DriverCause>

/// The reason why a step of the BME280's driver failed.
public enum BME280DriverCause: DriverCause {
  /// A transfer failed.
  case bus(I2CError)
  /// The chip id is neither that of a BME280 nor that of a BMP280.
  case unexpectedDevice(identifier: UInt8)
  /// The NVM copy did not end within `waited` nanoseconds of the reset.
  case notReady(status: UInt8, waited: UInt64)
  /// All bytes of the calibration are equal, as they are before the NVM copy or on a floating
  /// bus.
  case blankCalibration(byte: UInt8)
  /// The measurement did not end within `waited` nanoseconds of its start.
  case stillMeasuring(status: UInt8, control: UInt8, waited: UInt64)
  /// A settings register differs from the value that the driver wrote, for example after a loss
  /// of power.
  case settingsLost(register: UInt8, expected: UInt8, found: UInt8)
  /// The adapter cannot read a measurement in one burst, so the data could be torn.
  case burstTooLong(needed: Int, limit: Int)
  /// A function that needs the chip's type or calibration was called before
  /// `start(_:)`.
  case notStarted
}

extension BME280DriverCause: CustomStringConvertible {
  /// The cause as a phrase for error messages.
  public var description: String {
    switch self {
    case .bus(let error):
      error.description
    case .unexpectedDevice(let identifier):
      "chip id \(hex(identifier)) is neither a BME280 (0x60) nor a BMP280 (0x58)"
    case .notReady(let status, let waited):
      "the NVM copy did not end within \(milliseconds(waited)) (status \(hex(status)))"
    case .blankCalibration(let byte):
      "every byte of the calibration reads \(hex(byte)); the NVM copy has not ended"
    case .stillMeasuring(let status, let control, let waited):
      "no result within \(milliseconds(waited)) "
        + "(status \(hex(status)), ctrl_meas \(hex(control)))"
    case .settingsLost(let register, let expected, let found):
      "register \(hex(register)) reads \(hex(found)) instead of \(hex(expected)); the chip has "
        + "lost its settings, or another program has changed them"
    case .burstTooLong(let needed, let limit):
      "a measurement of \(needed) bytes can tear on an adapter that reads \(limit) at once"
    case .notStarted:
      "the driver was not started"
    }
  }

  private func hex(_ byte: UInt8) -> String {
    (byte < 16 ? "0x0" : "0x") + String(byte, radix: 16)
  }

  private func milliseconds(_ nanoseconds: UInt64) -> String { "\(nanoseconds / 1_000_000) ms" }
}

extension BME280DriverCause {
  /// The former name of `unexpectedDevice(identifier:)`.
  @available(*, deprecated, renamed: "unexpectedDevice(identifier:)")
  public static func stranger(identifier: UInt8) -> Self {
    .unexpectedDevice(identifier: identifier)
  }
}
