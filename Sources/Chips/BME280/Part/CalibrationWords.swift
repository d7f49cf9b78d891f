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

  /// Creates words.
  init(words: [String: Int]) { self.words = words }

  /// Whether there is a word of humidity.
  var measuresHumidity: Bool { words.keys.contains { $0.hasPrefix("H") } }

  /// Finds the words in a text; `nil` where there are fewer than three.
  init?(_ text: String) {
    var words: [String: Int] = [:]
    let bytes = Array(text.utf8)
    var index = 0
    while index + 2 < bytes.count {
      defer { index += 1 }
      guard let name = Self.name(at: index, in: bytes), words[name] == nil,
        let number = Self.number(at: index + 2, in: bytes)
      else { continue }
      words[name] = number
    }
    guard words.count >= 3 else { return nil }
    self.words = words
  }

  /// The words as a calibration.
  ///
  /// - Throws: `CalibrationText.FormatError` with the word that is missing or out of range.
  func calibration() throws(CalibrationText.FormatError) -> Calibration {
    var values: [String: Int] = [:]
    let wanted = Self.ranges.filter { measuresHumidity || !$0.name.hasPrefix("H") }
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

  /// The number behind a name, past what languages write between.
  private static func number(at start: Int, in bytes: [UInt8]) -> Int? {
    let between = Set(" \t:='\"[(,".utf8)
    let digits = bytes[start...].drop(while: between.contains)
    let text = digits.prefix { isLetter($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") }
    let word = String(decoding: text, as: UTF8.self).lowercased()
    if word.hasPrefix("0x") { return Int(word.dropFirst(2), radix: 16) }
    return Int(word)
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
