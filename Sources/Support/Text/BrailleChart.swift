/// A line chart of text: each character is two by four dots of Braille.
package struct BrailleChart {
  /// Characters across and down.
  package let columns: Int
  package let rows: Int

  private var cells: [[UInt8]]

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: 0, count: columns), count: rows)
  }

  /// The lines of the chart, the top first.
  package var lines: [String] {
    cells.map { row in
      String(String.UnicodeScalarView(row.map { Unicode.Scalar(0x2800 + UInt32($0)) ?? " " }))
    }
  }

  /// Draws a line through points in 0...1 by 0...1, the origin at the lower left.
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
