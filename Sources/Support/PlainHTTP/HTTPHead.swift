import Text

/// The head of a reply: its status, and how its body comes.
struct HTTPHead: Hashable, Sendable {
  /// The longest head that is taken, in bytes.
  static let longest = 1 << 16

  /// The status: three digits.
  let status: Int
  /// How many bytes the body has; `nil` where the head does not say.
  private(set) var length: Int?
  /// Whether the body comes in chunks, each behind its length.
  private(set) var isChunked = false
  /// Where the document is instead.
  private(set) var location: String?

  /// Takes a head from the front of some bytes; `nil` while its end has not come, and the bytes are as they were.
  ///
  /// - Throws: `HTTPReply.FormatError` as soon as it can be no head that this client understands.
  init?(from bytes: inout ArraySlice<UInt8>) throws(HTTPReply.FormatError) {
    let start = Array("HTTP/1.".utf8)
    guard zip(bytes, start).allSatisfy({ $0 == $1 }) else {
      throw HTTPReply.FormatError(message: "what answers speaks no HTTP")
    }
    guard let end = Self.end(of: bytes) else {
      guard bytes.count <= Self.longest else {
        throw HTTPReply.FormatError(message: "the head of the reply is longer than 64 KiB")
      }
      return nil
    }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
    guard words.count >= 2, words[1].utf8.count == 3, let status = Self.number(words[1]),
      (100...599).contains(status)
    else { throw HTTPReply.FormatError(message: "the reply has no status") }
    self.status = status
    for line in lines.dropFirst() { try take(line) }
    bytes = bytes[(end + 4)...]
  }

  /// Where the empty line behind a head begins.
  private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    let mark = Array("\r\n\r\n".utf8)
    return bytes.prefix(longest).indices.first { bytes[$0...].starts(with: mark) }
  }

  /// Takes one field; those that nobody asked for are passed over.
  private mutating func take(_ line: Substring) throws(HTTPReply.FormatError) {
    guard let colon = line.firstIndex(of: ":") else {
      throw HTTPReply.FormatError(message: "a line in the head of the reply has no colon")
    }
    let value = line[line.index(after: colon)...].trimmed
    switch line[..<colon].lowercased() {
    case "content-length":
      guard let number = Self.number(value[...]), length == nil || length == number else {
        throw HTTPReply.FormatError(message: "the length of the reply is none")
      }
      length = number
    case "transfer-encoding":
      guard value.lowercased() == "chunked", !isChunked else {
        throw HTTPReply.FormatError(
          message: "the reply is sent as '\(value.clipped)', which is not understood")
      }
      isChunked = true
    case "content-encoding" where value.lowercased() != "identity":
      throw HTTPReply.FormatError(
        message: "the reply is packed as '\(value.clipped)', which was not asked for")
    case "location": location = value
    default: break
    }
  }

  /// A number of digits alone.
  static func number(_ text: Substring, radix: Int = 10) -> Int? {
    text.utf8.contains { $0 == 0x2B || $0 == 0x2D } ? nil : Int(text, radix: radix)
  }
}
