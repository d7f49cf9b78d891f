/// Text that came from somewhere else (a file, a name, another program), made safe to show to a person.
///
/// A terminal, a log and a CI service obey some characters instead of showing them: control characters
/// move the cursor and hide lines, direction marks reorder what is read, an end of a line begins a command to the service that runs the build.
/// Here each of them becomes an escape that can be seen, such as `\n` or `\u{1B}`.
extension StringProtocol {
  /// The text on one line, with everything that is not shown as itself as a visible escape.
  package var visible: String { escaped { _ in false } }

  /// The text with its ends of lines, and everything else that is not shown as itself as a visible escape.
  package var visibleLines: String { escaped { $0 == "\n" } }

  /// The start of the text in one short line, for a message that quotes it.
  package var clipped: String {
    // Scalars, not characters: one character may be made of any number of them.
    let start = String(String.UnicodeScalarView(unicodeScalars.prefix(61))).visible
    return start.unicodeScalars.count > 60
      ? String(String.UnicodeScalarView(start.unicodeScalars.prefix(57))) + "..." : start
  }

  private func escaped(except isKept: (Unicode.Scalar) -> Bool) -> String {
    var result = ""
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      result = String(self)
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
  /// Whether a terminal shows it, rather than obeying it or hiding it.
  ///
  /// The two joiners are kept: scripts and emoji are written with them, and they reorder nothing.
  package var isShown: Bool {
    if isASCII { return (0x20..<0x7F).contains(value) }
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return false
    case .format: return value == 0x200C || value == 0x200D
    default: return value & 0xFFFE != 0xFFFE
    }
  }

  /// How it is written where it cannot stand itself.
  package var visibleEscape: String {
    switch self {
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}
