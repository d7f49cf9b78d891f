import Barometry
import Glibc
import Quantities
import Reports
import Support

extension WatchScreen {
  /// The pressure over time, with axes; empty if there is no room.
  package func graph(columns: Int, rows: Int) -> [Line] {
    guard rows >= 3, columns >= 30, let first = state.samples.first, let last = state.samples.last
    else { return [] }
    if state.view.showsRun { return run(columns: columns, rows: rows) }
    let scale = Double(state.settings.scale)
    let newest =
      state.settings.scrolls ? last.time : ((last.time / scale).rounded(.down) + 1) * scale
    // Until the graph is full, it grows to the right.
    let end = max(newest - state.view.back, first.time + scale)
    let shown = state.samples.filter { $0.time >= end - scale && $0.time <= end }.map {
      (x: ($0.time - (end - scale)) / scale, value: $0.pascals / unit.pascals)
    }
    guard let low = shown.map(\.value).min(), let high = shown.map(\.value).max() else {
      return [row("no samples in this period; 0 returns to now", .faint, width: columns)]
    }
    // Weather changes below 1 hPa are noise and draughts.
    let least = state.purpose == .weather ? 100 / unit.pascals : 0
    let margin = max(
      (high - low) * 0.05, pow10(-state.settings.digits), (least - (high - low)) / 2)
    let (bottom, top) = state.view.ends(low - margin, high + margin)
    let digits = state.settings.digits
    let labels = (top: Decimal.fixed(top, digits), bottom: Decimal.fixed(bottom, digits))
    let margins = max(labels.top.count, labels.bottom.count, "\(unit.symbol)".count)
    let names = marks(
      from: end - scale, to: end, columns: columns - margins - 2, most: min(max(rows / 4, 1), 4))
    // A graph with fewer than six rows has no mark names below it.
    let below = rows < 6 ? [] : names.lines
    var chart = BrailleChart(columns: columns - margins - 2, rows: rows - 1 - below.count)
    // A point outside the scale interrupts the line.
    let points = means(shown, dots: 2 * chart.columns).map {
      (x: $0.x, y: ($0.value - bottom) / (top - bottom))
    }
    for part in points.split(whereSeparator: { $0.y < 0 || $0.y > 1 }) { chart.draw(Array(part)) }
    let area = GraphArea(
      begin: end - scale, end: end, bottom: bottom, top: top, columns: chart.columns,
      rows: chart.rows)
    let slope = self.slope(in: area)
    let dots = BrailleChart.lines(
      [(chart, .cyan), (slope ?? area.empty, .yellow), (area.grid, .faint)], style)
    let values = area.labels(digits: digits)
    let axis = (0..<chart.rows).map { index in
      switch index {
      case 0: labels.top.right(margins) + " ┤"
      case chart.rows - 1: labels.bottom.right(margins) + " ┤"
      case 1: "\(unit.symbol)".right(margins) + " │"
      default:
        values[index].map { $0.right(margins) + " ┼" }
          ?? String(repeating: " ", count: margins) + " │"
      }
    }
    return zip(axis, dots).map { label, dots in
      Line(text: style(.faint, label) + dots, width: columns)
    } + below.map { row(String(repeating: " ", count: margins + 2) + $0, width: columns) } + [
      times(
        from: end - scale, to: end, isWhole: names.isWhole && below.count == names.lines.count,
        indent: margins + 1, width: columns, grid: area.step)
    ]
  }

  /// The measured rate of the leak as a line through its samples; `nil` while it is not known.
  private func slope(in area: GraphArea) -> BrailleChart? {
    guard state.purpose == .cabin, let found = state.analysis.assessment(at: state.now),
      let rate = found.leak?.rate, let newest = state.samples.last?.time
    else { return nil }
    let since = newest - rate.span
    let used = state.samples.reversed().prefix { $0.time >= since }
    guard used.count > 3 else { return nil }
    let count = Double(used.count)
    let (time, mean) = (
      used.map(\.time).reduce(0, +) / count, used.map(\.pascals).reduce(0, +) / count
    )
    var chart = area.empty
    // Dashes, so that the line differs from the samples without colours too.
    let steps = 4 * area.columns
    chart.dot(
      (0...steps).filter { $0 % 12 < 7 }.compactMap { step in
        let moment = area.begin + (area.end - area.begin) * Double(step) / Double(steps)
        guard moment >= since else { return nil }
        return area.point(moment, (mean + rate.value * (moment - time)) / unit.pascals)
      })
    return chart
  }

  /// The fall of the pressure to the crew's limit: the samples of the leak, the expected course, and
  /// the band between the fastest and the slowest one.
  private func run(columns: Int, rows: Int) -> [Line] {
    guard let found = state.analysis.assessment(at: state.now), let reserve = found.reserve,
      let leak = found.leak, let rate = leak.rate, reserve.expected > 0, reserve.bound > 0,
      reserve.expected < 30 * 86_400, found.pressure > found.limit
    else {
      return wrapped(
        "no fall to extrapolate to the limit; o returns to the graph", columns, .faint)
    }
    let begin = max(state.now - leak.age - 60, state.samples.first?.time ?? 0)
    let end = state.now + 1.1 * reserve.expected
    let high = state.samples.reversed().prefix { $0.time >= begin }.map(\.pascals).max()
    let top = (high ?? found.pressure) / unit.pascals
    let limit = found.limit / unit.pascals
    let bottom = limit - (top - limit) * 0.1
    let digits = state.settings.digits
    let labels = (top: Decimal.fixed(top, digits), limit: Decimal.fixed(limit, digits))
    let margins = max(labels.top.count, labels.limit.count, "\(unit.symbol)".count)
    let area = GraphArea(
      begin: begin, end: end, bottom: bottom, top: top, columns: columns - margins - 2,
      rows: rows - 2)
    guard area.rows >= 3 else { return [] }
    let dots = BrailleChart.lines(
      runLayers(in: area, found, reserve, rate, from: begin, to: end), style)
    let values = area.labels(digits: digits)
    let atLimit = area.row(limit)
    let axis = (0..<area.rows).map { index in
      let label =
        index == 0
        ? labels.top
        : index == atLimit ? labels.limit : index == 1 ? "\(unit.symbol)" : values[index] ?? ""
      return label.right(margins) + (index == 0 || index == atLimit ? " ┤" : " │")
    }
    let expected = "\(clock(state.now + reserve.expected, isShort: true))"
    let earliest = "\(clock(state.now + reserve.bound, isShort: true))"
    return zip(axis, dots).map { label, dots in
      Line(text: style(.faint, label) + dots, width: columns)
    } + [
      times(
        from: begin, to: end, isWhole: true, indent: margins + 1, width: columns, grid: area.step),
      row(
        "\(labels.limit) \(unit.symbol) probably at \(expected), not before \(earliest)", .yellow,
        width: columns),
    ]
  }

  /// The layers of the fall to the limit: samples, expected course, limit, uncertainty and grid.
  private func runLayers(
    in area: GraphArea, _ found: LeakAssessment, _ reserve: LeakAssessment.Reserve,
    _ rate: LeakAssessment.Rate, from begin: Double, to end: Double
  ) -> [(chart: BrailleChart, look: Style.Look)] {
    let (bottom, limit) = (area.bottom, found.limit / unit.pascals)
    var samples = area.empty
    samples.draw(
      state.samples.filter { $0.time >= begin }.map {
        area.point($0.time, $0.pascals / unit.pascals)
      })
    /// The pressure after some seconds if it reaches the limit after `length` seconds.
    func pressure(_ seconds: Double, _ length: Double) -> Double {
      found.pressure * pow(found.limit / found.pressure, seconds / length) / unit.pascals
    }
    // The slowest fall within four standard uncertainties.
    let slowest = -rate.value - 4 * rate.uncertainty
    let longest =
      slowest > 0 ? found.pressure * log(found.pressure / found.limit) / slowest : .infinity
    var (course, band, line) = (area.empty, area.empty, area.empty)
    let steps = 2 * area.columns
    for step in 0...steps {
      let seconds = (end - state.now) * Double(step) / Double(steps)
      let moment = state.now + seconds
      course.dot([area.point(moment, pressure(seconds, reserve.expected))])
      let (low, high) = (pressure(seconds, reserve.bound), pressure(seconds, longest))
      let share = stride(from: 0.0, through: 1, by: step % 3 == 0 ? 0.125 : 1)
      band.dot(share.map { area.point(moment, max(low, bottom) + (high - max(low, bottom)) * $0) })
    }
    line.draw([area.point(begin, limit), area.point(end, limit)])
    return [
      (samples, .cyan), (course, .yellow), (line, .red), (band, .faint), (area.grid, .faint),
    ]
  }

  /// The time axis: start, end, length and number of marks.
  private func times(
    from begin: Double, to end: Double, isWhole: Bool, indent: Int, width: Int, grid: Double
  ) -> Line {
    let length = ((end - begin) / 10).rounded() * 10
    let (begin, end) = (clock(begin, isShort: true), clock(end, isShort: true))
    let room = width - indent
    func duration(_ seconds: Double) -> String {
      Decimal.duration(UInt64(max(seconds, 0)) * 1_000_000_000)
    }
    /// The words in the middle of the axis, with or without the distance of the vertical lines.
    func middle(hasGrid: Bool) -> String {
      var parts = state.view.showsRun ? [] : [duration(length)]
      if hasGrid { parts.append("grid \(duration(grid))") }
      if state.hasDate { parts.append("UTC") }
      if !state.settings.scrolls { parts.append("in pages") }
      if !state.marks.isEmpty {
        parts.append("\("mark".counted(state.marks.count))\(isWhole ? "" : " (n)")")
      }
      return parts.joined(separator: ", ")
    }
    let long = middle(hasGrid: true)
    let isRoomy = begin.count + long.count + end.count + 2 <= room
    let words = isRoomy ? long : middle(hasGrid: false)
    let free = room - begin.count - end.count - words.count
    guard free >= 2 else { return row("\(begin) to \(end)".right(width), .faint, width: width) }
    let before = String(repeating: " ", count: free / 2)
    let behind = String(repeating: " ", count: free - free / 2)
    return row(
      String(repeating: " ", count: indent) + begin + before + words + behind + end, .faint,
      width: width)
  }

  /// Averages the samples at each dot, because a graph of hours would otherwise be a band of noise.
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

/// The area of a graph: its times in seconds, and its values in the chosen unit.
struct GraphArea {
  let begin: Double, end: Double, bottom: Double, top: Double
  /// The size in characters.
  let columns: Int, rows: Int

  /// A chart of this size without dots.
  var empty: BrailleChart { BrailleChart(columns: columns, rows: rows) }

  /// Returns the coordinates of a time and a value in a chart, 0 to 1 inside the area.
  func point(_ time: Double, _ value: Double) -> (x: Double, y: Double) {
    ((time - begin) / (end - begin), (value - bottom) / (top - bottom))
  }

  /// Returns the row of characters of a value, from the top.
  func row(_ value: Double) -> Int {
    min(max(Int((1 - point(begin, value).y) * Double(4 * rows - 1) / 4), 0), rows - 1)
  }

  /// The distance of the vertical lines in seconds: a duration that a clock shows, for at most eight
  /// lines.
  var step: Double {
    let steps = [
      10.0, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400,
    ]
    return steps.first { (end - begin) / $0 <= 8 } ?? ((end - begin) / 8)
  }

  /// The values of the horizontal lines: multiples of 1, 2 or 5 times a power of ten.
  private var values: [Double] {
    guard top > bottom, (top - bottom).isFinite else { return [] }
    let most = Double(max(min(rows / 3, 5), 1))
    var step = 1e-6
    while (top - bottom) / step > most {
      let factors = [2.0, 2.5, 2]
      for factor in factors where (top - bottom) / step > most { step *= factor }
    }
    let first = (bottom / step).rounded(.up)
    return (0..<8).map { (first + Double($0)) * step }.filter { $0 <= top }
  }

  /// Returns the label of the horizontal line in each row; `nil` for a row without one.
  func labels(digits: Int) -> [String?] {
    var labels: [String?] = Array(repeating: nil, count: max(rows, 0))
    for value in values where labels.indices.contains(row(value)) {
      labels[row(value)] = Decimal.fixed(value, digits)
    }
    return labels
  }

  /// The dotted lines at round values and times.
  var grid: BrailleChart {
    var chart = empty
    for value in values {
      let (y, width) = (point(begin, value).y, Double(2 * columns - 1))
      chart.dot(stride(from: 0, to: columns, by: 2).map { (x: Double(2 * $0) / width, y: y) })
    }
    var time = (begin / step).rounded(.up) * step
    while time <= end {
      let (x, height) = (point(time, top).x, Double(4 * rows - 1))
      chart.dot((0..<rows).map { (x: x, y: Double(4 * $0) / height) })
      time += step
    }
    return chart
  }
}

/// The visible section of the graph.
package struct GraphView: Hashable, Sendable {
  /// The distance in seconds from the latest sample to the right end; 0 follows the latest sample.
  package var back = 0.0
  /// The vertical magnification, and the vertical shift as a fraction of the scale.
  package var zoom = 1.0, rise = 0.0
  /// `true` if the graph fills the screen.
  package var isFull = false
  /// `true` if the graph shows the fall of the pressure to the crew's limit.
  package var showsRun = false

  /// Creates a view that follows the latest sample, with the automatic scale.
  package init() {}

  /// Handles a key.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - scale: the displayed time in seconds.
  ///   - past: the available time in seconds.
  /// - Returns: `true` if the key belongs to the graph.
  package mutating func press(_ key: Character, scale: Double, past: Double) -> Bool {
    switch key {
    case "<": back = min(back + scale / 4, max(past - scale, 0))
    case ">": back = max(back - scale / 4, 0)
    case "k": rise += 0.25 / zoom
    case "j": rise -= 0.25 / zoom
    case "+": zoom = min(zoom * 2, 64)
    case "-": zoom = max(zoom / 2, 0.25)
    case "0": (back, zoom, rise) = (0, 1, 0)
    case "f": isFull.toggle()
    default: return false
    }
    return true
  }

  /// Applies magnification and shift to the automatic scale.
  package func ends(_ bottom: Double, _ top: Double) -> (bottom: Double, top: Double) {
    let half = (top - bottom) / 2
    let middle = (top + bottom) / 2 + 2 * half * rise
    return (middle - half / zoom, middle + half / zoom)
  }
}

extension WatchScreen {
  /// Returns the page with the crew's reserve-time chart, displayed instead of the current values:
  /// a table, with a graph below it if there is room.
  ///
  /// - Parameters:
  ///   - width: the available columns.
  ///   - room: the available rows.
  /// - Returns: the lines of the page.
  package func chart(_ width: Int, _ room: Int) -> [Line] {
    let found = state.analysis.assessment(at: state.now)
    let now = found?.secondsPerMillimetre
    let table = ReserveTable(limit: state.analysis.limit, now: found?.pressure, t1mm: now)
    // With little room, the caption is shortened.
    let caption = wrapped(
      room < 14
        ? table.title : "\(table.caption) The times are the probable ones; RESERVE is the minimum.",
      width, .faint)
    let rows = table.rows(most: room - caption.count - 1)
    let cells = [table.head] + rows.map(\.cells)
    // Keep as many columns as fit, from the left; the hole diameters are last, after all times.
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

  /// The graph of the reserve time in minutes over T1mm (the time in which the pressure falls by 1
  /// mmHg), with one line per pressure and the current T1mm as a vertical line.
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
    let pressures = table.pressures.sorted(by: >).map { Decimal.fixed($0, 0) }
    // The current pressure may be one of the chart's.
    let names = pressures.indices.filter { $0 == 0 || pressures[$0] != pressures[$0 - 1] }
      .map { pressures[$0] }.joined(separator: ", ")
    return lines + [
      row(
        String(repeating: " ", count: label.count + 2) + "T1mm 0 to \(Decimal.fixed(longest, 0)) s"
          + (table.t1mm.map { ", now \(Decimal.fixed($0, 1)) s" } ?? "") + "; minutes", .faint,
        width: width),
      row("from the top: \(names) mmHg", .faint, width: width),
    ]
  }
}

extension WatchScreen {
  /// Returns the lines below a graph that display the marks, which are named times: each mark at
  /// its time, with its name if there is room.
  ///
  /// The latest marks are placed first; a mark without room for its name is only a point in the
  /// first line.
  ///
  /// - Parameters:
  ///   - begin: the time in seconds at the left end of the graph.
  ///   - end: the time at the right end.
  ///   - columns: the width.
  ///   - most: the maximum number of lines.
  /// - Returns: the lines, empty without marks; and `true` if every mark has its full name.
  func marks(
    from begin: Double, to end: Double, columns: Int, most: Int
  ) -> (lines: [String], isWhole: Bool) {
    var lanes: [[Character]] = []
    var isWhole = true
    let blank = Array(repeating: Character(" "), count: columns)
    /// Places a text if its columns and one blank on either side are free.
    func put(_ text: [Character], at start: Int) -> Bool {
      for lane in 0..<most {
        if lane == lanes.count { lanes.append(blank) }
        let around = max(start - 1, 0)..<min(start + text.count + 1, columns)
        guard lanes[lane][around].allSatisfy({ $0 == " " }) else { continue }
        lanes[lane].replaceSubrange(start..<(start + text.count), with: text)
        return true
      }
      return false
    }
    let seen = state.marks.filter { $0.time >= begin && $0.time <= end }
    for mark in seen.reversed() {
      let here = min(Int((mark.time - begin) / (end - begin) * Double(columns)), columns - 1)
      let room = max(columns / 2 - 1, 12)
      let name = mark.name.count > room ? mark.name.prefix(room - 1) + "…" : mark.name[...]
      // To the right of its point, otherwise to the left.
      let isNamed =
        here + 1 + name.count <= columns && put(Array("▲\(name)"), at: here)
        || here >= name.count && put(Array("\(name)▲"), at: here - name.count)
      if isNamed {
        isWhole = isWhole && name.count == mark.name.count
      } else {
        isWhole = false
        if lanes.isEmpty { lanes.append(blank) }
        if lanes[0][here] == " " { lanes[0][here] = "▲" }
      }
    }
    return (lanes.map { String($0) }, isWhole)
  }

  /// Returns a page of the list of marks, displayed instead of the current values: times and names,
  /// latest first.
  ///
  /// - Parameters:
  ///   - page: the page index from 0; wraps around.
  ///   - width: the available columns.
  ///   - room: the available rows.
  /// - Returns: the lines of the page.
  func list(page: Int, _ width: Int, _ room: Int) -> [Line] {
    guard !state.marks.isEmpty else { return wrapped("no marks yet", width, .faint) }
    let pages = markPages(width, room)
    return pages[page % pages.count]
  }

  func markPages(_ width: Int, _ room: Int) -> [[Line]] {
    Self.pages(
      of: state.marks.reversed().map {
        wrapped("\(clock($0.time, isShort: true))  \($0.name)", width)
      }, room)
  }

  /// Splits blocks of lines into pages without dividing a block.
  static func pages(of blocks: [[Line]], _ room: Int) -> [[Line]] {
    var pages: [[Line]] = [[]]
    for block in blocks {
      if pages[pages.count - 1].count + block.count > room { pages.append([]) }
      pages[pages.count - 1] += block
    }
    return pages
  }
}
