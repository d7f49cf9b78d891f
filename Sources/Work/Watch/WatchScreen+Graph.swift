import Quantities
import Text

extension WatchScreen {
  /// The pressure over time, with its axes; nothing where there is no room for it.
  package func graph(columns: Int, rows: Int) -> [Line] {
    guard rows >= 3, columns >= 30, let first = state.samples.first, let last = state.samples.last
    else { return [] }
    let scale = Double(state.settings.scale)
    let newest =
      state.settings.scrolls ? last.time : ((last.time / scale).rounded(.down) + 1) * scale
    // Before the first sample there is nothing to see: until the graph is full it grows to the right.
    let end = max(newest - state.view.back, first.time + scale)
    let shown = state.samples.filter { $0.time >= end - scale && $0.time <= end }.map {
      (x: ($0.time - (end - scale)) / scale, value: $0.pascals / unit.pascals)
    }
    guard let low = shown.map(\.value).min(), let high = shown.map(\.value).max() else {
      return [row("nothing was measured here; 0 goes back to now", .faint, width: columns)]
    }
    // Less than a hPa of weather is noise and draughts.
    let least = state.purpose == .weather ? 100 / unit.pascals : 0
    let margin = max(
      (high - low) * 0.05, pow10(-state.settings.digits), (least - (high - low)) / 2)
    let (bottom, top) = state.view.ends(low - margin, high + margin)
    let digits = state.settings.digits
    let labels = (top: Decimal.fixed(top, digits), bottom: Decimal.fixed(bottom, digits))
    let margins = max(labels.top.count, labels.bottom.count, "\(unit.symbol)".count)
    let names = marks(
      from: end - scale, to: end, columns: columns - margins - 2, most: min(max(rows / 4, 1), 4))
    // A graph of a few rows is all curve.
    let below = rows < 6 ? [] : names.lines
    var chart = BrailleChart(columns: columns - margins - 2, rows: rows - 1 - below.count)
    // What lies outside of the scale breaks the line.
    let points = means(shown, dots: 2 * chart.columns).map {
      (x: $0.x, y: ($0.value - bottom) / (top - bottom))
    }
    for part in points.split(whereSeparator: { $0.y < 0 || $0.y > 1 }) { chart.draw(Array(part)) }
    let axis = chart.lines.indices.map { index in
      switch index {
      case 0: labels.top.right(margins) + " ┤"
      case chart.rows - 1: labels.bottom.right(margins) + " ┤"
      case 1: "\(unit.symbol)".right(margins) + " │"
      default: String(repeating: " ", count: margins) + " │"
      }
    }
    return zip(axis, chart.lines).map { label, dots in
      Line(text: style(.faint, label) + style(.cyan, dots), width: columns)
    } + below.map { row(String(repeating: " ", count: margins + 2) + $0, width: columns) } + [
      times(
        from: end - scale, to: end, isWhole: names.isWhole && below.count == names.lines.count,
        indent: margins + 1, width: columns)
    ]
  }

  /// The axis of time: where it begins and ends, how long that is, and how many marks there are.
  private func times(
    from begin: Double, to end: Double, isWhole: Bool, indent: Int, width: Int
  ) -> Line {
    let (begin, end) = (clock(begin, isShort: true), clock(end, isShort: true))
    let room = width - indent
    var middle = Decimal.duration(UInt64(state.settings.scale) * 1_000_000_000)
    if state.hasDate { middle += ", UTC" }
    if !state.settings.scrolls { middle += ", in pages" }
    if !state.marks.isEmpty {
      middle += ", \("mark".counted(state.marks.count))\(isWhole ? "" : " (n)")"
    }
    let free = room - begin.count - end.count - middle.count
    guard free >= 2 else { return row("\(begin) to \(end)".right(width), .faint, width: width) }
    let before = String(repeating: " ", count: free / 2)
    let behind = String(repeating: " ", count: free - free / 2)
    return row(
      String(repeating: " ", count: indent) + begin + before + middle + behind + end, .faint,
      width: width)
  }

  /// The mean of what falls on each dot: a graph of hours is no band of noise.
  private func means(
    _ samples: [(x: Double, value: Double)], dots: Int
  ) -> [(x: Double, value: Double)] {
    var means: [(dot: Int, x: Double, value: Double, count: Double)] = []
    for sample in samples {
      let dot = Int(sample.x * Double(dots))
      if let last = means.last, last.dot == dot {
        means[means.count - 1].x += sample.x
        means[means.count - 1].value += sample.value
        means[means.count - 1].count += 1
      } else {
        means.append((dot, sample.x, sample.value, 1))
      }
    }
    return means.map { ($0.x / $0.count, $0.value / $0.count) }
  }

  private func pow10(_ exponent: Int) -> Double {
    var value = 1.0
    for _ in 0..<abs(exponent) { value = exponent < 0 ? value / 10 : value * 10 }
    return value
  }
}
