import Barometry
package import Quantities
package import Text

/// The screen of a watch: a pure function of what is known and of the terminal's size.
package struct WatchScreen {
  /// The smallest terminal that holds it.
  package static let smallest = (columns: 40, rows: 12)

  package let state: WatchState
  let columns: Int
  private let rows: Int
  package let style: Style
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
      return tiny
    }
    let room = rows - 2
    let urgent = state.page == nil ? [] : self.urgent
    let left = room - urgent.count
    let page: [Line]? =
      switch state.page {
      case .help(let number): help(page: number, columns, left)
      case .marks(let number): list(page: number, columns, left)
      case .chart: chart(columns, left)
      case nil: nil
      }
    let shown = page.map { padded(urgent + $0, to: room).map(\.text) }
    return [row(head(columns), .faint, width: columns).text] + (shown ?? body(room))
      + [
        row(
          foot(columns, hasMore: markPages(columns, left).count > 1), .faint, width: columns
        ).text
      ]
  }

  /// What stands above whatever is looked up: how it stands, and with an alarm the time that is left.
  private var urgent: [Line] {
    let isAlarm = state.analysis.assessment(at: state.now).map(self.isAlarm) ?? false
    return Array(isAlarm ? few(3).prefix(3) : numbers(width: columns).prefix(1))
  }

  /// A terminal that is too small for anything else says how it stands, down to a single line.
  private var tiny: [String] {
    guard rows > 0, columns > 0 else { return [] }
    let found = state.analysis.assessment(at: state.now)
    let wide = WatchScreen(state, columns: 200, rows: rows, style: Style(isColoured: false))
    let sentences = wide.numbers(width: 200).filter { $0.rank <= .status }.map(\.text)
    // No number is cut: what does not fit goes on in the next line, and what has no line is left out.
    let lines = (sentences + ["\(Self.smallest.columns)x\(Self.smallest.rows) needed"]).map {
      TerminalText.wrapped($0, columns).flatMap { Self.chunks(of: $0, columns, indent: 0) }
    }
    var shown: [Line] = []
    for (index, parts) in lines.enumerated() where index == 0 || shown.count + parts.count <= rows {
      let style = index == 0 ? found.map(look) : nil
      shown += parts.map { row($0, style, width: columns) }
    }
    return padded(shown, to: rows).map(\.text)
  }

  /// Numbers and graph, next to each other or below.
  private func body(_ room: Int) -> [String] {
    // Numbers and graph next to each other need 80 columns, whatever has been chosen on a wider terminal.
    let isWide =
      state.settings.layout == .wide && columns >= 80
      || state.settings.layout == .automatic && columns >= 100
    if state.view.isFull {
      // What matters most stays above the graph: how it stands, and the time that is left.
      let numbers = few(max(room / 3, 3))
      let graph = self.graph(columns: columns, rows: room - numbers.count)
      return padded(numbers + graph, to: room).map(\.text)
    }
    guard isWide else {
      var numbers = self.numbers(width: columns)
      if numbers.count > room - 8 { numbers.removeAll { $0.rank == .surplus } }
      // The curve has a few rows wherever there are twenty.
      numbers = fitting(numbers, room >= 18 ? room - 4 : room)
      let graph = self.graph(columns: columns, rows: room - numbers.count)
      return padded(numbers + graph, to: room).map(\.text)
    }
    let left = 46
    let numbers = padded(fitting(self.numbers(width: left), room), to: room)
    let graph = padded(self.graph(columns: columns - left - 2, rows: room), to: room)
    return zip(numbers, graph).map { "\($0.text.left(left, shown: $0.width))  \($1.text)" }
  }

  /// How it stands and the time that is left, on so many lines as long as they fit.
  private func few(_ room: Int) -> [Line] {
    fitting(numbers(width: columns).filter { $0.rank <= .status }, room)
  }

  // MARK: Lines

  /// How much a line matters where not all have room: the last to go stands first.
  package enum Rank: Int, Comparable {
    case word, reserve, status, time, large, value, meaning, limits, lowerLimit, rates, rest,
      surplus

    package static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
  }

  /// A line and how many columns it takes without its colours.
  package struct Line {
    package let text: String
    package let width: Int
    package var rank = Rank.rest
  }

  package func row(
    _ text: String, _ look: Style.Look? = nil, width: Int, rank: Rank = .rest
  ) -> Line {
    let plain = String(text.visible.prefix(width))
    return Line(text: look.map { style($0, plain) } ?? plain, width: plain.count, rank: rank)
  }

  /// A sentence over as many lines as it takes; what follows the first is set in.
  package func wrapped(
    _ text: String, _ width: Int, _ look: Style.Look? = nil, rank: Rank = .rest
  ) -> [Line] {
    TerminalText.wrapped(text.visible, width, indent: 2).flatMap { Self.chunks(of: $0, width) }.map
    {
      row($0, look, width: width, rank: rank)
    }
  }

  /// A line in parts that fit: a digest is longer than a narrow terminal, and worth nothing without its end.
  private static func chunks(of line: String, _ width: Int, indent: Int = 2) -> [String] {
    var parts: [String] = []
    var rest = line[...]
    while rest.count > width {
      parts.append(String(rest.prefix(width)))
      rest = String(repeating: " ", count: indent) + rest.dropFirst(width)
    }
    return parts + [String(rest)]
  }

  /// The lines without those that matter least, as long as there are more than fit.
  private func fitting(_ lines: [Line], _ room: Int) -> [Line] {
    var lines = lines
    while lines.count > room, let least = lines.map(\.rank).max(), least > .reserve {
      lines.removeAll { $0.rank == least }
    }
    return lines
  }

  private func padded(_ lines: [Line], to count: Int) -> [Line] {
    Array(
      (lines + Array(repeating: Line(text: "", width: 0), count: max(count - lines.count, 0)))
        .prefix(count))
  }
}

extension String {
  /// The text with blanks behind it, its shown width given because colours take none.
  fileprivate func left(_ width: Int, shown: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - shown))
  }
}
