extension TerminalText {
  /// A line over as many lines as it takes, broken at blanks; what a terminal does not show, our own looks, takes no room.
  ///
  /// - Parameters:
  ///   - line: the line, with or without looks.
  ///   - width: the columns that there are.
  ///   - indent: how far the lines behind the first are set in.
  /// - Returns: the lines; a word that is longer than a line stands alone.
  package static func wrapped(_ line: String, _ width: Int, indent: Int = 0) -> [String] {
    var lines: [String] = []
    var rest = Substring(line)
    var margin = ""
    while let end = firstEnd(of: rest, width - margin.count) {
      lines.append(margin + rest[..<end.text])
      rest = rest[end.next...]
      margin = String(repeating: " ", count: max(min(indent, width - 10), 0))
    }
    return lines + [margin + rest]
  }

  /// How many columns a line takes.
  package static func width(of line: String) -> Int {
    var width = 0
    var isInSequence = false
    for character in line {
      if character == "\u{1B}" { isInSequence = true }
      if !isInSequence { width += 1 }
      if isInSequence, character.isLetter { isInSequence = false }
    }
    return width
  }

  /// Where the first of several lines ends and the next begins; `nil` where one is enough.
  private static func firstEnd(
    of line: Substring, _ room: Int
  ) -> (text: Substring.Index, next: Substring.Index)? {
    var width = 0
    var isInSequence = false
    var isBlankSoFar = true
    var end: (text: Substring.Index, next: Substring.Index)?
    for index in line.indices {
      let character = line[index]
      if character == "\u{1B}" { isInSequence = true }
      defer { if isInSequence, character.isLetter { isInSequence = false } }
      guard !isInSequence else { continue }
      width += 1
      if character != " " {
        isBlankSoFar = false
        if width > room, let end { return end }
      } else if !isBlankSoFar, width <= room + 1 || end == nil {
        if let last = end, last.next == index {
          end = (last.text, line.index(after: index))
        } else {
          end = (index, line.index(after: index))
        }
      }
    }
    return nil
  }
}
