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

/// A quantity that the HDC1000 measures.
public enum HDC1000Quantity: UInt8, Hashable, Sendable, CaseIterable {
  /// The temperature in °C.
  case temperature = 0
  /// The relative humidity in %.
  case humidity = 1

  /// The formula that converts a code to a value (DS 8.6.1 and 8.6.2).
  ///
  /// Codes are unsigned, so the temperature code 0x8000 is 42.5 °C.
  public var scale: CodeScale {
    switch self {
    case .temperature: CodeScale(offset: -40, span: 165)
    case .humidity: CodeScale(offset: 0, span: 100)
    }
  }

  /// The address of the quantity's result register.
  ///
  /// Writing this address to the pointer starts a measurement.
  public var register: UInt8 { rawValue }
}

/// The resolution of a quantity in bits; only humidity supports 8 bits.
public enum HDC1000Resolution: UInt8, Hashable, Sendable, CaseIterable {
  case bits14 = 0b00
  case bits11 = 0b01
  /// 8 bits, for humidity only.
  case bits8 = 0b10

  /// The number of bits.
  public var bits: Int {
    switch self {
    case .bits14: 14
    case .bits11: 11
    case .bits8: 8
    }
  }

  /// Returns the typical conversion time in nanoseconds (DS 7.5).
  ///
  /// The datasheet gives no maximum time.
  public func time(of quantity: HDC1000Quantity) -> UInt64 {
    switch (quantity, self) {
    case (.temperature, .bits14): 6_350_000
    case (.temperature, _): 3_650_000
    case (.humidity, .bits14): 6_500_000
    case (.humidity, .bits11): 3_850_000
    case (.humidity, .bits8): 2_500_000
    }
  }
}

/// Values from the HDC1000's datasheet, except for its registers and conversion times.
///
/// Table 7.5 of the datasheet (DS) was not available. The values cited as DS 7.5 come from other texts by the vendor
/// and from public drivers that repeat the table; the sleep current comes from DS 8.1.
public enum HDC1000Figures {
  /// The addresses selected by the pins ADR1 and ADR0 (DS 8.5.1).
  public static var addresses: ClosedRange<UInt16> { 0x40...0x43 }
  /// The contents of the manufacturer register (DS 8.6.5).
  public static var manufacturer: UInt16 { 0x5449 }
  /// The contents of the device register (DS 8.6.6).
  public static var device: UInt16 { 0x1000 }
  /// The contents of the device register on the later chips HDC1010, HDC1050 and HDC1080, which have the same
  /// registers as the HDC1000 (TI application note SBOA631).
  public static var laterDevice: UInt16 { 0x1050 }
  /// The maximum time from power-on until the chip can measure, in nanoseconds (DS 8.5.2).
  public static var startTime: UInt64 { 15_000_000 }
  /// The supply voltage below which the chip sets its low-battery bit, in V (DS 8.3.2).
  public static var lowSupply: Double { 2.8 }
  /// The supply voltage at which the datasheet specifies its values, in V (DS 7.5).
  public static var usualSupply: Double { 3.0 }
  /// The sleep current, in µA (DS 7.5).
  public static var sleepCurrent: Double { 0.11 }
  /// The current during a temperature measurement, in µA (DS 7.5).
  public static var temperatureCurrent: Double { 155 }
  /// The current during a humidity measurement, in µA (DS 7.5).
  public static var humidityCurrent: Double { 180 }
  /// The heater current, in µA (DS 7.5).
  public static var heaterCurrent: Double { 7_600 }
  /// The typical error of temperature, in °C (DS 7.5).
  public static var temperatureAccuracy: Double { 0.2 }
  /// The typical error of humidity, in % relative humidity (DS 7.5).
  public static var humidityAccuracy: Double { 3 }
  /// The repeatability of temperature, in °C (DS 7.5).
  public static var temperatureRepeatability: Double { 0.1 }
  /// The repeatability of humidity, in % relative humidity (DS 7.5).
  public static var humidityRepeatability: Double { 0.1 }
  /// The long-term drift of humidity, in % relative humidity per year (DS 7.5).
  public static var humidityPerYear: Double { 0.5 }
}
