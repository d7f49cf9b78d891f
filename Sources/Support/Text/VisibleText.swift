/// Functions that make text from outside (a file, a name, another program) safe to display.
///
/// Terminals, logs and CI services interpret some characters instead of displaying them: control
/// characters move the cursor and hide lines, direction marks reorder text, and a line ending may
/// start a command to the CI service. These functions replace each such character with a visible
/// escape such as `\n` or `\u{1B}`.
extension StringProtocol {
  /// The text on one line, with invisible characters escaped.
  public var visible: String { escaped { _ in false } }

  /// The text with its line endings kept and other invisible characters escaped.
  package var visibleLines: String { escaped { $0 == "\n" } }

  /// The first 60 characters of the text on one line, for quoting in a message.
  public var clipped: String {
    // Count scalars, because a single character may consist of any number of them.
    let start = String(String.UnicodeScalarView(unicodeScalars.prefix(61))).visible
    return start.unicodeScalars.count > 60
      ? String(String.UnicodeScalarView(start.unicodeScalars.prefix(57))) + "..." : start
  }

  private func escaped(except isKept: (Unicode.Scalar) -> Bool) -> String {
    var result = ""
    var text = String(self)
    let isPlain = text.withUTF8 { bytes in bytes.allSatisfy { (0x20..<0x7F).contains($0) } }
    if isPlain {
      result = text
    } else {
      for scalar in unicodeScalars {
        if scalar.isShown || isKept(scalar) {
          result.unicodeScalars.append(scalar)
        } else {
          result += scalar.visibleEscape
        }
      }
    }
    return ServiceCommand.defused(result)
  }
}

extension Unicode.Scalar {
  /// Whether a terminal displays the scalar, rather than interpreting or hiding it.
  ///
  /// The two zero-width joiners count as displayed, because scripts and emoji need them and they do
  /// not reorder text.
  package var isShown: Bool {
    if isASCII { return (0x20..<0x7F).contains(value) }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return false
    case .format: return value == 0x200C || value == 0x200D
    default: return value & 0xFFFE != 0xFFFE
    }
  }

  /// The visible escape that replaces the scalar.
  package var visibleEscape: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}

/// Protection against text in a log that a CI service interprets as a command, such as `::error::`
/// or `##[error]`.
enum ServiceCommand {
  /// Returns the text with the first character of each command escaped.
  ///
  /// `::` begins a command only at the start of a line, after optional blanks; `##[` begins a
  /// command anywhere.
  static func defused(_ text: String) -> String {
    var text = text
    let mayHaveSome = text.withUTF8 { bytes in
      zip(bytes, bytes.dropFirst()).contains { $0 == $1 && ($0 == 0x3A || $0 == 0x23) }
    }
    guard mayHaveSome else { return text }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      var line = line.replacing("##[", with: "\\u{23}#[")
      if let first = line.firstIndex(where: { $0 != " " && $0 != "\t" }),
        line[first...].hasPrefix("::")
      {
        line.replaceSubrange(first...first, with: "\\u{3A}")
      }
      return line
    }.joined(separator: "\n")
  }
}

/// Escaping of text for XML and HTML.
package enum XML {
  /// Escapes text for XML.
  ///
  /// Characters that are invisible or invalid in XML become visible escapes.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result += " "
      case _ where !scalar.isShown: result += scalar.visibleEscape
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

/// Formatting of command lines for a shell.
public enum ShellCommand {
  /// Joins the words of a command, quoting words with special characters.
  ///
  /// - Parameter words: The program and its arguments.
  /// - Returns: The command as a shell reads it.
  public static func text(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }

  private static func quoted(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "_", "-", "+", ":", ",", "@", "%": true
      case "=": scalar != word.unicodeScalars.first
      default: false
      }
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.replacing("'", with: "'\\''") + "'"
  }
}

/// The first bytes in a file that are not valid UTF-8, with their position.
package struct UTF8Fault: Hashable, Sendable {
  /// The offset of the first invalid byte in the file.
  package let offset: Int
  /// The first invalid byte.
  package let byte: UInt8
  /// The line, and the column in characters, of the first invalid byte, both from 1.
  package let line, column: Int
  /// Whether the file begins with the byte order mark of UTF-16.
  package let isUTF16: Bool

  /// Finds the first invalid bytes; returns `nil` if the text is valid UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: the whole file, or whole lines of the file.
  ///   - offset: the offset of `bytes` in the file. Default: 0.
  ///   - line: the line number of the first line in `bytes`. Default: 1.
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

  /// Returns the offset of the first invalid bytes; `nil` if there are none.
  package static func offset(in bytes: some RandomAccessCollection<UInt8>) -> Int? {
    let bytes = Array(bytes)
    do throws(UTF8.ValidationError) {
      _ = try UTF8Span(validating: bytes.span)
      return nil
    } catch {
      return error.byteOffsets.lowerBound
    }
  }

  /// The error and its remedy, for a message that begins with the file's path.
  package var words: String { "the file is \(finding); save it as UTF-8" }

  /// The error without a subject, such as
  /// `not UTF-8 text: byte 0xE9 at offset 18 (line 2, column 10)`.
  package var finding: String {
    "not UTF-8 text: byte \(Self.hexadecimal(byte)) at offset \(offset) "
      + "(line \(line), column \(column))"
      + (isUTF16 ? ", the byte order mark of UTF-16" : "")
  }

  /// Formats a byte as `0xE9`.
  package static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x" + (byte < 16 ? "0" : "") + digits
  }
}

extension StringProtocol {
  /// The text without leading and trailing blanks: tabs and all Unicode spaces, including the zero-width space.
  package var trimmed: String { trimmed(\.isBlank) }

  /// The text without leading and trailing blanks and line endings.
  package var trimmedLines: String { trimmed { $0.isBlank || $0.endsLine } }

  private func trimmed(_ isDropped: (Unicode.Scalar) -> Bool) -> String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !isDropped($0) }),
      let last = scalars.lastIndex(where: { !isDropped($0) })
    else { return "" }
    return String(self[first..<scalars.index(after: last)])
  }
}

extension Unicode.Scalar {
  fileprivate var isBlank: Bool {
    if isASCII { return self == " " || self == "\t" }
    return properties.generalCategory == .spaceSeparator || value == 0x200B
  }

  fileprivate var endsLine: Bool {
    switch value {
    case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }
}
