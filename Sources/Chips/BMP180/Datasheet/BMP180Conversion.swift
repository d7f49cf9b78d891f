/// What the BMP180 converts when it is told to (DS 3.3, table 8 of DS 5.3).
public enum BMP180Conversion: Hashable, Sendable {
  /// The temperature.
  case temperature
  /// The pressure, of so many readings.
  case pressure(BMP180Oversampling)

  /// The bit of the register control that is set while the chip converts, SCO.
  public static var startBit: UInt8 { 0x20 }

  /// The value of the register control that starts it.
  public var command: UInt8 {
    switch self {
    case .temperature: 0x2E
    case .pressure(let oversampling): 0x34 | oversampling.rawValue << 6
    }
  }

  /// The conversion that a value of the register control starts; `nil` where the data sheet names none.
  public init?(command: UInt8) {
    switch command & 0x3F {
    case 0x2E where command >> 6 == 0: self = .temperature
    case 0x34: self = .pressure(BMP180Oversampling(rawValue: command >> 6) ?? .x1)
    default: return nil
    }
  }

  /// How long it takes as a rule, in nanoseconds (DS table 1).
  public var typicalTime: UInt64 {
    switch self {
    case .temperature, .pressure(.x1): 3_000_000
    case .pressure(.x2): 5_000_000
    case .pressure(.x4): 9_000_000
    case .pressure(.x8): 17_000_000
    }
  }

  /// How long it takes at most, in nanoseconds (DS table 1).
  public var longestTime: UInt64 {
    switch self {
    case .temperature, .pressure(.x1): 4_500_000
    case .pressure(.x2): 7_500_000
    case .pressure(.x4): 13_500_000
    case .pressure(.x8): 25_500_000
    }
  }

  /// The code in the three bytes of the result: 16 bits of temperature, 16 to 19 of pressure, from the left.
  public func code(_ high: UInt8, _ middle: UInt8, _ low: UInt8) -> Int32 {
    let word = Int32(high) << 16 | Int32(middle) << 8 | Int32(low)
    return word >> Int32(24 - bits)
  }

  /// A code as the three bytes of the result, in one word.
  public func word(of code: Int32) -> UInt32 { UInt32(code) << UInt32(24 - bits) }

  /// The number of bits of its code.
  public var bits: Int {
    switch self {
    case .temperature: 16
    case .pressure(let oversampling): oversampling.bits
    }
  }
}
