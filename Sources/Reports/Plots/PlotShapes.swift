import Support

/// The elements of a plot, as SVG text.
struct PlotShapes {
  let plot: Plot
  let frame: PlotFrame
  /// The range of all values, which is computed once.
  let range: ClosedRange<Double>

  init(plot: Plot, frame: PlotFrame) {
    self.plot = plot
    self.frame = frame
    range = plot.range
  }

  private var rightEdge: Double { PlotFrame.width - PlotFrame.right }

  private func x(_ time: Double) -> Double { PlotFrame.x(time, in: plot.duration) }

  private func y(_ value: Double) -> Double { frame.y(value, in: range) }

  private func text(_ number: Double) -> String { Decimal.fixed(number, 1) }

  private func escaped(_ text: String) -> String { XML.escaped(text) }

  func heading(_ words: String) -> String {
    "<text class=\"title\" x=\"4\" y=\"20\">\(fitting(words, from: 4))</text>\n"
  }

  /// Truncates text to the width available from `x` on, and escapes it.
  private func fitting(_ words: String, from x: Double) -> String {
    let most = Int((PlotFrame.width - x) / PlotFrame.letter)
    return escaped(words.count > most ? words.prefix(most - 1) + "…" : words)
  }

  func notes(_ lines: [String]) -> String {
    lines.enumerated().map { index, line in
      "<text x=\"\(text(PlotFrame.left))\" y=\"\(text(frame.note(index)))\">"
        + "\(fitting(line, from: PlotFrame.left))</text>\n"
    }.joined()
  }

  /// The labelled intervals and the permitted range.
  var bands: String {
    let times = plot.bands.map { band in
      """
      <rect class="band \(band.look)" x="\(text(x(band.start)))" y="\(text(frame.top))" \
      width="\(text(max(x(band.end) - x(band.start), 0.5)))" height="\(text(frame.bottom - frame.top))">\
      <title>\(escaped(band.label))</title></rect>

      """
    }
    guard let allowed = plot.allowed else { return times.joined() }
    let top = y(allowed.upperBound)
    return times.joined()
      + """
      <rect class="band allowed" x="\(text(PlotFrame.left))" y="\(text(top))" \
      width="\(text(rightEdge - PlotFrame.left))" height="\(text(y(allowed.lowerBound) - top))"/>

      """
  }

  var grid: String {
    let values = Ticks.values(range, about: 5)
    let decimals = Ticks.decimals(values)
    let rows = values.map { value in
      """
      <line class="grid" x1="\(text(PlotFrame.left))" x2="\(text(rightEdge))" y1="\(text(y(value)))" \
      y2="\(text(y(value)))"/>\
      <text x="\(text(PlotFrame.left - 8))" y="\(text(y(value) + 6))" text-anchor="end">\
      \(Decimal.fixed(value, decimals))</text>

      """
    }
    return (rows + times).joined()
      + """
      <line class="axis" x1="\(text(PlotFrame.left))" x2="\(text(rightEdge))" y1="\(text(frame.bottom))" \
      y2="\(text(frame.bottom))"/><text x="2" y="\(text(frame.top - 12))">\(escaped(plot.unit))</text>

      """
  }

  private var times: [String] {
    var free = 0.0
    return Ticks.times(plot.duration, about: 4).map { time in
      let (words, x) = (plot.clock(time), x(time))
      let width = Double(words.count) * PlotFrame.letter
      // A label at the edge is right-aligned. A label that would overlap another is omitted.
      let isAtEdge = x + width / 2 > PlotFrame.width
      let start = isAtEdge ? x - width : x - width / 2
      let isFree = start >= free
      if isFree { free = start + width + PlotFrame.letter }
      let label =
        isFree
        ? "<text x=\"\(text(x))\" y=\"\(text(frame.bottom + 26))\" "
          + "text-anchor=\"\(isAtEdge ? "end" : "middle")\">\(escaped(words))</text>"
        : ""
      return """
        <line class="axis" x1="\(text(x))" x2="\(text(x))" y1="\(text(frame.bottom))" \
        y2="\(text(frame.bottom + 6))"/>\(label)

        """
    }
  }

  var lines: String {
    let many = plot.series.count > Plot.mostNames ? " many" : ""
    return plot.series.enumerated().map { index, line in
      let look = many.isEmpty ? line.look(index) : "s0\(many)"
      guard let (low, high) = envelope(line.points) else {
        return "<polyline class=\"line \(look)\" points=\"\(places(thinned(line.points)))\"/>\n"
      }
      let middle = zip(low, high).map { (time: $0.time, value: ($0.value + $1.value) / 2) }
      return """
        <polygon class="spread \(look)" points="\(places(low + high.reversed()))"/>\
        <polyline class="line \(look)" points="\(places(middle))"/>

        """
    }.joined()
  }

  private func places(_ points: [(time: Double, value: Double)]) -> String {
    points.map { "\(text(x($0.time))),\(text(y($0.value)))" }.joined(separator: " ")
  }

  /// Thins a line to at most two points per unit of width, the lowest and the highest.
  private func thinned(_ points: [(time: Double, value: Double)]) -> [(time: Double, value: Double)]
  {
    guard points.count > 2 * Int(PlotFrame.width) else { return points }
    return Plot.extremes(of: points) { Plot.column(of: $0, in: plot.duration) }
  }

  /// Returns the edges of the area that is drawn for a dense line: the lowest and the highest value
  /// in every five units of width; `nil` if the line has few points or varies little.
  private func envelope(
    _ points: [(time: Double, value: Double)]
  ) -> (low: [(time: Double, value: Double)], high: [(time: Double, value: Double)])? {
    guard points.count > Int(PlotFrame.width) else { return nil }
    var low: [(time: Double, value: Double)] = [], high = low
    var column = -1
    for point in points {
      let here = Plot.column(of: point.time, in: plot.duration) / 5
      if here != column {
        column = here
        low.append(point)
        high.append(point)
      }
      if point.value < low[low.count - 1].value { low[low.count - 1].value = point.value }
      if point.value > high[high.count - 1].value { high[high.count - 1].value = point.value }
    }
    let spread = zip(low, high).map { $1.value - $0.value }.inOrder()[low.count / 2]
    let width = range.upperBound - range.lowerBound
    return spread > 0.05 * width ? (low, high) : nil
  }

  var marks: String {
    // The numbers of close marks are placed side by side.
    var free = 0.0
    let hasNumbers = plot.marks.count <= Plot.mostNumbers
    return plot.marks.enumerated().map { index, mark in
      let place = max(x(mark.time), free)
      free = place + 1.8 * PlotFrame.letter
      let number =
        hasNumbers
        ? "<text x=\"\(text(place))\" y=\"\(text(frame.top - 6))\" text-anchor=\"middle\">\(index + 1)</text>"
        : ""
      return """
        <g class="mark"><line x1="\(text(x(mark.time)))" x2="\(text(x(mark.time)))" y1="\(text(frame.top))" \
        y2="\(text(frame.bottom))"/>\(number)\
        <title>\(escaped("\(plot.clock(mark.time)): \(mark.label)"))</title></g>

        """
    }.joined()
  }

  var legend: String {
    frame.legend.map { entry, x, y in
      let sample =
        switch entry.sample {
        case .line(let look):
          "<line class=\"line \(look)\" x1=\"\(text(x))\" x2=\"\(text(x + 18))\" y1=\"\(text(y - 6))\" "
            + "y2=\"\(text(y - 6))\"/>"
        case .colour(let look):
          "<rect class=\"band \(look) key\" x=\"\(text(x))\" y=\"\(text(y - 14))\" width=\"18\" height=\"16\"/>"
        }
      return "\(sample)<text class=\"legend\" x=\"\(text(x + 24))\" y=\"\(text(y))\">"
        + "\(escaped(entry.text))</text>\n"
    }.joined()
  }
}

/// The layout of a plot, in the units of its SVG.
///
/// A plot is 720 units wide. Its letters of 18 units are still legible on a page that is 400 pixels
/// wide.
struct PlotFrame {
  static let width = 720.0, left = 84.0, right = 16.0
  /// The heights of the plotted area and of a text line.
  private static let plotted = 280.0, line = 26.0
  /// The approximate width of a letter.
  static let letter = 9.6

  /// The top and bottom of the plotted area.
  let top: Double, bottom: Double
  /// The entries of the legend, with the start of their baselines.
  let legend: [(entry: PlotLegend.Entry, x: Double, y: Double)]
  /// The baseline of the first note below the plot.
  let notes: Double
  let height: Double

  /// Computes the layout.
  ///
  /// - Parameters:
  ///   - entries: the entries of the legend.
  ///   - hasTitle: `true` to reserve space for a title at the top.
  ///   - count: the number of lines with notes below the plot.
  init(legend entries: [PlotLegend.Entry], hasTitle: Bool, notes count: Int) {
    var y = hasTitle ? 2 * Self.line - 4 : Self.line - 6
    var x = Self.left
    legend = entries.map { entry in
      let width = 44 + Double(entry.text.count) * Self.letter
      if x > Self.left, x + width > Self.width { (x, y) = (Self.left, y + Self.line) }
      defer { x += width }
      return (entry, x, y)
    }
    top = y + (entries.isEmpty ? 0 : Self.line) + 8
    bottom = top + Self.plotted
    notes = bottom + 2 * Self.line
    height = bottom + Self.line + 10 + (count > 0 ? Double(count) * Self.line + 6 : 0)
  }

  /// Returns the baseline of a line with a note.
  func note(_ index: Int) -> Double { notes + 6 + Double(index) * Self.line }

  /// Returns the horizontal position of a time.
  static func x(_ time: Double, in duration: Double) -> Double {
    left + (width - right - left) * (duration > 0 ? min(max(time / duration, 0), 1) : 0)
  }

  /// Returns the vertical position of a value.
  func y(_ value: Double, in range: ClosedRange<Double>) -> Double {
    let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    return bottom - (bottom - top) * share
  }
}
