/// Register addresses (DS 5.3).
public enum Register {
  /// The first register of the lower calibration block, 0x88...0xA1: temperature, pressure and H1.
  @inlinable public static var calibrationLower: UInt8 { 0x88 }
  /// The chip id.
  @inlinable public static var id: UInt8 { 0xD0 }
  /// Soft reset; writing 0xB6 runs the power-on procedure.
  @inlinable public static var reset: UInt8 { 0xE0 }
  /// The first register of the upper calibration block, 0xE1...0xE7: humidity.
  @inlinable public static var calibrationUpper: UInt8 { 0xE1 }
  /// Humidity oversampling, effective after the next write to ``controlMeasurement``.
  @inlinable public static var controlHumidity: UInt8 { 0xF2 }
  /// Status bits: measurement and NVM copy in progress.
  @inlinable public static var status: UInt8 { 0xF3 }
  /// Oversampling of temperature and pressure, and the power mode.
  @inlinable public static var controlMeasurement: UInt8 { 0xF4 }
  /// Standby time, filter and 3-wire SPI.
  @inlinable public static var configuration: UInt8 { 0xF5 }
  /// The first data register: pressure, temperature, humidity, most significant byte first.
  @inlinable public static var data: UInt8 { 0xF7 }

  /// The value that resets the chip when written to `reset`.
  @inlinable public static var resetCommand: UInt8 { 0xB6 }
}

/// An entry of the memory map: consecutive registers with name, access and reset value.
public struct RegisterDescription: Sendable {
  /// The access to a register.
  public enum Access: UInt8, Sendable {
    /// Read-only; a write has no effect.
    case readOnly
    /// Read-write; reads back the value written.
    case readWrite
    /// Write-only, for commands; reads 0x00.
    case writeOnly
  }

  /// The name in the datasheet.
  public let name: StaticString
  /// The address of the first register.
  public let address: UInt8
  /// The number of registers.
  public let count: Int
  /// The access that the registers allow.
  public let access: Access
  /// The assigned bits; the other bits read 0.
  public let mask: UInt8
  /// The value of each register after reset; `nil` if it differs from part to part (calibration).
  public let resetValue: UInt8?

  init(
    _ name: StaticString, _ address: UInt8, count: Int = 1, _ access: Access,
    mask: UInt8 = 0xFF, reset: UInt8?
  ) {
    self.name = name
    self.address = address
    self.count = count
    self.access = access
    self.mask = mask
    resetValue = reset
  }
}

/// The memory map of a chip (BME280 DS 5.3 table 18, BMP280 DS 4.2).
public enum RegisterMap {
  /// Returns the documented registers of a chip in ascending order.
  public static func registers(of chip: Chip) -> [RegisterDescription] {
    var map: [RegisterDescription] = [
      .init(
        "calib00", Register.calibrationLower, count: chip.measuresHumidity ? 26 : 24, .readOnly,
        reset: nil),
      .init("id", Register.id, .readOnly, reset: chip.identifier),
      .init("reset", Register.reset, .writeOnly, reset: 0x00),
    ]
    if chip.measuresHumidity {
      map += [
        .init("calib26", Register.calibrationUpper, count: 7, .readOnly, reset: nil),
        .init("ctrl_hum", Register.controlHumidity, .readWrite, mask: 0x07, reset: 0x00),
      ]
    }
    map += [
      .init("status", Register.status, .readOnly, mask: 0x09, reset: 0x00),
      .init("ctrl_meas", Register.controlMeasurement, .readWrite, reset: 0x00),
      .init("config", Register.configuration, .readWrite, mask: 0xFD, reset: 0x00),
      .init("press_msb", 0xF7, .readOnly, reset: 0x80),
      .init("press_lsb", 0xF8, .readOnly, reset: 0x00),
      .init("press_xlsb", 0xF9, .readOnly, mask: 0xF0, reset: 0x00),
      .init("temp_msb", 0xFA, .readOnly, reset: 0x80),
      .init("temp_lsb", 0xFB, .readOnly, reset: 0x00),
      .init("temp_xlsb", 0xFC, .readOnly, mask: 0xF0, reset: 0x00),
    ]
    if chip.measuresHumidity {
      map += [
        .init("hum_msb", 0xFD, .readOnly, reset: 0x80),
        .init("hum_lsb", 0xFE, .readOnly, reset: 0x00),
      ]
    }
    return map
  }
}

/// A chip of the family: the BME280, or the BMP280, which does not measure humidity.
public enum Chip: UInt8, Hashable, Sendable, CaseIterable {
  /// The BME280, which measures temperature, pressure and humidity.
  case bme280
  /// The BMP280, which measures temperature and pressure.
  case bmp280

  /// The chip id in register 0xD0 of production parts (BME280 DS 5.4.1, BMP280 DS 4.3.1).
  @inlinable public var identifier: UInt8 {
    switch self {
    case .bme280: 0x60
    case .bmp280: 0x58
    }
  }

  /// Creates the chip with an id, or `nil` if the id is unknown.
  ///
  /// The ids of BMP280 samples (0x56, 0x57) are accepted.
  @inlinable
  public init?(identifier: UInt8) {
    switch identifier {
    case 0x60: self = .bme280
    case 0x56, 0x57, 0x58: self = .bmp280
    default: return nil
    }
  }

  /// `true` if the chip measures humidity.
  @inlinable public var measuresHumidity: Bool { self == .bme280 }

  /// The number of data registers starting at 0xF7.
  @inlinable public var dataLength: Int { measuresHumidity ? 8 : 6 }

  /// The lower-case name in rigs and calibration files.
  public var name: StaticString {
    switch self {
    case .bme280: "bme280"
    case .bmp280: "bmp280"
    }
  }
}
