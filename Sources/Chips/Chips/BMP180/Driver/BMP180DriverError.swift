public import I2C

/// An error of the BMP180's driver, which names the step that failed and the cause.
public typealias BMP180DriverError = DriverError<BMP180DriverCause>

/// The reason why a step of the BMP180's driver failed.
public enum BMP180DriverCause: DriverCause {
  /// A transfer failed.
  case bus(I2CError)
  /// The device is neither a BMP180 nor a BMP085.
  case unexpectedDevice(id: UInt8)
  /// A calibration word is 0 or 0xFFFF, or the calibration causes a zero or negative divisor in the formulas.
  case unsoundCalibration
  /// The conversion did not finish within `waited` nanoseconds.
  case stillConverting(waited: UInt64)
}

extension BMP180DriverCause: CustomStringConvertible {
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

extension BMP180DriverCause {
  /// The former name of `unexpectedDevice(id:)`.
  @available(*, deprecated, renamed: "unexpectedDevice(id:)")
  public static func stranger(id: UInt8) -> Self {
    .unexpectedDevice(id: id)
  }
}
