public import I2C

/// An error of the SHT21's driver, which names the step that failed and the cause.
public typealias SHT21DriverError = DriverError<SHT21DriverCause>

/// The reason why a step of the SHT21's driver failed.
public enum SHT21DriverCause: DriverCause {
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

extension SHT21DriverCause: CustomStringConvertible {
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
