import BME280
import I2C

extension BME280DriverError: CustomStringConvertible {
  /// A sentence such as "reading the calibration: address not acknowledged (message 0, ENXIO)".
  public var description: String { "\(step): \(cause)" }
}

extension BME280DriverError.Step: CustomStringConvertible {
  /// What the driver was doing, in words.
  public var description: String {
    switch self {
    case .identify: "reading the chip's identity"
    case .reset: "resetting the chip"
    case .calibrate: "reading the calibration"
    case .configure: "writing the settings"
    case .trigger: "starting a measurement"
    case .wait: "waiting for a measurement"
    case .read: "reading the data"
    }
  }
}

extension BME280DriverError.Cause: CustomStringConvertible {
  /// What the driver met, in words.
  public var description: String {
    switch self {
    case .bus(let error):
      error.description
    case .stranger(let identifier):
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
