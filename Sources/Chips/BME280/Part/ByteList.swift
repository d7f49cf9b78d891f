import Text

/// Bytes that were written down: in pairs of digits, spaced in any way, or as a list of numbers.
struct ByteList {
  /// The bytes.
  let bytes: [UInt8]

  /// What may stand between the bytes.
  private static let separators = Set(" \t\r\n,;:-_[](){}'\"\\|".utf8)

  /// Reads bytes.
  ///
  /// - Returns: the bytes, or `nil` where the text is something else.
  /// - Throws: `CalibrationText.FormatError` where a digit is missing.
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

  /// The lines without comments.
  private static func lines(_ text: String) -> [[UInt8]] {
    text.split(whereSeparator: \.isNewline).map { line in
      let bare = line.split(separator: "#", omittingEmptySubsequences: false).first ?? ""
      // The mark of bytes in Python is no digit.
      return Array(bare.replacing("b'", with: "'").replacing("b\"", with: "\"").utf8)
    }
  }

  /// The hexadecimal digits of a word, without the mark `0x` or `\x`.
  private static func digits(_ word: ArraySlice<UInt8>) -> (digits: [UInt8], hasMark: Bool)? {
    let mark = UInt8(ascii: "x")
    let hasMark = word.prefix(2).last.map { $0 | 0x20 } == mark || word.first == mark
    let rest = Array(hasMark ? word.drop { $0 | 0x20 != mark }.dropFirst() : word)
    // Bytes of Python and C: \x6e\x6c, whose backslashes were taken away already.
    guard !rest.isEmpty, rest.allSatisfy({ Hexadecimal.value($0) != nil }) else { return nil }
    return (rest, hasMark)
  }
}
