import BME280

/// What real parts return where the datasheet promises nothing, as several dumps agree.
///
/// Where parts differ, the value of one of them stands: 0x80...0x87 and 0xA2 are those of the dumps
/// saltpp-rpi3 (BME280) and bmp-orangepi (BMP280), 0xE8 that of fm4dd-getbme280.
enum ReservedRegisters {
  /// The value of a reserved register of a chip.
  static func value(of register: UInt8, on chip: Chip, latchedHumidity: UInt8) -> UInt8 {
    switch register {
    case 0xAC: 0x33
    case 0xAF: 0xC0
    case 0xB1: 0x54
    case 0xB6: 0x60
    case 0xB7: 0x02
    case 0xB9: 0x01
    case 0xBA, 0xC3: 0xFF
    case 0xBD: 0x60
    case 0xBE: 0x03
    default:
      chip.measuresHumidity
        ? bme280Value(of: register, latchedHumidity: latchedHumidity) : bmp280Value(of: register)
    }
  }

  private static func bme280Value(of register: UInt8, latchedHumidity: UInt8) -> UInt8 {
    switch register {
    case 0x80...0x87:
      let bytes: InlineArray<8, UInt8> = [0x8C, 0x50, 0x89, 0x1F, 0x6E, 0x32, 0x79, 0x06]
      return bytes[Int(register) - 0x80]
    case 0xA2: return 0x96
    case 0xBB: return 0xFF
    case 0xBC: return 0x1F
    case 0xC8: return latchedHumidity
    case 0xE8: return 0x37
    case 0xE9: return 0x41
    case 0xEA...0xF0: return 0xFF
    case 0xFF: return 0x80
    default: return 0
    }
  }

  /// In all dumps of a BMP280 0xBB repeats 0xA2.
  private static func bmp280Value(of register: UInt8) -> UInt8 {
    switch register {
    case 0x80...0x87:
      let bytes: InlineArray<8, UInt8> = [0x93, 0x70, 0x90, 0x3A, 0x53, 0x37, 0xFD, 0x00]
      return bytes[Int(register) - 0x80]
    case 0xA2, 0xBB: return 0xB2
    case 0xBC: return 0x13
    default: return 0
    }
  }
}
