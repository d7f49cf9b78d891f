import Findings
import Text

/// A reader of comma-separated values (RFC 4180), a row at a time, that knows its line.
///
/// It fetches its input in chunks, keeps no more than a row of it, and hands out bytes: text is made
/// only of the fields that somebody wants as text.
package struct CSV {
  /// What is wrong with the text.
  package struct FormatError: Error, Hashable {
    /// The line and the column in characters, both from 1; the column is `nil` where a whole row is wrong.
    package let line: Int, column: Int?
    package let message: String

    /// Creates a problem of a row, or of one place in it.
    package init(line: Int, column: Int? = nil, message: String) {
      self.line = line
      self.column = column
      self.message = message
    }

    /// The failure of the file in which it is.
    package func failure(in path: String) -> Failure {
      Failure(
        .badContent,
        [
          Finding(
            .error, "table", at: Finding.Place(file: path, line: line, column: column), message)
        ])
    }
  }

  /// How the text is written.
  package struct Form: Sendable {
    /// What may stand between two fields: characters before `@` in ASCII.
    package var separators = ","
    /// Whether only one of the separators counts: the first that is in the header.
    package var isSeparatorRecognized = false
    /// Whether a line that begins with `#` is a comment.
    package var hasComments = false
    /// Whether blanks around a field are no part of it.
    package var isPadded = false

    /// A table whose header decides between commas and semicolons.
    package static let recognized = Form(separators: ",;", isSeparatorRecognized: true)

    /// Creates a form; by default with commas, no comments, and every blank a part of its field.
    package init(
      separators: String = ",", isSeparatorRecognized: Bool = false, hasComments: Bool = false,
      isPadded: Bool = false
    ) {
      self.isSeparatorRecognized = isSeparatorRecognized
      self.separators = separators
      self.hasComments = hasComments
      self.isPadded = isPadded
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
  /// The bytes that part fields, and those that end one, a bit for each.
  private var separators, ends: UInt64
  /// Whether the first separator of the header excludes the others.
  private var isRecognizing: Bool
  /// The byte that parts fields; of several the first that was found in the header.
  package private(set) var separator: UInt8
  private let hasComments, isPadded: Bool
  private var next = 0
  /// The bytes of rows before that are not kept.
  private var forgotten = 0
  /// The line on which the row begins, from 1.
  package private(set) var line = 0
  private var lineAfter = 1
  /// The fields of the row.
  package private(set) var fields: [Field] = []
  private var rowStart = 0
  private var rowEnd = 0

  /// Reads what a source gives, chunk by chunk, until it gives nothing.
  package init(
    _ source: @escaping () throws(Failure) -> [UInt8]?, _ form: Form = Form()
  ) {
    self.init([], form, source)
  }

  /// Reads bytes.
  package init(_ bytes: [UInt8], _ form: Form = Form()) {
    self.init(bytes, form, nil)
  }

  private init(_ bytes: [UInt8], _ form: Form, _ source: (() throws(Failure) -> [UInt8]?)?) {
    self.bytes = bytes
    self.source = source
    separators = form.separators.utf8.reduce(0) { $0 | 1 << UInt64($1) }
    ends = separators | 1 << 10 | 1 << 13
    separator = form.separators.utf8.first ?? UInt8(ascii: ",")
    isRecognizing = form.isSeparatorRecognized
    hasComments = form.hasComments
    isPadded = form.isPadded
  }

  /// The fields of one line; `nil` where it is empty or no row.
  package static func fields(of line: some Sequence<UInt8>, _ form: Form) -> [String]? {
    var csv = CSV(Array(line), form)
    guard (try? csv.nextRow()) == true else { return nil }
    return try? csv.texts()
  }

  /// The bytes of the row as they stand in the input, without the end of the line.
  package var row: ArraySlice<UInt8> { bytes[rowStart..<rowEnd] }

  /// The bytes of a field as they stand in the input, without quotes around it.
  package subscript(_ index: Int) -> ArraySlice<UInt8> {
    bytes[fields[index].start..<fields[index].end]
  }

  /// A field as text.
  ///
  /// - Throws: ``FormatError`` when it is not UTF-8.
  package func text(_ index: Int) throws(FormatError) -> String {
    guard let text = String(validating: self[index], as: UTF8.self) else {
      let place = fields[index].start + (UTF8Fault.offset(in: self[index]) ?? 0)
      throw problem(
        at: place,
        "a field is not UTF-8 text: byte \(UTF8Fault.hexadecimal(bytes[place])) at offset "
          + "\(forgotten + place); save the file as UTF-8")
    }
    return fields[index].hasEscapes ? text.replacing("\"\"", with: "\"") : text
  }

  /// What is wrong with a field, at its place.
  package func problem(_ index: Int, _ message: String) -> FormatError {
    problem(at: fields[index].start, message)
  }

  /// What is wrong at a byte of the row; a quoted field may have lines of its own.
  private func problem(at place: Int, _ message: String) -> FormatError {
    let before = bytes[rowStart..<place]
    let lineStart = before.lastIndex(of: 10).map { $0 + 1 } ?? rowStart
    return FormatError(
      line: line + before.count { $0 == 10 },
      column: bytes[lineStart..<place].count { $0 & 0xC0 != 0x80 } + 1, message: message)
  }

  /// All fields as text.
  ///
  /// - Throws: ``FormatError`` when one is not UTF-8.
  package func texts() throws(FormatError) -> [String] {
    var texts: [String] = []
    for index in fields.indices { texts.append(try text(index)) }
    return texts
  }

  /// Reads the next row, or says that there is none.
  ///
  /// Empty lines, and comments where there are any, are passed over.
  ///
  /// - Throws: ``FormatError``, or what the source throws.
  package mutating func nextRow() throws -> Bool {
    if next > 1 << 16 {
      bytes.removeFirst(next)
      forgotten += next
      next = 0
    }
    if line == 0 { try skipByteOrderMark() }
    while let byte = try peek() {
      if hasComments, byte == UInt8(ascii: "#") {
        try skipComment()
      } else if byte == 10 || byte == 13 {
        try skipLineEnd()
      } else {
        break
      }
    }
    guard try peek() != nil else { return false }
    fields.removeAll(keepingCapacity: true)
    line = lineAfter
    rowStart = next
    while true {
      try readField()
      guard let byte = try peek(), isOne(byte, of: separators) else { break }
      if isRecognizing { recognize(byte) }
      next += 1
    }
    if isRecognizing { recognize(separator) }
    rowEnd = next
    if try peek() != nil { try skipLineEnd() }
    return true
  }

  /// Takes a byte for the only separator.
  private mutating func recognize(_ byte: UInt8) {
    separator = byte
    separators = 1 << UInt64(byte)
    ends = separators | 1 << 10 | 1 << 13
    isRecognizing = false
  }

  /// The next byte, fetched from the source if need be; `nil` at the end.
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

  private mutating func skipComment() throws {
    rowStart = next
    while let byte = try peek(), byte != 10, byte != 13 {
      next += 1
      try checkLength()
    }
  }

  /// Whether a byte is one of those whose bits are set; none above 63 is.
  @inline(__always)
  private func isOne(_ byte: UInt8, of bits: UInt64) -> Bool {
    byte < 64 && bits & (1 << UInt64(byte)) != 0
  }

  private mutating func skipBlanks() throws {
    while isPadded, let byte = try peek(), byte == 32 || byte == 9, !isOne(byte, of: separators) {
      next += 1
    }
  }

  private mutating func readField() throws {
    try skipBlanks()
    if try peek() == UInt8(ascii: "\"") { return try readQuotedField() }
    let start = next
    while true {
      // Bytes up to the end of what is there are looked at without asking for more.
      while next < bytes.count {
        let byte = bytes[next]
        if isOne(byte, of: ends) {
          append(start)
          return
        }
        next += 1
      }
      try checkLength()
      guard try fetch() else { break }
    }
    append(start)
  }

  /// Keeps the field from a place to where the reader is.
  private mutating func append(_ start: Int) {
    var end = next
    if isPadded { while end > start, bytes[end - 1] == 32 || bytes[end - 1] == 9 { end -= 1 } }
    fields.append(Field(start: start, end: end))
  }

  private mutating func readQuotedField() throws {
    next += 1
    var field = Field(start: next, end: next)
    while let byte = try peek() {
      next += 1
      if byte == UInt8(ascii: "\"") {
        guard try peek() == UInt8(ascii: "\"") else {
          field.end = next - 1
          try skipBlanks()
          if let after = try peek(), !isOne(after, of: ends) {
            throw problem(at: next, "text stands behind a closing quote")
          }
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
    throw problem(at: field.start - 1, "a quote is not closed")
  }

  private func checkLength() throws(FormatError) {
    guard next - rowStart <= Self.longestRow else {
      throw FormatError(line: line, message: "the row is longer than \(Self.longestRow) bytes")
    }
  }
}
