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
