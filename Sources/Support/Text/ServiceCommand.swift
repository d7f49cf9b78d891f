/// What a service that runs builds takes for a command to itself when it stands in a log: `::error::`, `##[error]`.
enum ServiceCommand {
  /// The text with the first character of each such command as a visible escape.
  ///
  /// `::` is a command only at the start of a line, behind blanks at most; `##[` is one anywhere.
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
