/// The first bytes of a file that are not UTF-8, with their place.
package struct UTF8Fault: Hashable, Sendable {
  /// The number of bytes before it.
  package let offset: Int
  /// The byte itself.
  package let byte: UInt8
  /// The line, and the column in characters, both from 1.
  package let line, column: Int
  /// Whether the file begins with the byte order mark of UTF-16.
  private let isUTF16: Bool

  /// Finds it; `nil` for a text that is UTF-8 throughout.
  ///
  /// - Parameter bytes: the whole file.
  package init?(in bytes: [UInt8]) {
    guard let offset = Self.offset(in: bytes) else { return nil }
    self.offset = offset
    byte = bytes[offset]
    let before = bytes[..<offset]
    let start = before.lastIndex(of: 10).map { $0 + 1 } ?? 0
    line = 1 + before.count { $0 == 10 }
    column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
    isUTF16 = bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
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
  package var words: String {
    "the file is not UTF-8 text: byte \(Self.hexadecimal(byte)) at offset \(offset) "
      + "(line \(line), column \(column))"
      + (isUTF16 ? ", the byte order mark of UTF-16" : "") + "; save it as UTF-8"
  }

  /// A byte as `0xE9`.
  package static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x" + (byte < 16 ? "0" : "") + digits
  }
}

extension TextFile {
  /// The text of the bytes of a file.
  ///
  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - name: the file's name for messages.
  /// - Returns: the text.
  /// - Throws: ``Failure`` of kind bad content with the place of the first byte that is not UTF-8.
  package static func text(_ bytes: [UInt8], of name: String) throws(Failure) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let words = UTF8Fault(in: bytes)?.words ?? "the file is not UTF-8 text"
    throw Failure(.badContent, "\(name): \(words)")
  }
}
