/// A conversion that the BMP180 performs on command (DS 3.3, table 8 of DS 5.3).
public enum BMP180Conversion: Hashable, Sendable {
  /// A temperature conversion.
  case temperature
  /// A pressure conversion with an oversampling setting.
  case pressure(BMP180Oversampling)

  /// The start-of-conversion bit SCO of the control register, which is set during a conversion.
  public static var startBit: UInt8 { 0x20 }

  /// The control register value that starts the conversion.
  public var command: UInt8 {
    switch self {
    case .temperature: 0x2E
    case .pressure(let oversampling): 0x34 | oversampling.rawValue << 6
    }
  }

  /// Creates the conversion that a control register value starts, or `nil` if the datasheet does not list the value.
  public init?(command: UInt8) {
    switch command & 0x3F {
    case 0x2E where command >> 6 == 0: self = .temperature
    case 0x34: self = .pressure(BMP180Oversampling(rawValue: command >> 6) ?? .x1)
    default: return nil
    }
  }

  /// The typical conversion time in nanoseconds (DS table 1).
  public var typicalTime: UInt64 {
    switch self {
    case .temperature, .pressure(.x1): 3_000_000
    case .pressure(.x2): 5_000_000
    case .pressure(.x4): 9_000_000
    case .pressure(.x8): 17_000_000
    }
  }

  /// The maximum conversion time in nanoseconds (DS table 1).
  public var longestTime: UInt64 {
    switch self {
    case .temperature, .pressure(.x1): 4_500_000
    case .pressure(.x2): 7_500_000
    case .pressure(.x4): 13_500_000
    case .pressure(.x8): 25_500_000
    }
  }

  /// Returns the code that the three result bytes contain.
  ///
  /// The code is left-aligned and has 16 bits for a temperature, 16 to 19 bits for a pressure.
  public func code(_ high: UInt8, _ middle: UInt8, _ low: UInt8) -> Int32 {
    let word = Int32(high) << 16 | Int32(middle) << 8 | Int32(low)
    return word >> Int32(24 - bits)
  }

  /// Returns the three result bytes of a code as one 24-bit word.
  public func word(of code: Int32) -> UInt32 { UInt32(code) << UInt32(24 - bits) }

  /// The number of bits in the code of the conversion.
  public var bits: Int {
    switch self {
    case .temperature: 16
    case .pressure(let oversampling): oversampling.bits
    }
  }
}

/// The pressure oversampling of the BMP180, field oss (DS 3.3.1).
public enum BMP180Oversampling: UInt8, Hashable, Sendable, CaseIterable {
  /// One sample per conversion, the datasheet's "ultra low power" mode.
  case x1 = 0
  /// Two samples per conversion, the datasheet's "standard" mode.
  case x2 = 1
  /// Four samples per conversion, the datasheet's "high resolution" mode.
  case x4 = 2
  /// Eight samples per conversion, the datasheet's "ultra high resolution" mode.
  case x8 = 3

  /// The number of samples per conversion.
  public var samples: Int { 1 << Int(rawValue) }

  /// The number of bits in a pressure code, 16 to 19.
  public var bits: Int { 16 + Int(rawValue) }
}

/// Addresses of the BMP180's 8-bit registers (DS 4); a BMP085 uses the same addresses.
///
/// DS is Bosch's datasheet BST-BMP180-DS000, revision 2.5.
public enum BMP180Register {
  /// The first of the 22 calibration bytes at 0xAA...0xBF.
  public static var calibration: UInt8 { 0xAA }
  /// The chip id register, which reads 0x55.
  public static var id: UInt8 { 0xD0 }
  /// The soft reset register.
  public static var reset: UInt8 { 0xE0 }
  /// The measurement control register.
  ///
  /// Writing a command to it starts a conversion; its bit SCO is set while the conversion is running.
  public static var control: UInt8 { 0xF4 }
  /// The first of the three result bytes at 0xF6...0xF8, most significant byte first.
  public static var data: UInt8 { 0xF6 }

  /// The value of `id`.
  public static var idValue: UInt8 { 0x55 }
  /// The value that resets the chip when written to `reset`.
  public static var resetCommand: UInt8 { 0xB6 }
}

/// Values from the BMP180's datasheet, except for its registers and conversion times.
public enum BMP180Figures {
  /// The I2C address, which is fixed (DS 5.2).
  public static var address: UInt16 { 0x77 }
  /// The start-up time between power-on and the first transfer, in nanoseconds (DS table 1).
  public static var startTime: UInt64 { 10_000_000 }
  /// The long-term drift of the pressure, in Pa per year (DS table 1).
  public static var pressurePerYear: Double { 100 }

  /// Returns the RMS noise of a pressure at an oversampling, in Pa (DS table 1).
  public static func noise(_ oversampling: BMP180Oversampling) -> Double {
    switch oversampling {
    case .x1: 6
    case .x2: 5
    case .x4: 4
    case .x8: 3
    }
  }
}
