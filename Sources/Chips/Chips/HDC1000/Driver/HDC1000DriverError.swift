public import I2C

/// An error of the HDC1000's driver, which names the step that failed and the cause.
public typealias HDC1000DriverError = DriverError<HDC1000DriverCause>

/// The reason why a step of the HDC1000's driver failed.
public enum HDC1000DriverCause: DriverCause {
  /// A transfer failed.
  case bus(I2CError)
  /// The device is neither an HDC1000 nor an HDC1010, HDC1050 or HDC1080.
  case unexpectedDevice(manufacturer: UInt16, device: UInt16)
  /// The chip did not acknowledge a read of the result within `waited` nanoseconds.
  case stillMeasuring(waited: UInt64)
  /// The configuration that was read back differs from the one that was written.
  case settingsRefused(expected: UInt16, found: UInt16)
}

extension HDC1000DriverCause: CustomStringConvertible {
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

extension HDC1000DriverCause {
  /// The former name of `unexpectedDevice(manufacturer:device:)`.
  @available(*, deprecated, renamed: "unexpectedDevice(manufacturer:device:)")
  public static func stranger(manufacturer: UInt16, device: UInt16) -> Self {
    .unexpectedDevice(manufacturer: manufacturer, device: device)
  }
}
