/// A reader of comma-separated values (RFC 4180), a row at a time, that knows its line.
///
/// It fetches its input in chunks and keeps no more than a row of it.
struct CSV {
  /// What is wrong with the text.
  struct Problem: Error, Hashable {
    let line: Int
    let message: String
  }

  /// The longest row that is read, in bytes.
  static let longestRow = 1 << 20

  private var bytes: [UInt8]
  private let source: (() throws(BenchFailure) -> [UInt8]?)?
  private var next = 0
  /// The line of the row that was read last, from 1.
  private(set) var line = 0
  private var lineAfter = 1

  /// Reads what a source gives, chunk by chunk, until it gives nothing.
  init(_ source: @escaping () throws(BenchFailure) -> [UInt8]?) {
    bytes = []
    self.source = source
  }

  /// Reads bytes.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    source = nil
  }

  /// Reads the next row into `fields`, or says that there is none.
  ///
  /// Empty lines are passed over.
  ///
  /// - Throws: ``Problem``, or what the source throws.
  mutating func row(into fields: inout [String]) throws -> Bool {
    if next > 1 << 16 {
      bytes.removeFirst(next)
      next = 0
    }
    if line == 0 { try skipByteOrderMark() }
    while let byte = try peek(), isLineEnd(byte) { try skipLineEnd() }
    guard try peek() != nil else { return false }
    fields.removeAll(keepingCapacity: true)
    line = lineAfter
    let start = next
    while true {
      fields.append(try field(from: start))
      guard try peek() == UInt8(ascii: ",") else { break }
      next += 1
    }
    if try peek() != nil { try skipLineEnd() }
    return true
  }

  /// The next byte, fetched from the source if need be; nothing at the end.
  @inline(__always)
  private mutating func peek() throws -> UInt8? {
    if next < bytes.count { return bytes[next] }
    while let chunk = try source?() {
      bytes += chunk
      if next < bytes.count { return bytes[next] }
    }
    return nil
  }

  /// A byte order mark, as spreadsheets write it, is no part of the first name.
  private mutating func skipByteOrderMark() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    guard try peek() == mark[0] else { return }
    if bytes.starts(with: mark) { next = mark.count }
  }

  private func isLineEnd(_ byte: UInt8) -> Bool { byte == 10 || byte == 13 }

  private mutating func skipLineEnd() throws {
    let first = bytes[next]
    next += 1
    if first == 13, try peek() == 10 { next += 1 }
    lineAfter += 1
  }

  private mutating func field(from rowStart: Int) throws -> String {
    if try peek() == UInt8(ascii: "\"") { return try quotedField() }
    let start = next
    while let byte = try peek(), byte != UInt8(ascii: ","), !isLineEnd(byte) {
      next += 1
      if next - rowStart > Self.longestRow { throw rowTooLong }
    }
    return try text(bytes[start..<next])
  }

  private mutating func quotedField() throws -> String {
    var content: [UInt8] = []
    next += 1
    while let byte = try peek() {
      next += 1
      if byte == UInt8(ascii: "\"") {
        guard try peek() == UInt8(ascii: "\"") else {
          if let after = try peek(), after != UInt8(ascii: ","), !isLineEnd(after) {
            throw Problem(line: lineAfter, message: "text stands behind a closing quote")
          }
          return try text(content[...])
        }
        next += 1
      } else if byte == 10 {
        lineAfter += 1
      }
      content.append(byte)
      if content.count > Self.longestRow { throw rowTooLong }
    }
    throw Problem(line: line, message: "a quote is not closed")
  }

  private var rowTooLong: Problem {
    Problem(line: line, message: "the row is longer than \(Self.longestRow) bytes")
  }

  private func text(_ slice: ArraySlice<UInt8>) throws(Problem) -> String {
    guard let text = String(validating: slice, as: UTF8.self) else {
      throw Problem(line: lineAfter, message: "a field is not UTF-8 text")
    }
    return text
  }
}
