/// The name in a Host header, read strictly: what is no name and port is nobody's.
enum Authority {
  /// The name of `name`, `name:port` or `[address]:port` in small letters; `nil` for anything else.
  static func name(_ text: String) -> String? {
    let small = text.lowercased()
    let bytes = Array(small.utf8)
    guard bytes.count <= 260 else { return nil }
    if bytes.first == UInt8(ascii: "[") {
      guard let end = bytes.firstIndex(of: UInt8(ascii: "]")), end > 1,
        bytes[1..<end].allSatisfy({ isDigit($0) || (97...102).contains($0) || $0 == 58 || $0 == 46 }
        ),
        isPort(bytes[(end + 1)...])
      else { return nil }
      return String(decoding: bytes[...end], as: UTF8.self)
    }
    let end = bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    guard end > 0,
      bytes[..<end].allSatisfy({
        isDigit($0) || (97...122).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
          || $0 == UInt8(ascii: "_")
      }), isPort(bytes[end...])
    else { return nil }
    return String(decoding: bytes[..<end], as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  /// Nothing, or a colon and a number.
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard let first = bytes.first else { return true }
    let digits = bytes.dropFirst()
    return first == UInt8(ascii: ":") && digits.count <= 5 && digits.allSatisfy(isDigit)
      && (Int(String(decoding: digits, as: UTF8.self)) ?? 0) <= 65535
  }
}
