/// FICR: the factory information, by offset.
///
/// Product specification v1.4, FICR: part 52832, variant AAE0, package QFN48, 64 KB of RAM, 512 KB of flash in pages
/// of 4,096 bytes.
enum FICR {
  static let CODEPAGESIZE = 0x010
  static let CODESIZE = 0x014
  /// DEVICEID[0], the first of two.
  static let DEVICEID = 0x060
  static let DEVICEADDRTYPE = 0x0A0
  /// DEVICEADDR[0], the first of two.
  static let DEVICEADDR = 0x0A4
  static let INFO_PART = 0x100
  static let INFO_VARIANT = 0x104
  static let INFO_PACKAGE = 0x108
  static let INFO_RAM = 0x10C
  static let INFO_FLASH = 0x110
  /// Two undocumented words from which start-up code reads the chip's revision.
  static let revision = 0x130
  /// TEMP.A0; A1 to A5, B0 to B5 and T0 to T4 follow.
  static let TEMP_A0 = 0x404

  /// Returns the words that differ from the erased state; the identity of the chip is derived from a seed.
  static func words(seed: UInt64) -> [(offset: Int, word: UInt32)] {
    let low = UInt32(truncatingIfNeeded: ((seed &+ 1) &* 0x9E37_79B9_7F4A_7C15) >> 32)
    let high = UInt32(truncatingIfNeeded: ((seed &+ 1) &* 0xBF58_476D_1CE4_E5B9) >> 32)
    let words: [(offset: Int, word: UInt32)] = [
      (CODEPAGESIZE, 4096), (CODESIZE, 128), (DEVICEID, low), (DEVICEID + 4, high),
      (DEVICEADDRTYPE, 0xFFFF_FFFF), (DEVICEADDR, high ^ low),
      (DEVICEADDR + 4, 0xFFFF_0000 | low & 0xFFFF),
      (INFO_PART, 0x52832), (INFO_VARIANT, 0x4141_4530), (INFO_PACKAGE, 0x2000), (INFO_RAM, 64),
      (INFO_FLASH, 512), (revision, 6), (revision + 4, 5),
    ]
    return words + temperature.enumerated().map { (TEMP_A0 + $0.offset * 4, $0.element) }
  }

  /// Slopes A0 to A5, intercepts B0 to B5 and end points T0 to T4: the reset values of TEMP's registers.
  private static let temperature: [UInt32] = [
    0x320, 0x343, 0x35D, 0x400, 0x452, 0x37B,
    0x3FCC, 0x3F98, 0x3F98, 0x12, 0x6A, 0x3DD0,
    0xE2, 0, 0x14, 0x19, 0x50,
  ]

  /// The register of COMP to which start-up code copies a trim value (erratum 12); it has no effect in the model.
  static let trims: [UInt32] = [0x4001_3540]
}

/// UICR: the user information, by offset.
enum UICR {
  /// PSELRESET[0], the first of two.
  static let PSELRESET = 0x200

  /// The words of a new module: pin 21 is the reset pin, so that start-up code need not write it.
  static let words: [(offset: Int, word: UInt32)] = [(PSELRESET, 21), (PSELRESET + 4, 21)]
}
