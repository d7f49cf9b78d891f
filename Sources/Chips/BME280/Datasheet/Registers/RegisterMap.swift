/// One entry of the memory map: a run of registers with a name, access and reset value.
public struct RegisterDescription: Sendable {
  /// What a write does.
  public enum Access: UInt8, Sendable {
    /// Reads only; a write has no effect.
    case readOnly
    /// Reads back what was written.
    case readWrite
    /// Commands; always reads 0x00.
    case writeOnly
  }

  /// The datasheet's name.
  public let name: StaticString
  /// The address of the first register.
  public let address: UInt8
  /// The number of registers.
  public let count: Int
  /// What a write does.
  public let access: Access
  /// The bits that mean something; the others read 0.
  public let mask: UInt8
  /// The value of each after reset; `nil` where every part has its own (calibration).
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
  /// The documented registers of a chip in the order of their addresses.
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
