/// The last look at text on its way to a terminal.
package enum TerminalText {
  /// The sequences that our own reports write: looks, and the line of progress that is drawn anew.
  private static let known: [[UInt8]] =
    (["0", "1", "2", "31", "32", "33", "34", "36"].map { "\u{1B}[\($0)m" } + ["\r\u{1B}[K"])
    .map { Array($0.utf8) }

  /// The text with whatever a terminal would obey as a visible escape, but for ends of lines, tabs and the sequences that our
  /// own reports write.
  package static func safe(_ text: String) -> String { safe(text) { $0 == "\n" || $0 == "\t" } }

  /// One line of a report: what is foreign in it cannot end it, and begins no command to a service that runs builds.
  package static func line(_ text: String) -> String {
    ServiceCommand.defused(safe(text) { _ in false })
  }

  private static func safe(_ text: String, _ isKept: (Unicode.Scalar) -> Bool) -> String {
    var text = text
    let isPlain = text.withUTF8 { bytes in
      bytes.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 10 && isKept("\n") }
    }
    guard !isPlain else { return text }
    var result = ""
    let bytes = Array(text.utf8)
    var rest = bytes[...]
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.first {
      if scalar == "\u{1B}" || scalar == "\r",
        let sequence = known.first(where: { rest.starts(with: $0) })
      {
        result += String(decoding: sequence, as: UTF8.self)
        rest = rest.dropFirst(sequence.count)
        scalars = scalars.dropFirst(sequence.count)
        continue
      }
      if scalar.isShown || isKept(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += scalar.visibleEscape
      }
      rest = rest.dropFirst(UTF8.width(scalar))
      scalars = scalars.dropFirst()
    }
    return result
  }
}
