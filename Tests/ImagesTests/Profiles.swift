@testable import Images

/// Where three microcontrollers have their memories, by their data sheets.
enum Profiles {
  static let nrf = MemoryProfile(
    name: "nrf52832", architecture: .arm, flash: 0..<0x8_0000, ram: 0x2000_0000..<0x2001_0000,
    others: [0x1000_1000..<0x1000_2000])
  static let stm = MemoryProfile(
    name: "stm32f411", architecture: .arm, flash: 0x800_0000..<0x808_0000,
    ram: 0x2000_0000..<0x2002_0000)
  static let avr = MemoryProfile(
    name: "atmega328p", architecture: .avr, flash: 0..<0x8000, ram: 0x100..<0x900, eeprom: 1024,
    hasFloat: false, avrFamily: 5)
  static let all = [nrf, stm, avr]
}
