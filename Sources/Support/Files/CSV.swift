/// A reader of comma-separated values (RFC 4180) that returns one row at a time and counts lines.
///
/// It reads its input in chunks and stores only one row in memory. Fields are stored as bytes and
/// converted to text on request.
package struct CSV {
  /// A syntax error in the text.
  package struct FormatError: Error, Hashable {
    /// The line and the column (in characters), both from 1.
    ///
    /// The column is `nil` if the error concerns a whole row.
    package let line: Int, column: Int?
    package let message: String

    /// Creates an error that concerns a whole row, or a position in the row.
    package init(line: Int, column: Int? = nil, message: String) {
      self.line = line
      self.column = column
      self.message = message
    }

    /// Returns the failure of the command for this error in a file.
    package func failure(in path: String) -> Failure {
      Failure(
        .badContent,
        [
          Finding(
            .error, "table", at: Finding.Location(file: path, line: line, column: column), message)
        ])
    }
  }

  /// The dialect of the text.
  package struct Form: Sendable {
    /// The field separators, which must be ASCII characters with codes below that of `@` (0x40).
    ///
    /// Default: comma.
    package var separators = ","
    /// `true` if the first separator found in the header becomes the only one.
    package var isSeparatorRecognized = false
    /// `true` if lines that begin with `#` are comments.
    package var hasComments = false
    /// `true` if blanks around a field are ignored.
    package var isPadded = false

    /// A dialect whose fields are separated by commas or by semicolons, whichever occurs first in
    /// the header.
    package static let recognized = Form(separators: ",;", isSeparatorRecognized: true)

    /// Creates a dialect.
    ///
    /// Default: fields are separated by commas, there are no comments, and blanks are part of their
    /// field.
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

  /// The position in the row of a field's content, without surrounding quotes.
  package struct Field {
    package var start: Int
    package var end: Int
    /// `true` if the field contains escaped quotes (two quotes for one).
    package var hasEscapes = false
  }

  /// The longest accepted row, in bytes.
  package static let longestRow = 1 << 20

  private var bytes: [UInt8]
  private let source: (() throws(Failure) -> [UInt8]?)?
  /// Two bit sets: the bytes that separate fields, and the bytes that end a field.
  private var separators, ends: UInt64
  /// `true` if the only separator has yet to be recognized in the header.
  private var isRecognizing: Bool
  /// The field separator.
  ///
  /// If the separator is recognized automatically, it is the first one found in the header.
  package private(set) var separator: UInt8
  private let hasComments, isPadded: Bool
  private var next = 0
  /// The number of bytes of earlier rows that have been discarded from memory.
  private var discarded = 0
  /// The line on which the current row begins, from 1.
  package private(set) var line = 0
  private var lineAfter = 1
  /// The fields of the current row.
  package private(set) var fields: [Field] = []
  private var rowStart = 0
  private var rowEnd = 0

  /// Creates a reader of the chunks that a source returns until `nil`.
  package init(
    _ source: @escaping () throws(Failure) -> [UInt8]?, _ form: Form = Form()
  ) {
    self.init([], form, source)
  }

  /// Creates a reader of bytes in memory.
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

  /// Returns the fields of one line; `nil` if the line is empty or invalid.
  package static func fields(of line: some Sequence<UInt8>, _ form: Form) -> [String]? {
    var csv = CSV(Array(line), form)
    guard (try? csv.nextRow()) == true else { return nil }
    return try? csv.texts()
  }

  /// The bytes of the current row as in the input, without the line ending.
  package var row: ArraySlice<UInt8> { bytes[rowStart..<rowEnd] }

  /// The bytes of a field as in the input, without surrounding quotes.
  package subscript(_ index: Int) -> ArraySlice<UInt8> {
    bytes[fields[index].start..<fields[index].end]
  }

  /// Returns a field as text.
  ///
  /// - Throws: `FormatError` if the field is not UTF-8.
  package func text(_ index: Int) throws(FormatError) -> String {
    guard let text = String(validating: self[index], as: UTF8.self) else {
      let offset = fields[index].start + (UTF8Fault.offset(in: self[index]) ?? 0)
      throw problem(
        at: offset,
        "a field is not UTF-8 text: byte \(UTF8Fault.hexadecimal(bytes[offset])) at offset "
          + "\(discarded + offset); save the file as UTF-8")
    }
    return fields[index].hasEscapes ? text.replacing("\"\"", with: "\"") : text
  }

  /// Returns an error at the start of a field.
  package func problem(_ index: Int, _ message: String) -> FormatError {
    problem(at: fields[index].start, message)
  }

  /// Returns an error at a byte of the row.
  ///
  /// Its line may differ from the row's line, because a quoted field may span several lines.
  private func problem(at offset: Int, _ message: String) -> FormatError {
    let before = bytes[rowStart..<offset]
    let lineStart = before.lastIndex(of: 10).map { $0 + 1 } ?? rowStart
    return FormatError(
      line: line + before.count { $0 == 10 },
      column: bytes[lineStart..<offset].count { $0 & 0xC0 != 0x80 } + 1, message: message)
  }

  /// Returns all fields as text.
  ///
  /// - Throws: `FormatError` if a field is not UTF-8.
  package func texts() throws(FormatError) -> [String] {
    var texts: [String] = []
    for index in fields.indices { texts.append(try text(index)) }
    return texts
  }

  /// Reads the next row; returns `false` at the end of the input.
  ///
  /// Empty lines and comments are skipped.
  ///
  /// - Throws: `FormatError`, or the error of the source.
  package mutating func nextRow() throws -> Bool {
    if next > 1 << 16 {
      bytes.removeFirst(next)
      discarded += next
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

  /// Makes the separator that was recognized in the header the only one.
  private mutating func recognize(_ byte: UInt8) {
    separator = byte
    separators = 1 << UInt64(byte)
    ends = separators | 1 << 10 | 1 << 13
    isRecognizing = false
  }

  /// Returns the next byte without consuming it; reads from the source if necessary.
  ///
  /// Returns `nil` at the end.
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

  /// Skips a byte order mark, which spreadsheets write before the first name.
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

  /// Returns whether a byte is in a bit set; always `false` for bytes above 63.
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
      // Scan the bytes already in memory before reading more.
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

  /// Appends the field that extends from `start` to the current position.
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
            throw problem(at: next, "text after a closing quote")
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
