/// A table for a terminal: columns stand below their heads, numbers to the right.
package struct PlainTable {
  /// The head and the rows.
  package let lines: [String]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - head: the name of each column.
  ///   - rows: the cells of each row, as many as there are columns; the first column holds words, the others numbers.
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
