/// A table in Markdown.
package struct MarkdownTable {
  /// The head, the line below it and the rows.
  package let lines: [String]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - head: the name of each column.
  ///   - rows: the cells of each row, in Markdown.
  package init(_ head: [String], _ rows: [[String]]) {
    lines =
      [Self.row(head), "|" + String(repeating: "---|", count: head.count)] + rows.map(Self.row)
  }

  /// Foreign text as a cell takes it: it neither ends the cell nor begins an element.
  package static func cell(_ text: String) -> String {
    text.visible.replacing("|", with: "\\|").replacing("<", with: "&lt;")
  }

  private static func row(_ cells: [String]) -> String {
    "| " + cells.joined(separator: " | ") + " |"
  }
}
