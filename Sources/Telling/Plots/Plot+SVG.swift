import Text

extension Plot {
  /// The size of a picture in its own units.
  private static let width = 720.0, height = 250.0
  private static let left = 64.0, right = 14.0, top = 30.0, bottom = 34.0

  /// The picture as SVG.
  ///
  /// - Parameter isAlone: whether it stands in a file of its own, and needs its colours with it.
  /// - Returns: the element `svg`.
  package func svg(isAlone: Bool = false) -> String {
    let style = isAlone ? "<style>\(PlotStyle.plots)</style>" : ""
    let space = isAlone ? "xmlns=\"http://www.w3.org/2000/svg\" " : ""
    return """
      <svg \(space)class="plot" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" \
      aria-labelledby="\(name)-t \(name)-d">\
      <title id="\(name)-t">\(escaped(title))</title><desc id="\(name)-d">\(escaped(description))</desc>\(style)
      \(bandShapes)\(grid)\(lines)\(markShapes)\(legend)</svg>

      """
  }

  private var bottomEdge: Double { Self.height - Self.bottom }
  private var rightEdge: Double { Self.width - Self.right }

  private func x(_ time: Double) -> Double { Self.x(time, in: duration) }

  private static func x(_ time: Double, in duration: Double) -> Double {
    left + (width - right - left) * (duration > 0 ? min(max(time / duration, 0), 1) : 0)
  }

  /// The unit of width in which a time of a run falls.
  package static func column(of time: Double, in duration: Double) -> Int {
    Int(x(time, in: duration))
  }

  private func y(_ value: Double, in range: ClosedRange<Double>) -> Double {
    let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    return bottomEdge - (bottomEdge - Self.top) * share
  }

  private func text(_ number: Double) -> String { Decimal.fixed(number, 1) }

  private func escaped(_ text: String) -> String { XML.escaped(text) }

  private var bandShapes: String {
    bands.map { band in
      """
      <rect class="band \(band.look)" x="\(text(x(band.start)))" y="\(text(Self.top))" \
      width="\(text(max(x(band.end) - x(band.start), 0.5)))" height="\(text(bottomEdge - Self.top))">\
      <title>\(escaped(band.label))</title></rect>

      """
    }.joined()
  }

  private var grid: String {
    let range = range
    let values = Ticks.values(range, about: 5)
    let decimals = Ticks.decimals(values)
    let rows = values.map { value in
      let y = y(value, in: range)
      return """
        <line class="grid" x1="\(text(Self.left))" x2="\(text(rightEdge))" y1="\(text(y))" y2="\(text(y))"/>\
        <text class="tick" x="\(text(Self.left - 8))" y="\(text(y + 4))" text-anchor="end">\
        \(Decimal.fixed(value, decimals))</text>

        """
    }
    let columns = Ticks.times(duration, about: 5).map { time in
      // A word at the edge ends there.
      let anchor = x(time) > rightEdge - 30 ? "end" : "middle"
      return """
        <line class="axis" x1="\(text(x(time)))" x2="\(text(x(time)))" y1="\(text(bottomEdge))" \
        y2="\(text(bottomEdge + 5))"/>\
        <text class="tick" x="\(text(x(time)))" y="\(text(bottomEdge + 20))" text-anchor="\(anchor)">\
        \(escaped(clock(time)))</text>

        """
    }
    return (rows + columns).joined()
      + """
      <line class="axis" x1="\(text(Self.left))" x2="\(text(rightEdge))" y1="\(text(bottomEdge))" \
      y2="\(text(bottomEdge))"/><text class="unit" x="2" y="\(text(Self.top - 12))">\(escaped(unit))</text>

      """
  }

  /// At most two points for each unit of width: the lowest and the highest that fall there.
  private func thinned(_ points: [(time: Double, value: Double)]) -> [(time: Double, value: Double)]
  {
    guard points.count > 2 * Int(Self.width) else { return points }
    return Self.extremes(of: points) { Self.column(of: $0, in: duration) }
  }

  private var lines: String {
    let range = range
    return series.enumerated().map { index, line in
      let places = thinned(line.points).map {
        "\(text(x($0.time))),\(text(y($0.value, in: range)))"
      }
      return "<polyline class=\"line s\(index)\" points=\"\(places.joined(separator: " "))\"/>\n"
    }.joined()
  }

  private var markShapes: String {
    marks.map { mark in
      """
      <g class="mark"><line x1="\(text(x(mark.time)))" x2="\(text(x(mark.time)))" y1="\(text(Self.top))" \
      y2="\(text(bottomEdge))"/><title>\(escaped("\(clock(mark.time)): \(mark.label)"))</title></g>

      """
    }.joined()
  }

  private var legend: String {
    guard series.count > 1 else { return "" }
    var place = Self.left + 40
    return series.enumerated().map { index, line in
      defer { place += Double(line.name.count) * 9 + 40 }
      return """
        <line class="line s\(index)" x1="\(text(place))" x2="\(text(place + 16))" y1="\(text(Self.top - 16))" \
        y2="\(text(Self.top - 16))"/><text class="legend" x="\(text(place + 20))" y="\(text(Self.top - 12))">\
        \(escaped(line.name))</text>

        """
    }.joined()
  }
}
