import Text

extension BMP180Part {
  /// The calibration of a dump of a BMP180's registers, as the lines of its device in a rig.
  ///
  /// - Throws: `CalibrationFormatError` where a register of it is missing, or a word is not sound.
  static func calibration(
    in table: RegisterTable
  ) throws(CalibrationFormatError) -> String {
    var bytes: [UInt8] = []
    for index in 0..<BMP180Calibration.byteCount {
      let register = Int(BMP180Register.calibration) + index
      guard let byte = table.bytes[register] else {
        let digits = Hexadecimal.digits(UInt8(register)).uppercased()
        throw CalibrationFormatError("the register 0x\(digits) of the bmp180 is not in it")
      }
      bytes.append(byte)
    }
    let calibration = BMP180Calibration(bytes: bytes.span)
    guard calibration.isSound else {
      throw CalibrationFormatError(
        "a word of the bmp180's calibration is 0x0000 or 0xFFFF, which no part has")
    }
    let words = [
      Int(calibration.ac1), Int(calibration.ac2), Int(calibration.ac3), Int(calibration.ac4),
      Int(calibration.ac5), Int(calibration.ac6), Int(calibration.b1), Int(calibration.b2),
      Int(calibration.mb), Int(calibration.mc), Int(calibration.md),
    ]
    return """
      # a BMP180, as 0xD0 reads 0x55: these two lines belong in a device of a rig
      # AC1 to AC6, B1, B2, MB, MC, MD: \(words.map(String.init).joined(separator: " "))
      model: bmp180
      calibration: "\(bytes.map { Hexadecimal.digits($0) }.joined())"

      """
  }
}
