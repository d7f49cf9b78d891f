/// FICR and UICR as a part comes from the factory.
enum FactoryWords {
  /// The words of FICR by offset; the rest reads as erased.
  ///
  /// Product specification v1.4, FICR: part 52832, variant
  /// AAE0, package QFN48, 64 KB of RAM, 512 KB of flash in pages of 4,096 bytes.
  static func words(seed: UInt64) -> [(offset: Int, word: UInt32)] {
    let low = UInt32(truncatingIfNeeded: ((seed &+ 1) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    let high = UInt32(truncatingIfNeeded: ((seed &+ 1) &* 0xBF58_476D_1CE4_E5B9) >> 32)
    return [
      (0x010, 4096), (0x014, 128), (0x060, low), (0x064, high),
      (0x0A0, 0xFFFF_FFFF), (0x0A4, high ^ low), (0x0A8, 0xFFFF_0000 | low & 0xFFFF),
      (0x100, 0x52832), (0x104, 0x4141_4530), (0x108, 0x2000), (0x10C, 64), (0x110, 512),
      // What start-up code takes the revision of the silicon from.
      (0x130, 6), (0x134, 5),
    ] + temperature
  }

  /// Slopes, intercepts and borders of the thermometer: those that its registers have after a reset.
  private static let temperature: [(offset: Int, word: UInt32)] = [
    (0x404, 0x320), (0x408, 0x343), (0x40C, 0x35D), (0x410, 0x400), (0x414, 0x452), (0x418, 0x37B),
    (0x41C, 0x3FCC), (0x420, 0x3F98), (0x424, 0x3F98), (0x428, 0x12), (0x42C, 0x6A),
    (0x430, 0x3DD0), (0x434, 0xE2), (0x438, 0), (0x43C, 0x14), (0x440, 0x19), (0x444, 0x50),
  ]

  /// Where start-up code carries a factory word to against erratum 12 (COMP); a trim without an effect here.
  static let trims: [UInt32] = [0x4001_3540]

  /// The words of UICR: the reset pin is 21 on such a module, so that start-up code need not write it.
  static let settings: [(offset: Int, word: UInt32)] = [(0x200, 21), (0x204, 21)]
}
