import I2C

extension BMP180DriverError: CustomStringConvertible {
  /// A sentence such as "reading the result: address not acknowledged (message 0, ENXIO)".
  public var description: String { "\(step): \(cause)" }
}

extension BMP180DriverError.Step: CustomStringConvertible {
  /// What the driver was doing, in words.
  public var description: String {
    switch self {
    case .identify: "reading the chip's identity"
    case .calibrate: "reading the calibration"
    case .reset: "resetting the chip"
    case .trigger: "starting a conversion"
    case .read: "reading the result"
    }
  }
}

extension BMP180DriverError.Cause: CustomStringConvertible {
  /// What the driver met, in words.
  public var description: String {
    switch self {
    case .bus(let error): error.description
    case .stranger(let id):
      "answers with the id 0x\(id < 16 ? "0" : "")\(String(id, radix: 16)), "
        + "which is not that of a BMP180 (0x55)"
    case .unsoundCalibration: "the calibration is not sound: a word is 0 or 0xFFFF"
    case .stillConverting(let waited): "no result within \(waited / 1_000_000) ms"
    }
  }
}
