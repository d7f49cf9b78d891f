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

/// A quantity that the SHT21 measures; one measurement yields one quantity.
public enum SHT21Quantity: UInt8, Hashable, Sendable, CaseIterable {
  /// The temperature in °C.
  case temperature
  /// The relative humidity over liquid water, in %.
  case humidity

  /// The formula that converts a code to a value, once the code's status bits are cleared (DS 6.1
  /// and 6.2).
  ///
  /// The formula applies at every resolution, because codes are left-aligned in 16 bits. It may
  /// yield a humidity below 0 or above 100 %.
  public var scale: CodeScale {
    switch self {
    case .temperature: CodeScale(offset: -46.85, span: 175.72)
    case .humidity: CodeScale(offset: -6, span: 125)
    }
  }

  /// The value of the status bits, the two lowest bits of a result: bit 1 is set for humidity (DS
  /// 5.4), and bit 0 is not assigned.
  public var statusBits: UInt16 { self == .humidity ? 0b10 : 0b00 }

  /// The mask of the status bits in a result.
  public static var statusMask: UInt16 { 0b11 }

  /// Returns the value of a result as read from the chip, ignoring its status bits.
  public func value(of result: UInt16) -> Double { scale.value(of: result & ~Self.statusMask) }
}

/// The resolution of the SHT21, selected by bits 7 and 0 of the user register (DS 5.6, table 8).
public enum SHT21Resolution: UInt8, Hashable, Sendable, CaseIterable {
  /// 12 bits for humidity and 14 bits for temperature; the resolution after reset.
  case humidity12Temperature14 = 0b00
  /// 8 bits for humidity and 12 bits for temperature.
  case humidity8Temperature12 = 0b01
  /// 10 bits for humidity and 13 bits for temperature.
  case humidity10Temperature13 = 0b10
  /// 11 bits for humidity and 11 bits for temperature.
  case humidity11Temperature11 = 0b11

  /// Returns the number of bits with which a quantity is measured.
  public func bits(of quantity: SHT21Quantity) -> Int {
    switch (quantity, self) {
    case (.humidity, .humidity12Temperature14): 12
    case (.humidity, .humidity8Temperature12): 8
    case (.humidity, .humidity10Temperature13): 10
    case (.humidity, .humidity11Temperature11): 11
    case (.temperature, .humidity12Temperature14): 14
    case (.temperature, .humidity8Temperature12): 12
    case (.temperature, .humidity10Temperature13): 13
    case (.temperature, .humidity11Temperature11): 11
    }
  }

  /// Returns the typical measurement time in nanoseconds (DS 5.4, table 7).
  public func typicalTime(of quantity: SHT21Quantity) -> UInt64 {
    switch (quantity, bits(of: quantity)) {
    case (.humidity, 12): 22_000_000
    case (.humidity, 11): 12_000_000
    case (.humidity, 10): 7_000_000
    case (.humidity, _): 3_000_000
    case (.temperature, 14): 66_000_000
    case (.temperature, 13): 33_000_000
    case (.temperature, 12): 17_000_000
    case (.temperature, _): 9_000_000
    }
  }

  /// Returns the maximum measurement time in nanoseconds, for which a driver must wait before it
  /// reads the result (DS 5.4, table 7).
  public func longestTime(of quantity: SHT21Quantity) -> UInt64 {
    switch (quantity, bits(of: quantity)) {
    case (.humidity, 12): 29_000_000
    case (.humidity, 11): 15_000_000
    case (.humidity, 10): 9_000_000
    case (.humidity, _): 4_000_000
    case (.temperature, 14): 85_000_000
    case (.temperature, 13): 43_000_000
    case (.temperature, 12): 22_000_000
    case (.temperature, _): 11_000_000
    }
  }
}

/// Figures from the SHT21 datasheet: address, times, supply, power and accuracy.
public enum SHT21Figures {
  /// The I2C address, which is fixed (DS 5.2).
  public static var address: UInt16 { 0x40 }
  /// The maximum time from power-on until the chip is ready, in nanoseconds (DS 5.1).
  public static var startTime: UInt64 { 15_000_000 }
  /// The maximum duration of a soft reset, in nanoseconds (DS 5.5).
  public static var resetTime: UInt64 { 15_000_000 }
  /// The supply voltage below which the chip sets the end-of-battery bit, in V; accurate to 0.1 V
  /// (DS 5.6).
  public static var lowSupply: Double { 2.25 }
  /// The supply voltage for which the datasheet specifies its figures, in V (DS table 1).
  public static var usualSupply: Double { 3.0 }
  /// The sleep current, in µA (DS table 1).
  public static var sleepCurrent: Double { 0.15 }
  /// The current during a measurement, in µA (DS table 1).
  public static var measuringCurrent: Double { 300 }
  /// The heater power at 3 V, in mW (DS table 1).
  public static var heaterPower: Double { 5.5 }
  /// The minimum and maximum temperature rise caused by the heater, in °C (DS table 1).
  public static var heaterRise: ClosedRange<Double> { 0.5...1.5 }
  /// The typical temperature error at 25 °C, in °C (DS "Sensor performance").
  public static var temperatureAccuracy: Double { 0.3 }
  /// The typical humidity error at 25 °C, in % relative humidity (DS "Sensor performance").
  public static var humidityAccuracy: Double { 2 }
  /// The temperature repeatability, in °C (DS "Sensor performance").
  public static var temperatureRepeatability: Double { 0.1 }
  /// The humidity repeatability, in % relative humidity (DS "Sensor performance").
  public static var humidityRepeatability: Double { 0.1 }
  /// The maximum temperature drift per year, in °C (DS "Sensor performance").
  public static var temperaturePerYear: Double { 0.04 }
  /// The maximum humidity drift per year, in % relative humidity (DS "Sensor performance").
  public static var humidityPerYear: Double { 0.5 }
}
