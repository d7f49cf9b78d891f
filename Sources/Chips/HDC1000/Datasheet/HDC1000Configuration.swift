/// The register configuration of the HDC1000, 0x02 (DS 8.6.3, table 4).
public struct HDC1000Configuration: RawRepresentable, Hashable, Sendable {
  /// The register's word.
  public var rawValue: UInt16

  /// Creates a value from the register's word.
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

  /// The value after a reset: both quantities, 14 bits each.
  public static var afterReset: HDC1000Configuration { HDC1000Configuration(rawValue: 0x1000) }
  /// The bit that starts the chip anew; it reads 0.
  public static var resetBit: UInt16 { 0x8000 }
  /// The bits that a write changes: heater, mode and resolutions.
  public static var writableMask: UInt16 { 0x3700 }

  /// Whether the heater is on while the chip measures, bit 13.
  public var isHeaterOn: Bool {
    get { rawValue & 0x2000 != 0 }
    set { set(0x2000, newValue) }
  }

  /// Whether one measurement takes both quantities, temperature first, bit 12.
  public var measuresBoth: Bool {
    get { rawValue & 0x1000 != 0 }
    set { set(0x1000, newValue) }
  }

  /// Whether the supply is below 2.8 V, bit 11; read-only.
  public var isBatteryLow: Bool {
    get { rawValue & 0x0800 != 0 }
    set { set(0x0800, newValue) }
  }

  /// How finely temperature is measured, bit 10: 14 or 11 bits.
  public var temperatureResolution: HDC1000Resolution {
    get { rawValue & 0x0400 == 0 ? .bits14 : .bits11 }
    set { set(0x0400, newValue != .bits14) }
  }

  /// How finely humidity is measured, bits 9 and 8; 11, which is not assigned, reads as 8 bits.
  public var humidityResolution: HDC1000Resolution {
    get { HDC1000Resolution(rawValue: UInt8(rawValue >> 8 & 0b11)) ?? .bits8 }
    set { rawValue = rawValue & ~0x0300 | UInt16(newValue.rawValue) << 8 }
  }

  /// How finely a quantity is measured.
  public func resolution(of quantity: HDC1000Quantity) -> HDC1000Resolution {
    quantity == .temperature ? temperatureResolution : humidityResolution
  }

  private mutating func set(_ bit: UInt16, _ isOn: Bool) {
    rawValue = isOn ? rawValue | bit : rawValue & ~bit
  }
}
