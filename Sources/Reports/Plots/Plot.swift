import Support

/// A plot of quantities over the time of a run.
package struct Plot {
  /// A line of the plot.
  package struct Series {
    package let name: String
    /// The duration of the run in seconds; 0 if unknown.
    package var duration = 0.0
    /// Whether the line contains wrong values, which are drawn in a distinct style.
    package var isWrong = false
    /// The points in order of time.
    ///
    /// Long lines are thinned.
    package private(set) var points: [(time: Double, value: Double)] = []

    /// Returns the same line under a different name.
    package func named(_ name: String) -> Series {
      var other = Series(name: name, duration: duration)
      other.points = points
      other.isWrong = isWrong
      return other
    }

    /// The maximum number of points stored, far more than the columns of a picture.
    package static let most = 6000

    package init(name: String, duration: Double = 0, isWrong: Bool = false) {
      (self.name, self.duration, self.isWrong) = (name, duration, isWrong)
    }

    /// Returns the CSS class of the line.
    func look(_ index: Int) -> String { isWrong ? "wrong" : "s\(index)" }

    /// Appends a point, thinning the line if it has too many points.
    package mutating func append(_ point: (time: Double, value: Double)) {
      points.append(point)
      if points.count > Self.most { thin() }
    }

    /// Keeps the first and the last point, and the extremes of each column of the picture.
    private mutating func thin() {
      guard let first = points.first, let last = points.last else { return }
      // If the duration is unknown, use columns that are finer than those of any picture.
      let width = last.time > first.time ? last.time - first.time : 1
      let duration = duration
      let kept = Plot.extremes(of: points) { time in
        duration > 0 ? Plot.column(of: time, in: duration) : Int(2000 * (time - first.time) / width)
      }
      points = kept
      if kept.first?.time != first.time { points.insert(first, at: 0) }
      if kept.last?.time != last.time { points.append(last) }
    }
  }

  /// Returns the lowest and the highest point of each column, in order of time.
  package static func extremes(
    of points: [(time: Double, value: Double)], column: (Double) -> Int
  ) -> [(time: Double, value: Double)] {
    var kept: [(time: Double, value: Double)] = []
    var index = 0
    while index < points.count {
      let here = column(points[index].time)
      var (low, high) = (index, index)
      while index < points.count, column(points[index].time) == here {
        if points[index].value < points[low].value { low = index }
        if points[index].value > points[high].value { high = index }
        index += 1
      }
      kept.append(points[min(low, high)])
      if low != high { kept.append(points[max(low, high)]) }
    }
    return kept
  }

  /// A labelled time interval, drawn as a coloured area behind the lines.
  package struct Band {
    package let start: Double, end: Double
    /// The label, and the CSS class that sets the colour.
    package let label: String, look: String

    package init(start: Double, end: Double, label: String, look: String) {
      (self.start, self.end) = (start, end)
      (self.label, self.look) = (label, look)
    }
  }

  /// A labelled time, drawn as a vertical line.
  package struct Mark {
    package let time: Double
    package let label: String

    package init(time: Double, label: String) {
      self.time = time
      self.label = label
    }
  }

  /// The name of the plot in file names, such as `pressure`.
  package let name: String
  package let title: String
  package let unit: String
  package var decimals = 2
  package var series: [Series]
  package var bands: [Band] = []
  package var marks: [Mark] = []
  /// The permitted range of the values; `nil` unless an expectation limits them.
  package var allowed: ClosedRange<Double>?
  /// The maximum number of lines that are named in the legend.
  package static let mostNames = 8
  /// The duration of the run in seconds.
  package let duration: Double
  /// The function that formats a time, given in seconds, for display.
  package let clock: (Double) -> String

  package init(
    name: String, title: String, unit: String, decimals: Int = 2, series: [Series],
    bands: [Band] = [], marks: [Mark] = [], duration: Double, clock: @escaping (Double) -> String
  ) {
    self.name = name
    self.title = title
    self.unit = unit
    self.decimals = decimals
    self.series = series
    self.bands = bands
    self.marks = marks
    self.duration = duration
    self.clock = clock
  }

  /// Whether the plot contains no points.
  package var isEmpty: Bool { series.allSatisfy(\.points.isEmpty) }

  /// A description of the plot in words, for screen readers.
  package var description: String {
    let parts = series.filter { !$0.points.isEmpty }.map { line in
      let values = line.points.map(\.value)
      func text(_ value: Double?) -> String { value.map { Decimal.fixed($0, decimals) } ?? "-" }
      return "\(line.name): from \(text(values.first)) to \(text(values.last)) \(unit), "
        + "lowest \(text(values.min())), highest \(text(values.max()))"
    }
    let happened = marks.map { "\(clock($0.time)): \($0.label)" }
    return (parts + happened.prefix(12)).joined(separator: ". ") + "."
  }

  /// The range of the values and of `allowed`, with a margin, so its height is never zero.
  package var range: ClosedRange<Double> {
    let values = series.flatMap { $0.points.map(\.value) }
    guard let least = values.min(), let most = values.max() else { return 0...1 }
    let low = min(least, allowed?.lowerBound ?? least)
    let high = max(most, allowed?.upperBound ?? most)
    let margin = high > low ? (high - low) * 0.06 : max(abs(high) * 0.001, 0.5)
    return (low - margin)...(high + margin)
  }
}

/// Round values for axes.
package enum Ticks {
  /// Returns about `count` round values within a range.
  package static func values(_ range: ClosedRange<Double>, about count: Int) -> [Double] {
    let width = range.upperBound - range.lowerBound
    guard width > 0, width.isFinite else { return [] }
    var size = 1.0
    while size * Double(count) > width { size /= 10 }
    while size * 10 * Double(count) <= width { size *= 10 }
    let step = [1.0, 2, 5, 10].map { $0 * size }.first { width / $0 <= Double(count) } ?? size * 10
    var value = (range.lowerBound / step).rounded(.up) * step
    var values: [Double] = []
    while value <= range.upperBound {
      values.append(value)
      value += step
    }
    return values
  }

  /// Returns the number of decimals necessary to distinguish round values.
  package static func decimals(_ values: [Double]) -> Int {
    guard values.count > 1 else { return 1 }
    var step = values[1] - values[0]
    var decimals = 0
    while step < 0.999, decimals < 6 {
      step *= 10
      decimals += 1
    }
    return decimals
  }

  /// Returns about `count` round times from 0 to a duration, in seconds.
  package static func times(_ duration: Double, about count: Int) -> [Double] {
    let steps: [Double] = [
      1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800,
      604_800,
      2_592_000,
    ]
    let step = steps.first { duration / $0 <= Double(count) } ?? 31_536_000
    return Array(stride(from: 0, through: duration, by: step))
  }
}
