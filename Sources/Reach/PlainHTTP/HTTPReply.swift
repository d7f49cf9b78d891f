import Support

/// A response of an HTTP server.
package struct HTTPReply: Hashable, Sendable {
  /// A syntax error in a response.
  package struct FormatError: Error, Hashable {
    /// The description of the error.
    package let message: String
  }

  /// The status code, which is 200 for success.
  package let status: Int
  /// The body, with its transfer coding decoded; empty unless the status is 200.
  package let body: [UInt8]
  /// The Location header of a redirection.
  package let location: String?

  /// Parses a response from the bytes received so far; returns `nil` if it is incomplete.
  ///
  /// - Parameters:
  ///   - bytes: all bytes received so far.
  ///   - isClosed: whether the server has closed the connection.
  /// - Throws: `FormatError` if the response is invalid or truncated.
  package init?(_ bytes: [UInt8], isClosed: Bool) throws(FormatError) {
    guard let (head, rest) = try Self.head(of: bytes) else {
      if isClosed { throw Self.cutOff }
      return nil
    }
    (status, location) = (head.status, head.location)
    guard head.status == 200 else {
      body = []
      return
    }
    let found: [UInt8]?
    if head.isChunked {
      found = try Self.unchunked(rest)
    } else if let length = head.length {
      found = rest.count >= length ? Array(rest.prefix(length)) : nil
    } else {
      found = isClosed ? Array(rest) : nil
    }
    guard let found else {
      if isClosed { throw Self.cutOff }
      return nil
    }
    body = found
  }

  private static let cutOff = FormatError(message: "the response is truncated")

  /// Returns the header of the response and the bytes after it, skipping interim responses (1xx);
  /// `nil` if the header is incomplete.
  private static func head(
    of bytes: [UInt8]
  ) throws(FormatError) -> (HTTPHead, ArraySlice<UInt8>)? {
    var rest = bytes[...]
    while let head = try HTTPHead(from: &rest) {
      if head.status >= 200 { return (head, rest) }
    }
    return nil
  }

  /// Decodes a chunked body; returns `nil` if the last chunk is missing.
  private static func unchunked(_ bytes: ArraySlice<UInt8>) throws(FormatError) -> [UInt8]? {
    var (whole, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
    while let end = rest.firstIndex(of: 10) {
      let line = String(decoding: rest[..<end].prefix { $0 != 0x3B && $0 != 13 }, as: UTF8.self)
      guard let count = HTTPHead.number(line.trimmed[...], radix: 16),
        count <= HTTPClient.longest
      else { throw FormatError(message: "a chunk of the response has an invalid length") }
      if count == 0 { return whole }
      rest = rest[(end + 1)...]
      guard rest.count >= count + 2 else { return nil }
      whole += rest.prefix(count)
      guard rest.dropFirst(count).starts(with: [13, 10]) else {
        throw FormatError(message: "a chunk of the response does not end after its length")
      }
      rest = rest.dropFirst(count + 2)
    }
    return nil
  }
}

/// The header of a response, with its status and the framing of its body.
struct HTTPHead: Hashable, Sendable {
  /// The longest accepted header, in bytes: 64 KiB.
  static let longest = 1 << 16

  /// The three-digit status code.
  let status: Int
  /// The length of the body in bytes; `nil` if the header does not give it.
  private(set) var length: Int?
  /// Whether the body is chunked.
  private(set) var isChunked = false
  /// The value of the Location header.
  private(set) var location: String?

  /// Parses a header at the beginning of some bytes and removes it; returns `nil` and leaves the
  /// bytes unchanged if the header is incomplete.
  ///
  /// - Throws: `HTTPReply.FormatError` as soon as the header is invalid or unsupported.
  init?(from bytes: inout ArraySlice<UInt8>) throws(HTTPReply.FormatError) {
    let start = Array("HTTP/1.".utf8)
    guard zip(bytes, start).allSatisfy({ $0 == $1 }) else {
      throw HTTPReply.FormatError(message: "the server does not use HTTP/1")
    }
    guard let end = Self.end(of: bytes) else {
      guard bytes.count <= Self.longest else {
        throw HTTPReply.FormatError(message: "the header of the response is longer than 64 KiB")
      }
      return nil
    }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
    guard words.count >= 2, words[1].utf8.count == 3, let status = Self.number(words[1]),
      (100...599).contains(status)
    else { throw HTTPReply.FormatError(message: "the response has no valid status") }
    self.status = status
    for line in lines.dropFirst() { try take(line) }
    bytes = bytes[(end + 4)...]
  }

  /// Returns the start of the empty line that ends a header.
  private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    let mark = Array("\r\n\r\n".utf8)
    return bytes.prefix(longest).indices.first { bytes[$0...].starts(with: mark) }
  }

  /// Parses one header field; unknown fields are ignored.
  private mutating func take(_ line: Substring) throws(HTTPReply.FormatError) {
    guard let colon = line.firstIndex(of: ":") else {
      throw HTTPReply.FormatError(message: "a line in the header of the response has no colon")
    }
    let value = line[line.index(after: colon)...].trimmed
    switch line[..<colon].lowercased() {
    case "content-length":
      guard let number = Self.number(value[...]), length == nil || length == number else {
        throw HTTPReply.FormatError(message: "the response has an invalid Content-Length")
      }
      length = number
    case "transfer-encoding":
      guard value.lowercased() == "chunked", !isChunked else {
        throw HTTPReply.FormatError(
          message: "transfer encoding '\(value.clipped)' is not supported; accepted: chunked")
      }
      isChunked = true
    case "content-encoding" where value.lowercased() != "identity":
      throw HTTPReply.FormatError(
        message: "content encoding '\(value.clipped)' is not supported; accepted: identity")
    case "location": location = value
    default: break
    }
  }

  /// Parses a number without a sign.
  static func number(_ text: Substring, radix: Int = 10) -> Int? {
    text.utf8.contains { $0 == 0x2B || $0 == 0x2D } ? nil : Int(text, radix: radix)
  }
}
