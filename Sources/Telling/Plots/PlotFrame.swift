/// Where the pieces of a picture stand, in its own units.
///
/// A picture is as wide as 720 of them. On a page of 400 pixels its letters, which are 18 high, are still read.
struct PlotFrame {
  static let width = 720.0, left = 84.0, right = 16.0
  /// The height of what is plotted, and of a line of words.
  private static let plotted = 280.0, line = 26.0
  /// About the width of a letter.
  static let letter = 9.6

  /// Where what is plotted begins and ends.
  let top: Double, bottom: Double
  /// The lines of the legend: the first one's base, and the entries with their places.
  let legend: [(entry: PlotLegend.Entry, x: Double, y: Double)]
  /// The base of the first line of words below the picture.
  let notes: Double
  let height: Double

  /// Arranges a picture.
  ///
  /// - Parameters:
  ///   - entries: what the legend says.
  ///   - hasTitle: whether its title stands above.
  ///   - count: how many lines of words stand below.
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

  /// The base of a line of words below the picture.
  func note(_ index: Int) -> Double { notes + 6 + Double(index) * Self.line }

  /// The place of a time of a run.
  static func x(_ time: Double, in duration: Double) -> Double {
    left + (width - right - left) * (duration > 0 ? min(max(time / duration, 0), 1) : 0)
  }

  /// The height of a value.
  func y(_ value: Double, in range: ClosedRange<Double>) -> Double {
    let share = (value - range.lowerBound) / (range.upperBound - range.lowerBound)
    return bottom - (bottom - top) * share
  }
}
