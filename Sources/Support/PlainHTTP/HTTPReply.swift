/// The reply of an HTTP server, as its bytes came until it closed the connection.
package struct HTTPReply: Hashable, Sendable {
  /// The status: 200 where all is well.
  package let status: Int
  /// What it sent, its transfer coding undone.
  package let body: [UInt8]

  /// Reads a whole reply; `nil` where the bytes are none, or are cut off.
  package init?(_ bytes: [UInt8]) {
    guard let end = Self.endOfHead(bytes) else { return nil }
    let lines = String(decoding: bytes[..<end], as: UTF8.self).split(separator: "\r\n")
    let words = lines.first?.split(separator: " ", maxSplits: 2) ?? []
    guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]),
      (100...599).contains(status)
    else { return nil }
    var (length, isChunked): (Int?, Bool) = (nil, false)
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let name = line[..<colon].lowercased()
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      if name == "content-length" {
        guard let number = Int(value), number >= 0 else { return nil }
        length = number
      }
      if name == "transfer-encoding" { isChunked = value.lowercased() == "chunked" }
    }
    let rest = bytes[(end + 4)...]
    self.status = status
    if isChunked {
      guard let whole = Self.unchunked(rest) else { return nil }
      body = whole
    } else if let length {
      guard rest.count >= length else { return nil }
      body = Array(rest.prefix(length))
    } else {
      body = Array(rest)
    }
  }

  /// Where the empty line behind the header begins.
  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
  }

  /// The bytes of chunks, end to end; `nil` where the last is missing.
  private static func unchunked(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var (whole, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes)
    while true {
      guard let line = rest.firstIndex(of: 10), line > rest.startIndex else { return nil }
      let digits = String(decoding: rest[..<(line - 1)].prefix { $0 != 0x3B }, as: UTF8.self)
      guard let count = Int(digits.trimmingBlanks, radix: 16), count >= 0 else { return nil }
      if count == 0 { return whole }
      let begin = line + 1
      guard rest.endIndex - begin >= count + 2 else { return nil }
      whole += rest[begin..<(begin + count)]
      rest = rest[(begin + count + 2)...]
    }
  }
}

extension String {
  fileprivate var trimmingBlanks: Substring {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return text.drop { $0 == " " }
  }
}
