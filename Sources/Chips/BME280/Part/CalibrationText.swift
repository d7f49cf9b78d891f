import BME280
import Text

/// The bytes of a calibration in one of the forms in which people have them.
///
/// A text is never quoted in a message: a rig may name any file, and its messages may end in a public log.
struct CalibrationText {
  /// Why a text is no calibration.
  typealias FormatError = CalibrationFormatError

  /// What the forms are, for messages.
  static let forms =
    "33 bytes (0x88 to 0xA1, then 0xE1 to 0xE7), 32 (without 0xA0) or 24 of a BMP280, a table of i2cdump, the words "
    + "dig_T1 to dig_H6, a trace, or a calibration file"

  /// Which chip it is.
  let chip: Chip
  /// The bytes of the NVM, 0x88...0xA1 then 0xE1...0xE7; a BMP280 uses the first 24.
  let nvm: InlineArray<33, UInt8>

  /// Reads a text that is no YAML: bytes, a table of i2cdump or words.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - chip: which chip it should be, where that is known and the text does not say it.
  /// - Throws: `FormatError` where the text is in one of these forms, and wrong; where it is in none there is no calibration.
  init?(_ text: String, for chip: Chip? = nil) throws(FormatError) {
    if let registers = try RegisterTable(text) {
      try self.init(registers: registers.bytes)
    } else if let words = CalibrationWords(text) {
      try self.init(words)
    } else if let bytes = try ByteList(text)?.bytes {
      try self.init(bytes: bytes, for: chip)
    } else {
      return nil
    }
  }

  /// Takes the words of a calibration.
  init(_ words: CalibrationWords) throws(FormatError) {
    chip = words.measuresHumidity ? .bme280 : .bmp280
    nvm = try words.calibration().bytes
  }

  /// Takes bytes without their addresses: which they are is known by how many they are.
  ///
  /// - Throws: `FormatError` where they are too few, too many, or all alike.
  init(bytes: [UInt8], for chip: Chip?) throws(FormatError) {
    let lower = Calibration.lowerLength
    let isBMP280 = chip.map { !$0.measuresHumidity } ?? true
    var image: [UInt8]
    switch bytes.count {
    case Calibration.bme280Length: image = bytes
    // 0xA0 is reserved; many drivers pass it over.
    case Calibration.bme280Length - 1: image = bytes[..<(lower - 2)] + [0] + bytes[(lower - 2)...]
    case Calibration.bmp280Length where isBMP280, lower where isBMP280:
      image = Array(bytes[..<Calibration.bmp280Length])
    case lower, Calibration.bmp280Length:
      throw FormatError(
        "\(bytes.count) bytes are not all of a bme280: the 7 bytes from 0xE1 on are missing")
    default:
      throw FormatError(
        "\("byte".counted(bytes.count)) \(bytes.count == 1 ? "is" : "are") no calibration, which takes \(Self.forms)"
      )
    }
    try self.init(image: image)
  }

  /// Takes registers by their addresses.
  ///
  /// - Parameter registers: 256 of them, `nil` where they are not known.
  /// - Throws: `FormatError` where one of the calibration is not known, or all are alike.
  init(registers: [UInt8?]) throws(FormatError) {
    let named = registers[0xD0].flatMap { Chip(identifier: $0) }
    if named == nil, let id = registers[0xD0], id != 0x00, id != 0xFF {
      throw FormatError(
        "0xD0 reads 0x\(Hexadecimal.digits(id)), which is not the id of a bme280 (0x60) or a bmp280 "
          + "(0x58)")
    }
    let hasUpper = (0xE1...0xE7).allSatisfy { registers[$0] != nil }
    let chip = named ?? (hasUpper ? .bme280 : .bmp280)
    var image: [UInt8] = []
    for index in 0..<Calibration.length(on: chip) {
      let register = Calibration.register(ofByte: index)
      // 0xA0 is reserved; many drivers pass it over.
      guard let byte = registers[register] ?? (register == 0xA0 ? 0 : nil) else {
        let digits = Hexadecimal.digits(UInt8(register)).uppercased()
        throw FormatError("the register 0x\(digits) of the \(chip.name) is not in it")
      }
      image.append(byte)
    }
    try self.init(image: image)
  }

  private init(image: [UInt8]) throws(FormatError) {
    guard Set(image).count > 1 else {
      throw FormatError("all bytes are 0x\(Hexadecimal.digits(image[0])): no part has answered")
    }
    var nvm = InlineArray<33, UInt8>(repeating: 0)
    for (index, byte) in image.enumerated() { nvm[index] = byte }
    chip = image.count == Calibration.bme280Length ? .bme280 : .bmp280
    self.nvm = nvm
  }
}
