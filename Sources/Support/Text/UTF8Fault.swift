/// The first bytes of a file that are not UTF-8, with their place.
package struct UTF8Fault: Hashable, Sendable {
  /// The number of bytes before it.
  package let offset: Int
  /// The byte itself.
  package let byte: UInt8
  /// The line, and the column in characters, both from 1.
  package let line, column: Int
  /// Whether the file begins with the byte order mark of UTF-16.
  package let isUTF16: Bool

  /// Finds it; `nil` for a text that is UTF-8 throughout.
  ///
  /// - Parameters:
  ///   - bytes: the whole file, or whole lines of it.
  ///   - offset: the number of bytes before them in the file. Default: 0.
  ///   - line: the number of their first line. Default: 1.
  package init?(in bytes: [UInt8], from offset: Int = 0, line: Int = 1) {
    guard let index = Self.offset(in: bytes) else { return nil }
    self.offset = offset + index
    byte = bytes[index]
    let before = bytes[..<index]
    let start = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
    self.line = line + before.count { $0 == 10 }
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
    let isBeginning = offset == 0
    isUTF16 =
      isBeginning && (bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]))
  }

  /// The offset of the first bytes that are not UTF-8; `nil` for none.
  package static func offset(in bytes: some RandomAccessCollection<UInt8>) -> Int? {
    let bytes = Array(bytes)
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return nil
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  /// What is wrong and what to do, for a message that names the file.
  package var words: String { "the file is \(finding); save it as UTF-8" }

  /// What is wrong, to follow a subject: `not UTF-8 text: byte 0xE9 at offset 18 (line 2, column 10)`.
  package var finding: String {
    "not UTF-8 text: byte \(Self.hexadecimal(byte)) at offset \(offset) "
      + "(line \(line), column \(column))"
      + (isUTF16 ? ", the byte order mark of UTF-16" : "")
  }

  /// A byte as `0xE9`.
  package static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x" + (byte < 16 ? "0" : "") + digits
  }
}
