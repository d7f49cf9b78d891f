/// Bytes of a file from which little-endian numbers are taken, none from beyond the end.
struct ByteView {
  let bytes: [UInt8]

  /// A number of 1, 2 or 4 bytes; `nil` beyond the end.
  func number(at offset: Int, bytes count: Int) -> Int? {
    guard offset >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
    return bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// The bytes of a range; `nil` where it passes the end.
  func slice(_ offset: Int, _ count: Int) -> ArraySlice<UInt8>? {
    guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else {
      return nil
    }
    return bytes[offset..<offset + count]
  }

  /// The text up to the next 0, at most so many bytes of it; `nil` beyond the end.
  func text(at offset: Int, longest: Int = 512) -> String? {
    guard offset >= 0, offset < bytes.count else { return nil }
    return String(decoding: bytes[offset...].prefix(longest).prefix { $0 != 0 }, as: UTF8.self)
  }
}
