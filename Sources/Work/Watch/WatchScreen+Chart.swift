import Barometry
import Quantities
import Reports
import Text

extension WatchScreen {
  /// The crew's chart in place of the watch: a table, and its lines where there is room below.
  ///
  /// - Parameters:
  ///   - width: the columns that there are.
  ///   - room: the rows that there are.
  /// - Returns: its lines.
  package func chart(_ width: Int, _ room: Int) -> [Line] {
    let found = state.analysis.assessment(at: state.now)
    let now = found?.secondsPerMillimetre
    let table = ReserveTable(limit: state.analysis.limit, now: found?.pressure, t1mm: now)
    // Where there is little room the times matter, not how they are found.
    let caption = wrapped(room < 14 ? table.title : table.caption, width, .faint)
    let rows = table.rows(most: room - caption.count - 1)
    let cells = [table.head] + rows.map(\.cells)
    // Columns from the left, as many as fit; the holes only where all the times do.
    var widths: [Int] = []
    for column in table.head.indices {
      let widest = cells.map { $0[column].count }.max() ?? 0
      guard widths.reduce(0, +) + 2 * widths.count + widest <= width else { break }
      widths.append(widest)
    }
    let lines = cells.enumerated().map { index, row in
      let text = zip(row, widths).map { $0.right($1) }.joined(separator: "  ")
      let look: Style.Look? = index == 0 ? .bold : rows[index - 1].isNow ? .red : nil
      return self.row(text, look, width: width)
    }
    return caption + lines + plot(table, width, room - caption.count - lines.count)
  }

  /// The lines of the chart: T1mm to the right, minutes upwards; where it is known T1mm now is a line from the bottom to the top.
  private func plot(_ table: ReserveTable, _ width: Int, _ room: Int) -> [Line] {
    guard room >= 8, width >= 40, let pressure = table.pressures.max() else { return [] }
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    let longest = table.scale
    func minutes(_ pressure: Double) -> Double {
      ReserveChart.seconds(to: table.limit, from: pressure * millimetre, t1mm: longest) / 60
    }
    let top = max(minutes(pressure), 1)
    let label = Decimal.fixed(top, 0)
    var chart = BrailleChart(columns: width - label.count - 2, rows: room - 2)
    for pressure in table.pressures {
      chart.draw([(x: 0, y: 0), (x: 0.999, y: minutes(pressure) / top)])
    }
    if let now = table.t1mm { chart.draw([0, 1].map { (x: now / longest, y: $0) }) }
    let lines = chart.lines.enumerated().map { index, dots in
      let head = index == 0 ? label : index == chart.rows - 1 ? "0" : ""
      return Line(
        text: style(.faint, head.right(label.count) + " ┤") + style(.cyan, dots), width: width)
    }
    let names = table.pressures.sorted(by: >).map { Decimal.fixed($0, 0) }.joined(separator: ", ")
    return lines + [
      row(
        String(repeating: " ", count: label.count + 2) + "T1mm 0 to \(Decimal.fixed(longest, 0)) s"
          + (table.t1mm.map { ", now \(Decimal.fixed($0, 1)) s" } ?? "") + "; minutes", .faint,
        width: width),
      row("from the top: \(names) mmHg", .faint, width: width),
    ]
  }
}
