import BME280
import BME280Model
import I2C
import I2CTrace
import Support

/// The bytes of a calibration, parsed from one of the common forms.
///
/// Error messages never quote the text, because a rig may name any file and the messages may appear
/// in a public log.
struct CalibrationText {
  /// The reason why a text is not a valid calibration.
  typealias FormatError = CalibrationFormatError

  /// The accepted forms, for error messages.
  static let forms =
    "33 bytes (0x88 to 0xA1, then 0xE1 to 0xE7), 32 (without 0xA0) or 24 of a BMP280, a table of i2cdump, the words "
    + "dig_T1 to dig_H6, a trace, or a calibration file"

  let chip: Chip
  /// The bytes of the NVM, 0x88...0xA1 then 0xE1...0xE7; a BMP280 uses the first 24.
  let nvm: InlineArray<33, UInt8>

  /// Parses a text that consists of bytes, an `i2cdump` table or calibration words, but is not
  /// YAML.
  ///
  /// The result is `nil` if the text is in none of these forms.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - chip: the chip to assume if the text does not determine it; `nil` if unknown.
  /// - Throws: `FormatError` if the text is in one of these forms, but invalid.
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

  /// Creates a calibration from calibration words.
  init(_ words: CalibrationWords) throws(FormatError) {
    chip = words.measuresHumidity ? .bme280 : .bmp280
    nvm = try words.calibration().bytes
  }

  /// Creates a calibration from bytes without register addresses, whose number determines the chip.
  ///
  /// - Throws: `FormatError` if the number of bytes is wrong or all bytes are equal.
  init(bytes: [UInt8], for chip: Chip?) throws(FormatError) {
    let lower = Calibration.lowerLength
    let isBMP280 = chip.map { !$0.measuresHumidity } ?? true
    var image: [UInt8]
    switch bytes.count {
    case Calibration.bme280Length: image = bytes
    // 0xA0 is reserved; many drivers omit it.
    case Calibration.bme280Length - 1: image = bytes[..<(lower - 2)] + [0] + bytes[(lower - 2)...]
    case Calibration.bmp280Length where isBMP280, lower where isBMP280:
      image = Array(bytes[..<Calibration.bmp280Length])
    case lower, Calibration.bmp280Length:
      throw FormatError(
        "\(bytes.count) bytes are an incomplete calibration of a bme280: the 7 bytes from 0xE1 are missing"
      )
    default:
      throw FormatError(
        "\("byte".counted(bytes.count)) \(bytes.count == 1 ? "is" : "are") not a valid calibration (accepted: \(Self.forms))"
      )
    }
    try self.init(image: image)
  }

  /// Creates a calibration from a register dump.
  ///
  /// - Parameter registers: the values of 256 registers; `nil` for each unknown value.
  /// - Throws: `FormatError` if the id is that of a different chip, the value of a calibration
  ///   register is unknown, or all values are equal.
  init(registers: [UInt8?]) throws(FormatError) {
    let named = registers[Int(Register.id)].flatMap { Chip(identifier: $0) }
    if named == nil, let id = registers[Int(Register.id)], id != 0x00, id != 0xFF {
      throw FormatError(
        "0xD0 reads 0x\(Hexadecimal.digits(id)), which is not the id of a bme280 (0x60) or a bmp280 "
          + "(0x58)")
    }
    let hasUpper = (0xE1...0xE7).allSatisfy { registers[$0] != nil }
    let chip = named ?? (hasUpper ? .bme280 : .bmp280)
    var image: [UInt8] = []
    for index in 0..<Calibration.length(on: chip) {
      let register = Calibration.register(ofByte: index)
      // 0xA0 is reserved; many drivers omit it.
      guard let byte = registers[register] ?? (register == 0xA0 ? 0 : nil) else {
        let digits = Hexadecimal.digits(UInt8(register)).uppercased()
        throw FormatError("the register 0x\(digits) of the \(chip.name) is missing")
      }
      image.append(byte)
    }
    try self.init(image: image)
  }

  private init(image: [UInt8]) throws(FormatError) {
    guard Set(image).count > 1 else {
      throw FormatError("all bytes are 0x\(Hexadecimal.digits(image[0])): no part responded")
    }
    var nvm = InlineArray<33, UInt8>(repeating: 0)
    for (index, byte) in image.enumerated() { nvm[index] = byte }
    chip = image.count == Calibration.bme280Length ? .bme280 : .bmp280
    self.nvm = nvm
  }
}

extension CalibrationText {
  /// The text with which every trace begins.
  static let traceMark = #"{"i2ctrace""#

  /// Extracts the calibration that a program reads in a trace.
  ///
  /// If a trace contains several parts, the result is the complete calibration with the lowest bus
  /// number and address.
  init(trace text: String) throws(FormatError) {
    var parts: [PartAddress: RecordedPart] = [:]
    do {
      var rest: [UInt8]? = Array(text.utf8)
      var reader = try TraceReader {
        defer { rest = nil }
        return rest
      }
      while let transfer = try reader.next() {
        guard let address = transfer.messages.first?.segment.address else { continue }
        parts[PartAddress(bus: transfer.bus, address: address), default: RecordedPart()].take(
          transfer)
      }
    } catch let error as TraceError where error.kind == .cutOff {
      // The trace up to the cut may contain the calibration.
    } catch let error as TraceError {
      throw FormatError("line \(error.line): \(error.message)")
    } catch {
      throw FormatError("\(error)")
    }
    var problem = FormatError("the trace has no read from 0x88, where a calibration begins")
    for (_, part) in parts.inOrder(by: { $0.key < $1.key }) where part.registers[0x88] != nil {
      do throws(FormatError) {
        self = try CalibrationText(registers: part.registers)
        return
      } catch {
        problem = error
      }
    }
    throw problem
  }

  /// The bus and address of a part in a trace.
  private struct PartAddress: Hashable, Comparable {
    let bus: Int
    let address: I2CAddress

    static func < (left: PartAddress, right: PartAddress) -> Bool {
      (left.bus, left.address.rawValue) < (right.bus, right.address.rawValue)
    }
  }
}

/// Calibration words by the datasheet's names, as drivers print them, such as `dig_T1: 27504`.
struct CalibrationWords {
  /// The names of the words and their ranges, in the datasheet's order.
  static let ranges: [(name: String, range: ClosedRange<Int>)] = {
    let signed = -32768...32767
    return [("T1", 0...65535), ("T2", signed), ("T3", signed), ("P1", 0...65535)]
      + (2...9).map { ("P\($0)", signed) }
      + [
        ("H1", 0...255), ("H2", signed), ("H3", 0...255), ("H4", -2048...2047),
        ("H5", -2048...2047), ("H6", -128...127),
      ]
  }()

  /// The values of the parsed words; each key is a name without `dig_`.
  private(set) var words: [String: Int]
  /// The error messages for words that could not be parsed; each key is a name without `dig_`.
  private var problems: [String: String] = [:]

  init(words: [String: Int]) { self.words = words }

  /// `true` if at least one humidity word was parsed.
  var measuresHumidity: Bool { words.keys.contains { $0.hasPrefix("H") } }

  /// Finds the words in a text, or returns `nil` if it contains fewer than three.
  init?(_ text: String) {
    words = [:]
    let bytes = Array(text.utf8)
    var index = 0
    while index + 2 < bytes.count {
      defer { index += 1 }
      guard let name = Self.name(at: index, in: bytes) else { continue }
      let value = Self.value(at: index + 2, in: bytes)
      if let number = Self.number(value) {
        let isMarked = index > 0 && Self.isLetter(bytes[index - 1])
        if let first = words[name], first != number, isMarked {
          problems[name] = "dig_\(name) appears twice, with different numbers"
        }
        words[name] = words[name] ?? number
      } else if words[name] == nil, value.contains(where: { ("0"..."9").contains($0) }) {
        problems[name] = "the value of dig_\(name) is not a whole number"
      }
    }
    guard words.count + problems.count >= 3 else { return nil }
  }

  /// Converts the words to a calibration.
  ///
  /// - Throws: `CalibrationText.FormatError` for a word that is missing, duplicate, out of range or not a whole
  ///   number.
  func calibration() throws(CalibrationText.FormatError) -> Calibration {
    var values: [String: Int] = [:]
    let wanted = Self.ranges.filter { measuresHumidity || !$0.name.hasPrefix("H") }
    for (name, _) in wanted {
      if let problem = problems[name] { throw CalibrationText.FormatError(problem) }
    }
    let missing = wanted.filter { words[$0.name] == nil }.map { "dig_\($0.name)" }
    guard missing.isEmpty else {
      throw CalibrationText.FormatError(
        "the calibration is missing \(missing.joined(separator: ", "))")
    }
    for (name, range) in wanted {
      let word = words[name] ?? 0
      guard range.contains(word) else {
        throw CalibrationText.FormatError(
          "dig_\(name) takes \(range.lowerBound) to \(range.upperBound), not \(word)")
      }
      values[name] = word
    }
    func unsigned(_ name: String) -> UInt16 { UInt16(values[name] ?? 0) }
    func signed(_ name: String) -> Int16 { Int16(values[name] ?? 0) }
    return Calibration(
      t1: unsigned("T1"), t2: signed("T2"), t3: signed("T3"),
      p1: unsigned("P1"), p2: signed("P2"), p3: signed("P3"), p4: signed("P4"), p5: signed("P5"),
      p6: signed("P6"), p7: signed("P7"), p8: signed("P8"), p9: signed("P9"),
      h1: UInt8(values["H1"] ?? 0), h2: signed("H2"), h3: UInt8(values["H3"] ?? 0),
      h4: signed("H4"), h5: signed("H5"), h6: Int8(values["H6"] ?? 0))
  }

  /// Returns the name of the word at an index, such as `T1`, or `nil` if no name starts there.
  ///
  /// The name may follow the prefix `dig` or `dig_`.
  private static func name(at index: Int, in bytes: [UInt8]) -> String? {
    if index > 0, isLetter(bytes[index - 1]) {
      // Directly after a letter, a name is accepted only if the preceding letters are `dig` or
      // `dig_`.
      let before = String(decoding: bytes[max(0, index - 4)..<index], as: UTF8.self).lowercased()
      guard before.hasSuffix("dig") || before.hasSuffix("dig_") else { return nil }
    }
    if index + 2 < bytes.count, isLetter(bytes[index + 2]) { return nil }
    let name = String(decoding: bytes[index..<index + 2], as: UTF8.self).uppercased()
    return ranges.contains { $0.name == name } ? name : nil
  }

  /// Returns the text of the value after a name.
  ///
  /// Skips the separators that common programming languages write before a value, and stops at the
  /// delimiter after it.
  private static func value(at start: Int, in bytes: [UInt8]) -> String {
    let begin = bytes[start...].firstIndex { !between.contains($0) } ?? bytes.endIndex
    var end = begin
    while end < bytes.count, end - begin < longest {
      let isInside =
        end > begin && isDigit(bytes[end - 1]) && end + 1 < bytes.count && isDigit(bytes[end + 1])
      // A mark between two digits belongs to the number, as a decimal point or a separator of digit
      // groups.
      guard
        isLetter(bytes[end]) || signs.contains(bytes[end]) || isInside && marks.contains(bytes[end])
      else { break }
      end += 1
    }
    return String(decoding: bytes[begin..<end], as: UTF8.self)
  }

  private static let between = Set(" \t:='\"[(,".utf8), signs = Set("-+".utf8),
    marks = Set(".,/'".utf8)
  /// The maximum length of a number, in bytes.
  private static let longest = 40

  /// Parses a whole number; a fraction is accepted if all of its digits are zeros.
  private static func number(_ value: String) -> Int? {
    var word = Substring(value.lowercased())
    if word.hasPrefix("0x") { return Int(word.dropFirst(2), radix: 16) }
    if let point = word.firstIndex(of: "."), word[point...].dropFirst().allSatisfy({ $0 == "0" }) {
      word = word[..<point]
    }
    return Int(word)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Returns `true` for a letter, a digit or an underscore.
  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// Bytes parsed from text: pairs of hexadecimal digits with any spacing, or a list of decimal
/// numbers.
struct ByteList {
  let bytes: [UInt8]

  /// The accepted separators between bytes.
  private static let separators = Set(" \t\r\n,;:-_[](){}'\"\\|".utf8)

  /// Parses bytes.
  ///
  /// - Returns: the bytes, or `nil` if the text is something else.
  /// - Throws: `CalibrationText.FormatError` if a group has an odd number of hexadecimal digits.
  init?(_ text: String) throws(CalibrationText.FormatError) {
    let words = Self.lines(text).flatMap { $0.split(whereSeparator: Self.separators.contains) }
    var isPrefixed = false
    var digits: [[UInt8]] = []
    for word in words {
      guard var found = Self.digits(word) else { return nil }
      if found.hasMark {
        isPrefixed = true
        if found.digits.count == 1 { found.digits.insert(UInt8(ascii: "0"), at: 0) }
      }
      digits.append(found.digits)
    }
    guard !digits.isEmpty else { return nil }
    let numbers = words.map { Int(String(decoding: $0, as: UTF8.self)) ?? 256 }
    let isDecimal = text.contains(",") && numbers.allSatisfy { (0...255).contains($0) }
    if !isPrefixed, isDecimal, !digits.allSatisfy({ $0.count == 2 }) {
      bytes = numbers.map(UInt8.init)
    } else if let odd = digits.firstIndex(where: { !$0.count.isMultiple(of: 2) }) {
      throw CalibrationText.FormatError(
        "the group \(odd + 1) of \(digits.count) has \(digits[odd].count) hexadecimal digits, which are not whole bytes"
      )
    } else {
      bytes = digits.flatMap { Hexadecimal.bytes($0) }
    }
  }

  /// Returns the lines of a text without `#` comments and without the prefix of Python byte
  /// strings.
  private static func lines(_ text: String) -> [[UInt8]] {
    text.split(whereSeparator: \.isNewline).map { line in
      let bare = line.split(separator: "#", omittingEmptySubsequences: false).first ?? ""
      // The b prefix of Python byte strings is not a digit.
      return Array(bare.replacing("b'", with: "'").replacing("b\"", with: "\"").utf8)
    }
  }

  /// Returns the hexadecimal digits of a word without the prefix `0x` or `\x`, or `nil` if it
  /// contains other characters.
  private static func digits(_ word: ArraySlice<UInt8>) -> (digits: [UInt8], hasMark: Bool)? {
    let mark = UInt8(ascii: "x")
    let hasMark = word.prefix(2).last.map { $0 | 0x20 } == mark || word.first == mark
    let rest = Array(hasMark ? word.drop { $0 | 0x20 != mark }.dropFirst() : word)
    // In byte strings of Python and C, such as \x6e\x6c, the backslashes were already removed as
    // separators.
    guard !rest.isEmpty, rest.allSatisfy({ Hexadecimal.value($0) != nil }) else { return nil }
    return (rest, hasMark)
  }
}

/// A register dump of a part, as printed by `i2cdump -y 1 0x76`.
struct RegisterTable {
  /// The values of the 256 registers; `nil` for each register that the dump does not contain.
  private(set) var bytes = [UInt8?](repeating: nil, count: 256)

  /// Parses a dump.
  ///
  /// - Returns: the table, or `nil` if the text is not a dump.
  /// - Throws: `CalibrationFormatError` if the dump consists of words instead of bytes.
  init?(_ text: String) throws(CalibrationFormatError) {
    var rows = 0
    for line in text.split(whereSeparator: \.isNewline) {
      let row = Array(line.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") })
      guard row.count > 6, row[2] == UInt8(ascii: ":"), row[3] == UInt8(ascii: " "),
        let first = Self.byte(row[0], row[1]), first & 0x07 == 0
      else { continue }
      let cells = row[4...].split(separator: UInt8(ascii: " "))
      if let cell = cells.first, cell.count == 4, cell.allSatisfy({ Hexadecimal.value($0) != nil })
      {
        throw CalibrationFormatError(
          "this is a table of words; i2cdump prints bytes with the mode 'b'")
      }
      rows += 1
      take(row, from: Int(first))
    }
    guard rows > 0 else { return nil }
  }

  /// Parses a row by column positions, because registers outside the dumped range are blank and
  /// failed reads are `XX`.
  private mutating func take(_ row: [UInt8], from first: Int) {
    for index in 0..<16 where first + index < 256 {
      let column = 4 + 3 * index
      guard column + 1 < row.count else { return }
      bytes[first + index] = Self.byte(row[column], row[column + 1])
    }
  }

  private static func byte(_ upper: UInt8, _ lower: UInt8) -> UInt8? {
    guard let upper = Hexadecimal.value(upper), let lower = Hexadecimal.value(lower) else {
      return nil
    }
    return upper << 4 | lower
  }
}

/// The reason why a text is not a valid calibration.
struct CalibrationFormatError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
