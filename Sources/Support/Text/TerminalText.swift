/// The last filter for text before it is written to a terminal.
package enum TerminalText {
  /// The escape sequences used by reports, which set colours and redraw the progress line.
  private static let known: [[UInt8]] =
    (["0", "1", "2", "31", "32", "33", "34", "36"].map { "\u{1B}[\($0)m" } + ["\r\u{1B}[K"])
    .map { Array($0.utf8) }

  /// Escapes everything that a terminal would interpret, except line endings, tabs and the escape
  /// sequences used by reports.
  package static func safe(_ text: String) -> String { safe(text) { $0 == "\n" || $0 == "\t" } }

  /// Makes one line of a report safe, so text from outside can neither end the line nor issue a
  /// command to a CI service.
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

extension TerminalText {
  /// Wraps a line at blanks.
  ///
  /// Escape sequences count as having no width.
  ///
  /// - Parameters:
  ///   - line: the line, with or without escape sequences.
  ///   - width: the available columns.
  ///   - indent: the indentation of the lines after the first. Default: 0.
  /// - Returns: the lines. A word longer than a line is on a line of its own.
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

  /// Returns the number of columns that a line occupies, without escape sequences.
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

  /// Returns where the first line of the wrapped text ends and where the next one starts; `nil` if
  /// the text fits on one line.
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

/// Colours and weights of text on a terminal.
///
/// If colour is off, the text is plain.
package struct Style: Sendable {
  /// Whether escape sequences are written.
  package let isColoured: Bool

  package init(isColoured: Bool) {
    self.isColoured = isColoured
  }

  /// The styles used by reports.
  package enum Look: String {
    case bold = "1"
    case faint = "2"
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case cyan = "36"
  }

  package func callAsFunction(_ look: Look, _ text: String) -> String {
    // Text from outside must not contain escape sequences.
    let text = text.visible
    return isColoured && !text.isEmpty ? "\u{1B}[\(look.rawValue)m\(text)\u{1B}[0m" : text
  }
}

extension String {
  /// Pads the text with blanks on the left.
  package func right(_ width: Int) -> String {
    String(repeating: " ", count: Swift.max(0, width - count)) + self
  }

  /// Pads the text with blanks on the right.
  package func left(_ width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - count))
  }
}

/// A line chart drawn with Braille characters, which are two dots wide and four dots high.
package struct BrailleChart {
  /// The width and the height in characters.
  package let columns: Int
  package let rows: Int

  private var cells: [[UInt8]]

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: 0, count: columns), count: rows)
  }

  /// The lines of the chart, from top to bottom.
  package var lines: [String] {
    cells.map { row in
      String(String.UnicodeScalarView(row.map { Unicode.Scalar(0x2800 + UInt32($0)) ?? " " }))
    }
  }

  /// Combines charts of the same size into lines; the first chart with a dot in a character gives
  /// its colour.
  ///
  /// - Parameters:
  ///   - layers: the charts and their colours, the most important first. The dots of the last one
  ///     are visible only in characters that are otherwise empty.
  ///   - style: the style of the terminal.
  /// - Returns: the lines, from top to bottom.
  package static func lines(_ layers: [(chart: BrailleChart, look: Style.Look)], _ style: Style)
    -> [String]
  {
    guard let first = layers.first?.chart else { return [] }
    return (0..<first.rows).map { row in
      var (text, run) = ("", "")
      var look: Style.Look?
      for column in 0..<first.columns {
        let cells = layers.map { $0.chart.cells[row][column] }
        let top = cells.firstIndex { $0 != 0 }
        let isGrid = top == layers.count - 1
        let dots = isGrid ? cells[layers.count - 1] : cells.dropLast().reduce(0, |)
        let own = top.map { layers[$0].look }
        if own != look, own != nil {
          text += look.map { style($0, run) } ?? run
          (run, look) = ("", own)
        }
        run.unicodeScalars.append(Unicode.Scalar(0x2800 + UInt32(dots)) ?? " ")
      }
      return text + (look.map { style($0, run) } ?? run)
    }
  }

  /// Draws single dots; coordinates as for `draw(_:)`.
  package mutating func dot(_ points: [(x: Double, y: Double)]) {
    let (width, height) = (Double(2 * columns - 1), Double(4 * rows - 1))
    for point in points where (0...1).contains(point.x) && (0...1).contains(point.y) {
      set(Int((point.x * width).rounded()), Int(((1 - point.y) * height).rounded()))
    }
  }

  /// Draws a line through points whose coordinates are 0 to 1, with the origin at the lower left.
  package mutating func draw(_ points: [(x: Double, y: Double)]) {
    let (width, height) = (Double(2 * columns - 1), Double(4 * rows - 1))
    var last: (x: Int, y: Int)?
    for point in points {
      let dot = (x: Int((point.x * width).rounded()), y: Int(((1 - point.y) * height).rounded()))
      let start = last ?? dot
      let steps = max(abs(dot.x - start.x), abs(dot.y - start.y), 1)
      for step in 0...steps {
        set(
          start.x + (dot.x - start.x) * step / steps, start.y + (dot.y - start.y) * step / steps)
      }
      last = dot
    }
  }

  private mutating func set(_ x: Int, _ y: Int) {
    guard (0..<2 * columns).contains(x), (0..<4 * rows).contains(y) else { return }
    let bit =
      x % 2 == 0
      ? [0x01, 0x02, 0x04, 0x40][y % 4] as UInt8 : [0x08, 0x10, 0x20, 0x80][y % 4] as UInt8
    cells[y / 4][x / 2] |= bit
  }
}

package struct MarkdownTable {
  /// The header row, the separator line below it and the rows.
  package let lines: [String]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - head: the names of the columns.
  ///   - rows: the cells of each row, in Markdown.
  package init(_ head: [String], _ rows: [[String]]) {
    lines =
      [Self.row(head), "|" + String(repeating: "---|", count: head.count)] + rows.map(Self.row)
  }

  /// Escapes text from outside, which could otherwise end the cell or start an HTML element.
  package static func cell(_ text: String) -> String {
    text.visible.replacing("|", with: "\\|").replacing("<", with: "&lt;")
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }
}

/// A table for a terminal.
///
/// The first column contains left-aligned words, the other columns right-aligned numbers.
package struct PlainTable {
  /// The header row and the rows.
  package let lines: [String]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - head: the names of the columns.
  ///   - rows: the cells of each row, one for each column. The first column contains words, the
  ///     other columns numbers.
  package init(_ head: [String], _ rows: [[String]]) {
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    lines = ([head] + rows).map { cells in
      let placed = zip(cells, widths).enumerated().map { column, cell in
        column == 0 ? cell.0.left(cell.1) : cell.0.right(cell.1)
      }
      return placed.joined(separator: "   ")
    }
  }
}
