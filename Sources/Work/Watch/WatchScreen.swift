import Barometry
package import Quantities
package import Text

/// The screen of a watch: a pure function of what is known and of the terminal's size.
package struct WatchScreen {
  /// The smallest terminal that holds it.
  package static let smallest = (columns: 40, rows: 12)

  package let state: WatchState
  private let columns: Int, rows: Int
  private let style: Style
  package let unit: PressureUnit

  /// Creates a screen.
  package init(_ state: WatchState, columns: Int, rows: Int, style: Style) {
    self.state = state
    (self.columns, self.rows) = (columns, rows)
    self.style = style
    unit = state.settings.pressureUnit
  }

  /// Its lines, as many as the terminal has rows, none wider than it.
  package var lines: [String] {
    guard columns >= Self.smallest.columns, rows >= Self.smallest.rows else {
      let text = "at least \(Self.smallest.columns)x\(Self.smallest.rows) needed"
      return [String(text.prefix(columns))] + Array(repeating: "", count: max(rows - 1, 0))
    }
    let head = [
      line("\(state.name)  \(UTCTime.text(state.moment)) UTC  as \(state.purpose.rawValue)", .faint)
    ]
    let foot = [line(WatchState.keys, .faint)]
    let room = rows - head.count - foot.count
    let isWide =
      state.settings.layout == .wide || (state.settings.layout == .automatic && columns >= 100)
    let body: [String]
    if isWide {
      let left = 46
      let numbers = padded(self.numbers(width: left), to: room)
      let graph = padded(self.graph(columns: columns - left - 2, rows: room), to: room)
      body = zip(numbers, graph).map { "\($0.text.left(left, shown: $0.width))  \($1.text)" }
    } else {
      let numbers = self.numbers(width: columns)
      let graph = self.graph(columns: columns, rows: room - min(numbers.count, room))
      body = padded(numbers + graph, to: room).map(\.text)
    }
    return head + body + foot
  }

  /// A line and how many columns it takes without its colours.
  package struct Line {
    package let text: String
    package let width: Int
  }

  private func line(_ text: String, _ look: Style.Look) -> String {
    style(look, String(text.visible.prefix(columns)))
  }

  package func row(_ text: String, _ look: Style.Look? = nil, width: Int) -> Line {
    let plain = String(text.visible.prefix(width))
    return Line(text: look.map { style($0, plain) } ?? plain, width: plain.count)
  }

  /// A sentence over as many lines as it takes.
  package func wrapped(_ text: String, _ width: Int, _ look: Style.Look? = nil) -> [Line] {
    var lines = [""]
    for word in text.split(separator: " ") {
      let longer = lines[lines.count - 1].isEmpty ? "\(word)" : lines[lines.count - 1] + " \(word)"
      // What follows the first line is set in.
      if longer.count <= width {
        lines[lines.count - 1] = longer
      } else {
        lines.append("  \(word)")
      }
    }
    return lines.map { row($0, look, width: width) }
  }

  private func padded(_ lines: [Line], to count: Int) -> [Line] {
    Array(
      (lines + Array(repeating: Line(text: "", width: 0), count: max(count - lines.count, 0)))
        .prefix(count))
  }

  // MARK: Numbers

  private func value(_ pascals: Double) -> String {
    Decimal.fixed(pascals / unit.pascals, state.settings.digits)
  }

  private func numbers(width: Int) -> [Line] {
    guard let found = state.analysis.assessment(at: state.now) else {
      return [row(state.failure ?? "waiting for the first sample", .yellow, width: width)]
    }
    let isOld = found.status == .stale || found.status == .fault
    var lines = status(found, width)
    // An old number is crossed out, never shown as if it were true.
    let big =
      isOld ? String(repeating: "-", count: value(found.pressure).count) : value(found.pressure)
    lines += BigDigits.lines(big).map { row($0, isOld ? .faint : .bold, width: width) }
    let age = Decimal.fixed(max(found.age, 0), 0)
    lines.append(
      row(
        "\(unit.symbol)   \(isOld ? "LAST \(value(found.pressure)), " : "")\(age) s old",
        isOld ? .red : nil, width: width))
    let change = (found.pressure - found.initial) / unit.pascals
    lines.append(
      row(
        "initial \(value(found.initial))   change \(isOld ? "-" : Decimal.signed(change, state.settings.digits))",
        width: width))
    lines += state.purpose == .cabin ? cabin(found, isOld, width) : weather(width)
    return lines
  }

  private func status(_ found: LeakAssessment, _ width: Int) -> [Line] {
    var lines = [row(word(found), look(found), width: width)]
    if let failure = state.failure { lines.append(row(failure, .red, width: width)) }
    if state.alike >= 15 {
      lines.append(
        row("\(state.alike) samples exactly alike: does it still measure?", .red, width: width))
    }
    if let recording = state.recording {
      lines.append(row(recording, state.recordingFails ? .red : .faint, width: width))
    }
    return lines
  }

  // MARK: Graph

  private func graph(columns: Int, rows: Int) -> [Line] {
    guard rows >= 3, columns >= 20, let last = state.samples.last else { return [] }
    let scale = Double(state.settings.scale)
    let end =
      state.settings.scrolls ? last.time : ((last.time / scale).rounded(.down) + 1) * scale
    let shown = state.samples.filter { $0.time >= end - scale }
    let values = shown.map { $0.pascals / unit.pascals }
    guard let low = values.min(), let high = values.max() else { return [] }
    let margin = max((high - low) * 0.05, pow10(-state.settings.digits))
    let (bottom, top) = (low - margin, high + margin)
    var chart = BrailleChart(columns: columns, rows: rows - 1)
    chart.draw(
      shown.map { sample in
        (
          x: (sample.time - (end - scale)) / scale,
          y: (sample.pascals / unit.pascals - bottom) / (top - bottom)
        )
      })
    let text =
      "\(Decimal.fixed(bottom, state.settings.digits)) to \(Decimal.fixed(top, state.settings.digits)) "
      + "\(unit.symbol), \(Decimal.duration(UInt64(scale * 1e9)))"
      + (state.marks.isEmpty ? "" : ", \(state.marks.count) marks")
    return chart.lines.map { row($0, .cyan, width: columns) } + [row(text, .faint, width: columns)]
  }

  private func pow10(_ exponent: Int) -> Double {
    var value = 1.0
    for _ in 0..<abs(exponent) { value = exponent < 0 ? value / 10 : value * 10 }
    return value
  }
}

extension String {
  /// The text with blanks behind it, its shown width given because colours take none.
  fileprivate func left(_ width: Int, shown: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - shown))
  }
}
