import BME280

/// The defect that the thesis shipped, planted where the image is built with `LOW_BYTE_DEFECT`.
enum Defect {
  /// A calibration as the program takes it.
  ///
  /// With the defect the low bytes of signed words are signed as well: from 0x80 on they wipe the high byte.
  static func planted(in calibration: Calibration) -> Calibration {
    #if LOW_BYTE_DEFECT
      var wrong = calibration
      func low(_ word: Int16) -> Int16 { word & 0x80 != 0 ? word | ~0x7F : word }
      wrong.p2 = low(wrong.p2)
      wrong.p3 = low(wrong.p3)
      wrong.p4 = low(wrong.p4)
      wrong.p5 = low(wrong.p5)
      wrong.p6 = low(wrong.p6)
      wrong.p7 = low(wrong.p7)
      wrong.p8 = low(wrong.p8)
      wrong.p9 = low(wrong.p9)
      return wrong
    #else
      return calibration
    #endif
  }
}
