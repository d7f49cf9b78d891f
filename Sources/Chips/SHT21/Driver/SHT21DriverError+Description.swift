import I2C

extension SHT21DriverError: CustomStringConvertible {
  /// A sentence such as "reading the result: the checksum is 0x12, not 0x7c".
  public var description: String { "\(step): \(cause)" }
}

extension SHT21DriverError.Step: CustomStringConvertible {
  /// What the driver was doing, in words.
  public var description: String {
    switch self {
    case .reset: "resetting the chip"
    case .configure: "setting the user register"
    case .identify: "reading the serial number"
    case .trigger: "starting a measurement"
    case .wait: "waiting for a measurement"
    case .read: "reading the result"
    }
  }
}

extension SHT21DriverError.Cause: CustomStringConvertible {
  /// What the driver met, in words.
  public var description: String {
    switch self {
    case .bus(let error):
      error.description
    case .holdTimedOut(let error):
      "\(error.description); the chip holds the clock for up to 85 ms, which this adapter does not "
        + "bear: measure without hold"
    case .checksum(let expected, let received):
      "the checksum is \(hexadecimal(received)), not \(hexadecimal(expected)): the bytes were "
        + "damaged on the wire"
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
