import BME280

/// What real parts return where the datasheet promises nothing, as several dumps agree.
///
/// Where parts differ, the value of one of them stands: 0x80...0x87 and 0xA2 are those of the dump
/// saltpp-rpi3, 0xE8 that of fm4dd-getbme280.
enum ReservedRegisters {
  /// The value of a reserved register of a chip.
  static func value(of register: UInt8, on chip: Chip, latchedHumidity: UInt8) -> UInt8 {
    switch register {
    case 0x80...0x87:
      let bytes: InlineArray<8, UInt8> = [0x8C, 0x50, 0x89, 0x1F, 0x6E, 0x32, 0x79, 0x06]
      return bytes[Int(register) - 0x80]
    case 0xA2: return 0x96
    case 0xAC: return 0x33
    case 0xAF: return 0xC0
    case 0xB1: return 0x54
    case 0xB6: return 0x60
    case 0xB7: return 0x02
    case 0xB9: return 0x01
    case 0xBA, 0xBB, 0xC3: return 0xFF
    case 0xBC: return 0x1F
    case 0xBD: return 0x60
    case 0xBE: return 0x03
    case 0xC8: return chip.measuresHumidity ? latchedHumidity : 0
    case 0xE8: return chip.measuresHumidity ? 0x37 : 0
    case 0xE9: return chip.measuresHumidity ? 0x41 : 0
    case 0xEA...0xF0: return chip.measuresHumidity ? 0xFF : 0
    case 0xFF: return chip.measuresHumidity ? 0x80 : 0
    default: return 0
    }
  }
}
