/// The user register of the SHT21 (DS 5.6, table 8).
///
/// Its reserved bits, 3 to 5, must be written as they were read: their values may differ from chip
/// to chip.
public struct SHT21UserRegister: RawRepresentable, Hashable, Sendable {
  /// The register's byte.
  public var rawValue: UInt8

  /// Creates a value from the register's byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The value after a reset, its reserved bits read as 0.
  public static var afterReset: SHT21UserRegister { SHT21UserRegister(rawValue: 0x02) }
  /// The bits that must be written as they were read.
  public static var reservedMask: UInt8 { 0b0011_1000 }
  /// The bits that a write changes: resolution, heater and OTP reload.
  public static var writableMask: UInt8 { 0b1000_0111 }

  /// How finely the chip measures, bits 7 and 0.
  public var resolution: SHT21Resolution {
    get {
      SHT21Resolution(rawValue: rawValue >> 6 & 0b10 | rawValue & 0b01) ?? .humidity12Temperature14
    }
    set {
      rawValue = rawValue & 0b0111_1110 | (newValue.rawValue & 0b10) << 6 | newValue.rawValue & 0b01
    }
  }

  /// Whether the supply was below 2.25 V at the last measurement, bit 6; read-only.
  public var isBatteryLow: Bool {
    get { rawValue & 0x40 != 0 }
    set { set(0x40, newValue) }
  }

  /// Whether the heater is on, bit 2.
  public var isHeaterOn: Bool {
    get { rawValue & 0x04 != 0 }
    set { set(0x04, newValue) }
  }

  /// Whether the chip does not load its default settings before each measurement, bit 1; it
  /// should not.
  public var isReloadDisabled: Bool {
    get { rawValue & 0x02 != 0 }
    set { set(0x02, newValue) }
  }

  private mutating func set(_ bit: UInt8, _ isOn: Bool) {
    rawValue = isOn ? rawValue | bit : rawValue & ~bit
  }
}
