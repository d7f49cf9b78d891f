import I2C

extension HDC1000DriverError: CustomStringConvertible {
  /// A sentence such as "reading the result: address not acknowledged (message 0, ENXIO)".
  public var description: String { "\(step): \(cause)" }
}

extension HDC1000DriverError.Step: CustomStringConvertible {
  /// What the driver was doing, in words.
  public var description: String {
    switch self {
    case .identify: "reading the chip's identity"
    case .reset: "resetting the chip"
    case .configure: "writing the settings"
    case .trigger: "starting a measurement"
    case .wait: "waiting for a measurement"
    case .read: "reading the result"
    }
  }
}

extension HDC1000DriverError.Cause: CustomStringConvertible {
  /// What the driver met, in words.
  public var description: String {
    switch self {
    case .bus(let error):
      error.description
    case .stranger(let manufacturer, let device):
      "manufacturer \(hexadecimal(manufacturer)) and device \(hexadecimal(device)) are not those of "
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
