import Text

/// The reply of an HTTP server.
package struct HTTPReply: Hashable, Sendable {
  /// What is wrong with a reply.
  package struct FormatError: Error, Hashable {
    /// It in words.
    package let message: String
  }

  /// The status: 200 where all is well.
  package let status: Int
  /// What it sent, its transfer coding undone; nothing unless the status is 200.
  package let body: [UInt8]
  /// Where the document is instead, where it says so.
  package let location: String?

  /// Reads a reply from all bytes that have come so far; `nil` where more must come.
  ///
  /// - Parameters:
  ///   - bytes: from the first on.
  ///   - isClosed: whether the server has closed the connection: no more will come.
  /// - Throws: ``FormatError`` where they are no reply, or are cut off.
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

  private static let cutOff = FormatError(message: "the reply is cut off")

  /// The head of the reply and the bytes behind it; those of the heads that only say "wait" are passed over.
  private static func head(
    of bytes: [UInt8]
  ) throws(FormatError) -> (HTTPHead, ArraySlice<UInt8>)? {
    var rest = bytes[...]
    while let head = try HTTPHead(from: &rest) {
      if head.status >= 200 { return (head, rest) }
    }
    return nil
  }

  /// The bytes of chunks, end to end; `nil` where the last has not come.
  private static func unchunked(_ bytes: ArraySlice<UInt8>) throws(FormatError) -> [UInt8]? {
    var (whole, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
    while let end = rest.firstIndex(of: 10) {
      let line = String(decoding: rest[..<end].prefix { $0 != 0x3B && $0 != 13 }, as: UTF8.self)
      guard let count = HTTPHead.number(line.trimmed[...], radix: 16),
        count <= HTTPClient.longest
      else { throw FormatError(message: "the length of a chunk of the reply is none") }
      if count == 0 { return whole }
      rest = rest[(end + 1)...]
      guard rest.count >= count + 2 else { return nil }
      whole += rest.prefix(count)
      guard rest.dropFirst(count).starts(with: [13, 10]) else {
        throw FormatError(message: "a chunk of the reply is longer than it says")
      }
      rest = rest.dropFirst(count + 2)
    }
    return nil
  }
}
