/// Addresses of the HDC1000's 16-bit registers (DS 8.6, table 1).
///
/// DS is Texas Instruments' datasheet SNAS643 of the HDC1000, revision B.
public enum HDC1000Register {
  /// The temperature result; writing this address to the pointer starts a measurement.
  public static var temperature: UInt8 { 0x00 }
  /// The humidity result; writing this address to the pointer starts a measurement.
  public static var humidity: UInt8 { 0x01 }
  /// The configuration and status register.
  public static var configuration: UInt8 { 0x02 }
  /// The first of the three words of the serial number at 0xFB...0xFD.
  public static var serial: UInt8 { 0xFB }
  /// The manufacturer id, 0x5449 ("TI" in ASCII).
  public static var manufacturer: UInt8 { 0xFE }
  /// The device id, 0x1000.
  public static var device: UInt8 { 0xFF }
}

/// The configuration register of the HDC1000, 0x02 (DS 8.6.3, table 4).
public struct HDC1000Configuration: RawRepresentable, Hashable, Sendable {
  /// The contents of the register.
  public var rawValue: UInt16

  /// Creates a value from the contents of the register.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates a value from its fields.
  public init(
    temperature: HDC1000Resolution = .bits14, humidity: HDC1000Resolution = .bits14,
    measuresBoth: Bool = true, isHeaterOn: Bool = false
  ) {
    rawValue = 0
    temperatureResolution = temperature
    humidityResolution = humidity
    self.measuresBoth = measuresBoth
    self.isHeaterOn = isHeaterOn
  }

  /// The value after a reset, which measures both quantities with 14 bits each.
  public static var afterReset: HDC1000Configuration { HDC1000Configuration(rawValue: 0x1000) }
  /// The software reset bit, bit 15, which always reads 0.
  public static var resetBit: UInt16 { 0x8000 }
  /// The writable bits: heater, acquisition mode and resolutions.
  public static var writableMask: UInt16 { 0x3700 }

  /// `true` if the heater is on during measurements (bit 13).
  public var isHeaterOn: Bool {
    get { rawValue & 0x2000 != 0 }
    set { set(0x2000, newValue) }
  }

  /// `true` if one measurement acquires both quantities, temperature first (bit 12).
  public var measuresBoth: Bool {
    get { rawValue & 0x1000 != 0 }
    set { set(0x1000, newValue) }
  }

  /// `true` if the supply is below 2.8 V (bit 11, which is read-only on the chip).
  public var isBatteryLow: Bool {
    get { rawValue & 0x0800 != 0 }
    set { set(0x0800, newValue) }
  }

  /// The temperature resolution, 14 or 11 bits (bit 10).
  public var temperatureResolution: HDC1000Resolution {
    get { rawValue & 0x0400 == 0 ? .bits14 : .bits11 }
    set { set(0x0400, newValue != .bits14) }
  }

  /// The humidity resolution (bits 9 and 8); the unassigned field value 0b11 is treated as 8 bits.
  public var humidityResolution: HDC1000Resolution {
    get { HDC1000Resolution(rawValue: UInt8(rawValue >> 8 & 0b11)) ?? .bits8 }
    set { rawValue = rawValue & ~0x0300 | UInt16(newValue.rawValue) << 8 }
  }

  /// Returns the resolution of a quantity.
  public func resolution(of quantity: HDC1000Quantity) -> HDC1000Resolution {
    quantity == .temperature ? temperatureResolution : humidityResolution
  }

  private mutating func set(_ bit: UInt16, _ isOn: Bool) {
    rawValue = isOn ? rawValue | bit : rawValue & ~bit
  }
}

/// The serial number of an HDC1000: 41 bits in three registers (DS 8.6.4).
///
/// Register 0xFB contains bits 40 to 25 of the number, and 0xFC contains bits 24 to 9. The upper nine bits of 0xFD
/// contain bits 8 to 0.
public struct HDC1000SerialNumber: RawRepresentable, Hashable, Sendable {
  /// The 41-bit number.
  public let rawValue: UInt64

  /// Creates a serial number; bits above bit 40 are dropped.
  public init(rawValue: UInt64) { self.rawValue = rawValue & 0x1FF_FFFF_FFFF }

  /// Creates a serial number from the contents of its three registers.
  public init(_ first: UInt16, _ second: UInt16, _ third: UInt16) {
    self.init(rawValue: UInt64(first) << 25 | UInt64(second) << 9 | UInt64(third >> 7))
  }

  /// Returns the contents of one of the three registers, by index 0...2 starting at 0xFB.
  public func word(_ index: Int) -> UInt16 {
    switch index {
    case 0: UInt16(truncatingIfNeeded: rawValue >> 25)
    case 1: UInt16(truncatingIfNeeded: rawValue >> 9)
    default: UInt16(truncatingIfNeeded: rawValue << 7)
    }
  }
}
