/// What the maker writes into the system memory, by offset from 0x1FFF7000.
enum FactoryInformation {
  /// The identity of 96 bits, the size of the flash in KB, and the calibration of the converter.
  static func words(seed: UInt64) -> [(Int, UInt32)] {
    [
      (0xA10, UInt32(truncatingIfNeeded: seed)), (0xA14, UInt32(truncatingIfNeeded: seed >> 32)),
      (0xA18, 0x2036_3551), (0xA20, 512 << 16), (0xA28, 1500 << 16), (0xA2C, 1200 << 16 | 940),
    ]
  }
}
