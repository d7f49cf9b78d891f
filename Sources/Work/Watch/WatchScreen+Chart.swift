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
    let table = ReserveTable(limit: state.analysis.limit, now: found?.pressure)
    var lines = wrapped(table.caption, width, .faint)
    let cells = [table.head] + table.rows
    // Columns from the left, as many as fit; the holes only where all the times do.
    var widths: [Int] = []
    for column in table.head.indices {
      let widest = cells.map { $0[column].count }.max() ?? 0
      guard widths.reduce(0, +) + 2 * widths.count + widest <= width else { break }
      widths.append(widest)
    }
    for (index, row) in cells.enumerated() {
      let text = zip(row, widths).map { $0.right($1) }.joined(separator: "  ")
      lines.append(self.row(text, index == 0 ? .bold : nil, width: width))
    }
    if let seconds = found?.secondsPerMillimetre {
      lines.append(
        self.row("T1mm now \(Decimal.fixed(seconds, 1)) s", .red, width: width))
    }
    return lines + plot(table, width, room - lines.count)
  }

  /// The lines of the chart: T1mm to the right, minutes upwards.
  private func plot(_ table: ReserveTable, _ width: Int, _ room: Int) -> [Line] {
    guard room >= 8, width >= 40, let pressure = table.pressures.max() else { return [] }
    let millimetre = PressureUnit.millimetreOfMercury.pascals
    let longest = 120.0
    func minutes(_ pressure: Double) -> Double {
      ReserveChart.seconds(to: table.limit, from: pressure * millimetre, t1mm: longest) / 60
    }
    let top = max(minutes(pressure), 1)
    let label = Decimal.fixed(top, 0)
    var chart = BrailleChart(columns: width - label.count - 2, rows: room - 2)
    for pressure in table.pressures {
      chart.draw([(x: 0, y: 0), (x: 0.999, y: minutes(pressure) / top)])
    }
    let lines = chart.lines.enumerated().map { index, dots in
      let head = index == 0 ? label : index == chart.rows - 1 ? "0" : ""
      return Line(
        text: style(.faint, head.right(label.count) + " ┤") + style(.cyan, dots), width: width)
    }
    let names = table.pressures.sorted(by: >).map { Decimal.fixed($0, 0) }.joined(separator: ", ")
    return lines + [
      row(
        String(repeating: " ", count: label.count + 2) + "T1mm 0 to 120 s; minutes", .faint,
        width: width),
      row("from the top: \(names) mmHg", .faint, width: width),
    ]
  }
}
