/// Damages valid files the way accidents and attackers do.
public enum Mutator {
  /// Tokens that parsers of any format may mishandle.
  public static let tokens = [
    ": ", "- ", "{", "}", "[", "]", "\"", "'", "\n", "#", "&a ", "*a ", "*a : ", "!!int ", "|\n",
    "? ", "<<: ", "0x",
    "-1", "1e999", "-1e999", "nan", "inf", "99999999999999999999", "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615", "1e308", "\0", "\u{FEFF}", "\u{1B}[2J", "\u{202E}", "\u{2028}", ",",
    ",,", "\r\n", "\r", "NA", "null",
    "true", "[[[[[[[[", "{\"a\":", "\"\\ud800\"", "\\", "%s", "..", "--", "…",
  ]

  /// Damages a valid file in one to four places: single bytes, pieces, tokens, numbers, lines, or
  /// the end.
  public static func mutated(_ good: [UInt8], using generator: inout Seeded) -> [UInt8] {
    var bytes = good
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      if bytes.isEmpty { bytes = [10] }
      let offset = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<9, using: &generator) {
      case 0: bytes[offset] = UInt8.random(in: 0...255, using: &generator)
      case 1: bytes[offset] ^= 1 << UInt8.random(in: 0...7, using: &generator)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: offset)
      case 3:
        bytes.insert(contentsOf: (tokens.randomElement(using: &generator) ?? "").utf8, at: offset)
      case 4:
        bytes.removeSubrange(
          offset..<min(offset + Int.random(in: 1...40, using: &generator), bytes.count))
      case 5:
        let end = min(offset + Int.random(in: 1...60, using: &generator), bytes.count)
        bytes.insert(
          contentsOf: bytes[offset..<end], at: Int.random(in: 0..<bytes.count, using: &generator))
      case 6: bytes.removeLast(bytes.count - offset)
      case 7: replaceNumber(in: &bytes, from: offset, using: &generator)
      default: swapLines(in: &bytes, using: &generator)
      }
    }
    return bytes
  }

  /// Replaces the first number after a position with a token.
  private static func replaceNumber(
    in bytes: inout [UInt8], from offset: Int, using generator: inout Seeded
  ) {
    let isDigit: (UInt8) -> Bool = { (48...57).contains($0) }
    guard let start = bytes[offset...].firstIndex(where: isDigit) else { return }
    let end = bytes[start...].firstIndex { !isDigit($0) } ?? bytes.endIndex
    bytes.replaceSubrange(start..<end, with: (tokens.randomElement(using: &generator) ?? "").utf8)
  }

  private static func swapLines(in bytes: inout [UInt8], using generator: inout Seeded) {
    var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
    lines.swapAt(
      Int.random(in: lines.indices, using: &generator),
      Int.random(in: lines.indices, using: &generator))
    bytes = Array(lines.joined(separator: [10]))
  }
}
