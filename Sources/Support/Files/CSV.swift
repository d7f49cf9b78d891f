/// A reader of comma-separated values (RFC 4180), a row at a time, that knows its line.
///
/// It fetches its input in chunks, keeps no more than a row of it, and hands out bytes: text is made
/// only of the fields that somebody wants as text.
package struct CSV {
  /// What is wrong with the text.
  package struct Problem: Error, Hashable {
    package let line: Int
    package let message: String

    package init(line: Int, message: String) {
      self.line = line
      self.message = message
    }
  }

  /// One field of the row: where its content lies, without quotes around it.
  package struct Field {
    package var start: Int
    package var end: Int
    /// Whether two quotes stand for one in it.
    package var hasEscapes = false
  }

  /// The longest row that is read, in bytes.
  package static let longestRow = 1 << 20

  private var bytes: [UInt8]
  private let source: (() throws(Failure) -> [UInt8]?)?
  private var next = 0
  /// The line on which the row begins, from 1.
  package private(set) var line = 0
  private var lineAfter = 1
  /// The fields of the row.
  package private(set) var fields: [Field] = []
  private var rowStart = 0
  private var rowEnd = 0

  /// Reads what a source gives, chunk by chunk, until it gives nothing.
  package init(_ source: @escaping () throws(Failure) -> [UInt8]?) {
    bytes = []
    self.source = source
  }

  /// Reads bytes.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    source = nil
  }

  /// The bytes of the row as they stand in the input, without the end of the line.
  package var row: ArraySlice<UInt8> { bytes[rowStart..<rowEnd] }

  /// The bytes of a field as they stand in the input, without quotes around it.
  package subscript(_ index: Int) -> ArraySlice<UInt8> {
    bytes[fields[index].start..<fields[index].end]
  }

  /// A field as text.
  ///
  /// - Throws: ``Problem`` when it is not UTF-8.
  package func text(_ index: Int) throws(Problem) -> String {
    guard let text = String(validating: self[index], as: UTF8.self) else {
      throw Problem(line: line, message: "a field is not UTF-8 text")
    }
    return fields[index].hasEscapes ? text.replacing("\"\"", with: "\"") : text
  }

  /// All fields as text.
  ///
  /// - Throws: ``Problem`` when one is not UTF-8.
  package func texts() throws(Problem) -> [String] {
    var texts: [String] = []
    for index in fields.indices { texts.append(try text(index)) }
    return texts
  }

  /// Reads the next row, or says that there is none.
  ///
  /// Empty lines are passed over.
  ///
  /// - Throws: ``Problem``, or what the source throws.
  package mutating func nextRow() throws -> Bool {
    if next > 1 << 16 {
      bytes.removeFirst(next)
      next = 0
    }
    if line == 0 { try skipByteOrderMark() }
    while let byte = try peek(), byte == 10 || byte == 13 { try skipLineEnd() }
    guard try peek() != nil else { return false }
    fields.removeAll(keepingCapacity: true)
    line = lineAfter
    rowStart = next
    while true {
      try readField()
      guard try peek() == UInt8(ascii: ",") else { break }
      next += 1
    }
    rowEnd = next
    if try peek() != nil { try skipLineEnd() }
    return true
  }

  /// The next byte, fetched from the source if need be; nothing at the end.
  @inline(__always)
  private mutating func peek() throws -> UInt8? {
    if next < bytes.count { return bytes[next] }
    return try fetch() ? bytes[next] : nil
  }

  private mutating func fetch() throws -> Bool {
    while let chunk = try source?() {
      bytes += chunk
      if next < bytes.count { return true }
    }
    return false
  }

  /// A byte order mark, as spreadsheets write it, is no part of the first name.
  private mutating func skipByteOrderMark() throws {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    while next < mark.count, try peek() == mark[next] { next += 1 }
    if next < mark.count { next = 0 }
  }

  private mutating func skipLineEnd() throws {
    let first = bytes[next]
    next += 1
    if first == 13, try peek() == 10 { next += 1 }
    lineAfter += 1
  }

  private mutating func readField() throws {
    if try peek() == UInt8(ascii: "\"") { return try readQuotedField() }
    let start = next
    while true {
      // Bytes up to the end of what is there are looked at without asking for more.
      while next < bytes.count {
        let byte = bytes[next]
        if byte == UInt8(ascii: ",") || byte == 10 || byte == 13 {
          fields.append(Field(start: start, end: next))
          return
        }
        next += 1
      }
      try checkLength()
      guard try fetch() else { break }
    }
    fields.append(Field(start: start, end: next))
  }

  private mutating func readQuotedField() throws {
    next += 1
    var field = Field(start: next, end: next)
    while let byte = try peek() {
      next += 1
      if byte == UInt8(ascii: "\"") {
        guard try peek() == UInt8(ascii: "\"") else {
          if let after = try peek(), after != UInt8(ascii: ","), after != 10, after != 13 {
            throw Problem(line: lineAfter, message: "text stands behind a closing quote")
          }
          field.end = next - 1
          fields.append(field)
          return
        }
        next += 1
        field.hasEscapes = true
      } else if byte == 10 {
        lineAfter += 1
      }
      try checkLength()
    }
    throw Problem(line: line, message: "a quote is not closed")
  }

  private func checkLength() throws(Problem) {
    guard next - rowStart <= Self.longestRow else {
      throw Problem(line: line, message: "the row is longer than \(Self.longestRow) bytes")
    }
  }
}
