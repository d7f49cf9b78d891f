import BME280
import Text

/// The words of a calibration by the datasheet's names, as drivers print them: `dig_T1: 27504`.
struct CalibrationWords {
  /// The words with their ranges, in the datasheet's order.
  static let ranges: [(name: String, range: ClosedRange<Int>)] = {
    let signed = -32768...32767
    return [("T1", 0...65535), ("T2", signed), ("T3", signed), ("P1", 0...65535)]
      + (2...9).map { ("P\($0)", signed) }
      + [
        ("H1", 0...255), ("H2", signed), ("H3", 0...255), ("H4", -2048...2047),
        ("H5", -2048...2047), ("H6", -128...127),
      ]
  }()

  /// The words that are known, by their names without `dig_`.
  private(set) var words: [String: Int]
  /// What is wrong with words whose name stands there, by their names without `dig_`.
  private var problems: [String: String] = [:]

  /// Creates words.
  init(words: [String: Int]) { self.words = words }

  /// Whether there is a word of humidity.
  var measuresHumidity: Bool { words.keys.contains { $0.hasPrefix("H") } }

  /// Finds the words in a text; `nil` where there are fewer than three.
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
          problems[name] = "dig_\(name) stands there twice, with different numbers"
        }
        words[name] = words[name] ?? number
      } else if words[name] == nil, value.contains(where: { ("0"..."9").contains($0) }) {
        problems[name] = "what stands behind dig_\(name) is no whole number"
      }
    }
    guard words.count + problems.count >= 3 else { return nil }
  }

  /// The words as a calibration.
  ///
  /// - Throws: `CalibrationText.FormatError` with the word that is missing, out of range, no whole number, or there twice.
  func calibration() throws(CalibrationText.FormatError) -> Calibration {
    var values: [String: Int] = [:]
    let wanted = Self.ranges.filter { measuresHumidity || !$0.name.hasPrefix("H") }
    for (name, _) in wanted {
      if let problem = problems[name] { throw CalibrationText.FormatError(problem) }
    }
    let missing = wanted.filter { words[$0.name] == nil }.map { "dig_\($0.name)" }
    guard missing.isEmpty else {
      throw CalibrationText.FormatError("the calibration lacks \(missing.joined(separator: ", "))")
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

  /// The name of a word that stands at an index: `T1`, alone or behind `dig_`.
  private static func name(at index: Int, in bytes: [UInt8]) -> String? {
    if index > 0, isLetter(bytes[index - 1]) {
      // Behind the letters of `dig`, with or without its mark, not within another word.
      let before = String(decoding: bytes[max(0, index - 4)..<index], as: UTF8.self).lowercased()
      guard before.hasSuffix("dig") || before.hasSuffix("dig_") else { return nil }
    }
    if index + 2 < bytes.count, isLetter(bytes[index + 2]) { return nil }
    let name = String(decoding: bytes[index..<index + 2], as: UTF8.self).uppercased()
    return ranges.contains { $0.name == name } ? name : nil
  }

  /// What stands behind a name, past what languages write between, and up to what they write behind a number.
  private static func value(at start: Int, in bytes: [UInt8]) -> String {
    let begin = bytes[start...].firstIndex { !between.contains($0) } ?? bytes.endIndex
    var end = begin
    while end < bytes.count, end - begin < longest {
      let isInside =
        end > begin && isDigit(bytes[end - 1]) && end + 1 < bytes.count && isDigit(bytes[end + 1])
      // A mark between two digits belongs to the number, which is then no whole one, or written in groups.
      guard
        isLetter(bytes[end]) || signs.contains(bytes[end]) || isInside && marks.contains(bytes[end])
      else { break }
      end += 1
    }
    return String(decoding: bytes[begin..<end], as: UTF8.self)
  }

  private static let between = Set(" \t:='\"[(,".utf8), signs = Set("-+".utf8),
    marks = Set(".,/'".utf8)
  /// No number is longer, in bytes.
  private static let longest = 40

  /// A whole number, with a fraction of zeros at most.
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

  /// Whether a byte is a letter, a digit or an underscore.
  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
