extension I2CError: CustomStringConvertible {
  /// A sentence such as "address not acknowledged (message 0, ENXIO)".
  public var description: String {
    let place = kind == .dataNack ? "message \(message), byte \(byte)" : "message \(message)"
    return "\(kind) (\(place), \(errno))"
  }
}

extension I2CError.Kind: CustomStringConvertible {
  /// What happened, in words.
  public var description: String {
    switch self {
    case .addressNack: "address not acknowledged"
    case .dataNack: "data byte not acknowledged"
    case .arbitrationLost: "arbitration lost"
    case .busError: "bus error"
    case .timeOut: "bus timed out"
    case .unsupported: "not supported by the adapter"
    case .invalid: "malformed request"
    case .noDevice: "adapter gone"
    }
  }
}

extension I2CErrno: CustomStringConvertible {
  /// The symbolic name, or `errno N`.
  public var description: String { name.map { "\($0)" } ?? "errno \(rawValue)" }
}

extension I2CAddress: CustomStringConvertible {
  /// The address in hexadecimal, `0x76`.
  public var description: String {
    let digits = String(rawValue, radix: 16)
    return digits.count < 2 ? "0x0" + digits : "0x" + digits
  }
}
