/// The commands of the SHT21 (DS 5.3, table 6).
///
/// DS refers to Sensirion's SHT21 datasheet, version 4.
public enum SHT21Command: UInt8, Hashable, Sendable, CaseIterable {
  /// Measures temperature; the chip holds SCL until the result is available.
  case temperatureHold = 0xE3
  /// Measures humidity; the chip holds SCL until the result is available.
  case humidityHold = 0xE5
  /// Measures temperature; the read address is not acknowledged until the result is available.
  case temperatureNoHold = 0xF3
  /// Measures humidity; the read address is not acknowledged until the result is available.
  case humidityNoHold = 0xF5
  /// Writes the user register; the new value follows as one byte.
  case writeUserRegister = 0xE6
  /// Reads the user register, which the chip returns as one byte after a repeated START.
  case readUserRegister = 0xE7
  /// Resets the chip without a power cycle.
  case softReset = 0xFE

  /// Creates the command that measures a quantity.
  ///
  /// - Parameters:
  ///   - quantity: the quantity to measure.
  ///   - isHolding: `true` for hold master mode, in which the chip holds SCL during the measurement.
  public init(measuring quantity: SHT21Quantity, holdingClock isHolding: Bool) {
    switch quantity {
    case .temperature: self = isHolding ? .temperatureHold : .temperatureNoHold
    case .humidity: self = isHolding ? .humidityHold : .humidityNoHold
    }
  }

  /// The quantity that the command measures, or `nil` if it does not start a measurement.
  public var quantity: SHT21Quantity? {
    switch self {
    case .temperatureHold, .temperatureNoHold: .temperature
    case .humidityHold, .humidityNoHold: .humidity
    case .writeUserRegister, .readUserRegister, .softReset: nil
    }
  }

  /// `true` if the chip holds SCL until the result is available.
  public var holdsClock: Bool { self == .temperatureHold || self == .humidityHold }
}

/// The user register of the SHT21 (DS 5.6, table 8).
///
/// Software must write back the reserved bits, 3 to 5, unchanged, because their values may differ
/// from chip to chip.
public struct SHT21UserRegister: RawRepresentable, Hashable, Sendable {
  /// The contents of the register.
  public var rawValue: UInt8

  /// Creates a value from the contents of the register.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The value after reset, with the reserved bits cleared.
  public static var afterReset: SHT21UserRegister { SHT21UserRegister(rawValue: 0x02) }
  /// The mask of the reserved bits, which must be written back unchanged.
  public static var reservedMask: UInt8 { 0b0011_1000 }
  /// The mask of the writable bits: resolution, heater and OTP reload.
  public static var writableMask: UInt8 { 0b1000_0111 }

  /// The resolution (bits 7 and 0).
  public var resolution: SHT21Resolution {
    get {
      SHT21Resolution(rawValue: rawValue >> 6 & 0b10 | rawValue & 0b01) ?? .humidity12Temperature14
    }
    set {
      rawValue = rawValue & 0b0111_1110 | (newValue.rawValue & 0b10) << 6 | newValue.rawValue & 0b01
    }
  }

  /// `true` if the supply was below 2.25 V at the last measurement (bit 6, which a write over the
  /// bus does not change).
  public var isBatteryLow: Bool {
    get { rawValue & 0x40 != 0 }
    set { set(0x40, newValue) }
  }

  /// `true` if the heater is on (bit 2).
  public var isHeaterOn: Bool {
    get { rawValue & 0x04 != 0 }
    set { set(0x04, newValue) }
  }

  /// `true` if the chip does not reload its default settings before each measurement (bit 1).
  ///
  /// The datasheet recommends `true`.
  public var isReloadDisabled: Bool {
    get { rawValue & 0x02 != 0 }
    set { set(0x02, newValue) }
  }

  private mutating func set(_ bit: UInt8, _ isOn: Bool) {
    rawValue = isOn ? rawValue | bit : rawValue & ~bit
  }
}

/// The serial number of an SHT21: eight bytes at two memory addresses.
///
/// Each memory address is read with a two-byte command (Sensirion's application note "SHT2x
/// Electronic Identification Code"). The first command returns the bytes SNB_3 to SNB_0, each
/// followed by a checksum. The second command returns SNC_1, SNC_0, a checksum, SNA_1, SNA_0 and a
/// checksum. The serial number consists of SNA_1, SNA_0, SNB_3 to SNB_0, SNC_1 and SNC_0, most
/// significant byte first.
public struct SHT21SerialNumber: RawRepresentable, Hashable, Sendable {
  /// The serial number as a 64-bit integer.
  public let rawValue: UInt64

  /// Creates a serial number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The command that reads the eight bytes at the first memory address, four of which are
  /// checksums.
  public static var firstCommand: UInt16 { 0xFA0F }
  /// The command that reads the six bytes at the second memory address, two of which are checksums.
  public static var secondCommand: UInt16 { 0xFCC9 }

  /// SNB_3 to SNB_0, the four bytes from the first memory address, with SNB_3 as the most
  /// significant byte.
  public var middle: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }
  /// The first word at the second memory address: SNC_1 and SNC_0.
  public var low: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
  /// The second word at the second memory address: SNA_1 and SNA_0.
  public var high: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 48) }

  /// Creates a serial number from the values read at its two memory addresses.
  public init(high: UInt16, middle: UInt32, low: UInt16) {
    rawValue = UInt64(high) << 48 | UInt64(middle) << 16 | UInt64(low)
  }
}

/// The CRC-8 checksum that the SHT21 appends to each result (DS 5.7; Sensirion's application note
/// on the SHT2x checksum).
///
/// The polynomial is x^8 + x^5 + x^4 + 1 and the initial value is 0. For example, the checksum of
/// 0xDC is 0x79, and that of 0x68 0x3A is 0x7C.
public struct SHT21Checksum: Hashable, Sendable {
  /// The checksum of all bytes added so far.
  public private(set) var value: UInt8 = 0

  /// Creates a checksum to which no byte has been added yet.
  public init() {}

  /// Creates the checksum of a byte.
  public init(of byte: UInt8) { add(byte) }

  /// Creates the checksum of a word, most significant byte first.
  public init(of word: UInt16) {
    add(UInt8(word >> 8))
    add(UInt8(truncatingIfNeeded: word))
  }

  /// Updates the checksum with the next byte.
  public mutating func add(_ byte: UInt8) {
    value ^= byte
    for _ in 0..<8 { value = value & 0x80 == 0 ? value << 1 : value << 1 ^ 0x31 }
  }
}
