import Barometry
import Environment
package import Quantities
import Runs
package import Support

/// The screen of a watch: a pure function of its state and the terminal's size.
package struct WatchScreen {
  /// The minimum size of the terminal.
  package static let smallest = (columns: 40, rows: 12)

  package let state: WatchState
  let columns: Int
  private let rows: Int
  package let style: Style
  package let unit: PressureUnit

  package init(_ state: WatchState, columns: Int, rows: Int, style: Style) {
    self.state = state
    (self.columns, self.rows) = (columns, rows)
    self.style = style
    unit = state.settings.pressureUnit
  }

  /// The lines, one per row of the terminal, none wider than the terminal.
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
      case .drawing: drawing(columns, left)
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

  /// The status, which stays above any page; during an alarm also the time left.
  private var urgent: [Line] {
    let isAlarm = state.analysis.assessment(at: state.now).map(self.isAlarm) ?? false
    return Array(isAlarm ? few(3).prefix(3) : numbers(width: columns).prefix(1))
  }

  /// The status alone, for a terminal that is too small for the screen.
  private var tiny: [String] {
    guard rows > 0, columns > 0 else { return [] }
    let found = state.analysis.assessment(at: state.now)
    let wide = WatchScreen(state, columns: 200, rows: rows, style: Style(isColoured: false))
    let sentences = wide.numbers(width: 200).filter { $0.rank <= .status }.map(\.text)
    // Numbers are never truncated: they wrap to the next line or are omitted.
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

  /// Numbers and graph, next to each other or stacked.
  private func body(_ room: Int) -> [String] {
    // Side by side, numbers and graph need 80 columns, even if 'wide' was chosen on a wider
    // terminal.
    let isWide =
      state.settings.layout == .wide && columns >= 80
      || state.settings.layout == .automatic && columns >= 100
    if state.view.isFull {
      // The status and the time left stay above the graph.
      let numbers = few(max(room / 3, 3))
      let graph = self.graph(columns: columns, rows: room - numbers.count)
      return padded(numbers + graph, to: room).map(\.text)
    }
    guard isWide else {
      var numbers = self.numbers(width: columns)
      if numbers.count > room - 8 { numbers.removeAll { $0.rank == .surplus } }
      // The graph gets a few rows if the terminal has at least twenty.
      numbers = fitting(numbers, room >= 18 ? room - 4 : room)
      let graph = self.graph(columns: columns, rows: room - numbers.count)
      return padded(numbers + graph, to: room).map(\.text)
    }
    let left = 46
    let numbers = padded(fitting(self.numbers(width: left), room), to: room)
    let graph = padded(self.graph(columns: columns - left - 2, rows: room), to: room)
    return zip(numbers, graph).map { "\($0.text.left(left, shown: $0.width))  \($1.text)" }
  }

  /// The status and the time left, if they fit.
  private func few(_ room: Int) -> [Line] {
    fitting(numbers(width: columns).filter { $0.rank <= .status }, room)
  }

  // MARK: Lines

  /// The priority of a line.
  ///
  /// If not all lines fit, lines of the last case are dropped first.
  package enum Rank: Int, Comparable {
    case word, reserve, status, time, large, value, meaning, limits, lowerLimit, rates, rest,
      surplus

    package static func < (one: Rank, other: Rank) -> Bool { one.rawValue < other.rawValue }
  }

  /// A line and its width in columns without colour codes.
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

  /// Wraps a sentence; continuation lines are indented.
  package func wrapped(
    _ text: String, _ width: Int, _ look: Style.Look? = nil, rank: Rank = .rest
  ) -> [Line] {
    // A no-break space is not "visible", so it is replaced after the text is split.
    TerminalText.wrapped(
      text.split(separator: "\u{A0}").map { String($0).visible }.joined(separator: "\u{A0}"), width,
      indent: 2
    ).flatMap { Self.chunks(of: $0.replacing("\u{A0}", with: " "), width) }.map {
      row($0, look, width: width, rank: rank)
    }
  }

  /// Splits a line into parts that fit, for text without blanks, such as a digest.
  private static func chunks(of line: String, _ width: Int, indent: Int = 2) -> [String] {
    var parts: [String] = []
    var rest = line[...]
    while rest.count > width {
      parts.append(String(rest.prefix(width)))
      rest = String(repeating: " ", count: indent) + rest.dropFirst(width)
    }
    return parts + [String(rest)]
  }

  /// Drops the lines of lowest priority until the rest fits.
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
  /// The text padded with blanks; `shown` is its width without colour codes.
  fileprivate func left(_ width: Int, shown: Int) -> String {
    self + String(repeating: " ", count: Swift.max(0, width - shown))
  }
}

extension WatchScreen {
  /// Formats a time of the sensor's clock: date and time if known, else the time since the start.
  ///
  /// - Parameters:
  ///   - time: the time in seconds.
  ///   - isShort: `true` to omit the date.
  /// - Returns: the text, with a resolution of one second.
  package func clock(_ time: Double, isShort: Bool = false) -> String {
    guard state.hasDate else {
      let seconds = Int(abs(time).rounded())
      func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
      return
        "\(time <= -0.5 ? "-" : "")\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }
    let text = UTCTime.text(state.moment + Int64((time - state.now) * 1e9))
    return isShort ? String(text.dropFirst(11)) : text
  }

  /// The first line: the sensor, the time and the purpose.
  package func head(_ width: Int) -> String {
    let time = state.hasDate ? "\(clock(state.now)) UTC" : "time \(clock(state.now))"
    let short = "\(state.name)  \(time)"
    for text in ["\(short)  as \(state.purpose.rawValue)", short] where text.count <= width {
      return text
    }
    return state.name.prefix(max(width - time.count - 2, 1)) + "  " + time
  }

  /// Returns the key legend, with as many keys as fit; the help lists all keys.
  package func foot(_ width: Int, hasMore: Bool = true) -> String {
    switch state.page {
    case .help: return "? more help  any other key: back"
    case .marks: return hasMore ? "n more marks  any other key: back" : "any key: back"
    case .chart, .drawing: return "any key: back"
    case nil: break
    }
    var text = "q quit"
    for (key, words) in keys.dropFirst() {
      let longer = "\(text)  \(key) \(words.short)"
      guard longer.count + "  ? help".count <= width else { break }
      text = longer
    }
    return text + "  ? help"
  }

  /// The short and long description of the pause key.
  private var pausing: (short: String, long: String) {
    state.course == .paused
      ? ("resume", "resume measuring; same as the space bar")
      : ("pause", "pause measuring, to resume later; same as the space bar")
  }

  /// The available keys with their short and long descriptions.
  private var keys: [(key: String, words: (short: String, long: String))] {
    let all: [(String, (short: String, long: String))] = [
      ("q", ("quit", "quit")),
      ("p", pausing),
      ("x", ("stop", "end this measurement; asks first")),
      (
        "b",
        (
          "start",
          "start a new measurement after a stop: initial pressure, slopes and sample count restart"
        )
      ),
      (
        "h",
        ("hatch", "a hatch was moved: select it if the hatches are known; the slopes restart")
      ),
      ("g", ("search", "start or end the guided search for the leak")),
      ("y", ("done", "confirm that the hatch was moved as requested")),
      ("z", ("zoom", "time span of the graph")),
      ("f", ("full", "graph in full screen")),
      ("< >", ("pan", "scroll the graph to earlier or later times")),
      ("+ -", ("height", "increase or decrease the magnification of the graph")),
      ("k j", ("up, down", "move the graph up or down")),
      ("0", ("now", "return to the latest sample and the automatic scale")),
      ("m", ("mark", "mark the current time, also in the recording; then type words")),
      ("n", ("names", "list all marks with times and full names")),
      ("a", ("ask", "request a forecast now; a request during a cycle is answered by that cycle")),
      (
        "o",
        ("outlook", "the fall of the pressure to the limit, with its uncertainty, or the graph")
      ),
      ("v", ("view", "a drawing of the modules and hatches, with the suspected modules shaded")),
      ("t", ("chart", "the crew's chart: reserve time by T1mm and pressure")),
      ("e", ("export", "export the recording as a table, and end or continue it")),
      ("i", ("initial", "use the current pressure as the initial pressure")),
      ("u", ("unit", "unit of pressure")), ("d", ("digits", "number of decimals")),
      ("s", ("scroll", "scroll the graph continuously, or page by page")),
      ("l", ("layout", "numbers next to the graph or above it")),
      ("r", ("rate", "sampling period: 1, 2, 5 or 10 s")),
    ]
    return all.filter { key, _ in
      switch key {
      case "p", "x": state.course != .stopped
      case "b": state.course == .stopped
      case "h", "o", "t": state.purpose == .cabin
      case "v": state.purpose == .cabin && state.search.plan != nil
      case "a": state.purpose == .weather
      case "g": state.purpose == .cabin && state.search.plan?.hatches.isEmpty == false
      case "y": state.canConfirm
      case "e": state.recording != nil
      default: true
      }
    }
  }

  /// Returns a page of the help, which explains the terms on the screen and the keys.
  ///
  /// - Parameters:
  ///   - page: the page index from 0; wraps around.
  ///   - width: the available columns.
  ///   - room: the available rows.
  /// - Returns: the lines of the page.
  package func help(page: Int, _ width: Int, _ room: Int) -> [Line] {
    let meanings =
      state.purpose == .cabin
      ? [
        "T1mm: the time in which the pressure falls by 1 mmHg, as crews measure it with a stopwatch.",
        "RESERVE: the minimum time until the pressure falls to --limit (default: 490 mmHg) if neither hole nor hatches change; 'probably' is the median estimate. The second limit is 410.4 mmHg.",
        "rate: rate of change of the pressure at constant temperature over the last 30 and 300 s; leak: since the start of the fall. ± is the standard uncertainty, n the number of samples used; n below: all samples.",
        "STALE: the last sample is older than two periods. FAULT: the sensor does not respond. OUTSIDE SPECIFICATION: the pressure is outside the sensor's specified range. PAUSED: p resumes this measurement. STOPPED: the measurement has ended; b starts a new one.",
      ]
      : [
        "tendency: the change over three hours, in the terms of WMO code table 0200.",
        "forecast: Zambretti's, from pressure at sea level, tendency and month, for up to twelve hours.",
        "dew: the dew point of this air.",
        "STALE: the last sample is older than two periods. FAULT: the sensor does not respond. OUTSIDE SPECIFICATION: the air is outside the sensor's specified range. PAUSED: p resumes this measurement. STOPPED: the measurement has ended; b starts a new one. n: the number of samples.",
      ]
    let blocks =
      meanings.map { wrapped($0, width) }
      + keys.map { wrapped("\($0.key): \($0.words.long)", width) }
    let pages = Self.pages(of: blocks, room)
    return pages[page % pages.count]
  }
}

extension WatchScreen {
  /// Formats a pressure in the chosen unit.
  package func value(_ pascals: Double) -> String {
    Decimal.fixed(pascals / unit.pascals, state.settings.digits)
  }

  /// The current values and messages, each line with its priority.
  package func numbers(width: Int) -> [Line] {
    guard let found = state.analysis.assessment(at: state.now) else {
      return wrapped(
        state.failure ?? "waiting for the first sample", width, .yellow, rank: .word)
    }
    let isOld =
      found.status == .stale || found.status == .fault || state.course == .stopped
    let isCabin = state.purpose == .cabin
    let reserve = isCabin ? cabin(found, isOld, width) : weather(width)
    // If the reserve time is displayed in large digits, the pressure is too only if there is room
    // for both.
    let isSurplus = reserve.contains { $0.rank == .large }
    // Orders come before explanations.
    var lines = status(found, width) + (isCabin ? searching(width) : [])
    // An outdated value is replaced by dashes.
    let number = value(found.pressure)
    let big = isOld ? String(repeating: "-", count: number.count) : number
    lines += BigDigits.lines(big).map {
      row($0, isOld ? .faint : .bold, width: width, rank: isSurplus ? .surplus : .value)
    }
    let age = Decimal.fixed(max(found.age, 0), 0)
    lines.append(
      row(
        "\(isOld ? "LAST " : "")\(number) \(unit.symbol)   \(age) s old",
        isOld ? .red : nil, width: width, rank: .status))
    if let outside = state.samples.last?.outside, !outside.isEmpty {
      lines += wrapped(
        "\(outside.map(\.rawValue).joined(separator: ", ")) outside the sensor's specified range: "
          + "accuracy is not guaranteed", width, .red, rank: .time)
    }
    lines += reserve
    let change = (found.pressure - found.initial) / unit.pascals
    let changed = isOld ? "-" : Decimal.signed(change, state.settings.digits)
    lines.append(
      row("initial \(value(found.initial))   change \(changed)   n \(state.count)", width: width))
    return lines
  }

  private func status(_ found: LeakAssessment, _ width: Int) -> [Line] {
    var lines = [row(word(found), look(found), width: width, rank: .word)]
    if state.purpose == .cabin, state.haven.isCalled { lines += large("SAFE HAVEN", width) }
    if !state.isSearching, let closed = state.search.closed {
      lines += wrapped(
        "closed: \(closed). The pressure behind is not measured", width, .red, rank: .word)
    }
    if let prompt = state.prompt { lines += wrapped(prompt.text, width, .bold, rank: .reserve) }
    if let export = state.export {
      lines += wrapped(
        export.sentence, width, export.isFailure ? .red : .faint,
        rank: export.isFailure ? .time : .limits)
    }
    if let failure = state.failure { lines += wrapped(failure, width, .red, rank: .time) }
    if let notice = state.historyNotice { lines += wrapped(notice, width, .red, rank: .time) }
    if state.expectsNoise, state.alike >= 15 {
      lines += wrapped(
        "\(state.alike) identical samples: is the sensor still measuring?", width, .red, rank: .time
      )
    }
    if let recording = state.recording {
      let fails = state.recordingFails
      lines += wrapped(recording, width, fails ? .red : .faint, rank: fails ? .time : .limits)
    }
    return lines
  }

  /// The minimum terminal width in columns for large words and times.
  static let leastForLarge = 60

  /// Returns text in large letters, which are visible from a distance; empty on a narrow terminal.
  func large(_ text: String, _ width: Int) -> [Line] {
    let lines = BigDigits.lines(text)
    // A number that does not fit is not truncated.
    guard columns >= Self.leastForLarge, lines.allSatisfy({ $0.count <= width }) else { return [] }
    return lines.map { row($0, .red, width: width, rank: .large) }
  }
}

/// Numbers and a few words, three lines high, in block characters.
package enum BigDigits {
  private static let shapes: [Character: [String]] = [
    "0": ["█▀█", "█ █", "▀▀▀"], "1": ["▀█ ", " █ ", "▀▀▀"], "2": ["▀▀█", "█▀▀", "▀▀▀"],
    "3": ["▀▀█", " ▀█", "▀▀▀"], "4": ["█ █", "▀▀█", "  ▀"], "5": ["█▀▀", "▀▀█", "▀▀▀"],
    "6": ["█▀▀", "█▀█", "▀▀▀"], "7": ["▀▀█", "  █", "  ▀"], "8": ["█▀█", "█▀█", "▀▀▀"],
    "9": ["█▀█", "▀▀█", "▀▀▀"], ".": [" ", " ", "▀"], "-": ["   ", "▀▀▀", "   "],
    "+": [" ▄ ", "▀█▀", "   "], " ": ["  ", "  ", "  "],
    "S": ["█▀▀", "▀▀█", "▀▀▀"], "A": ["█▀█", "█▀█", "▀ ▀"], "F": ["█▀▀", "█▀▀", "▀  "],
    "E": ["█▀▀", "█▀▀", "▀▀▀"], "H": ["█ █", "█▀█", "▀ ▀"], "V": ["█ █", "█ █", " ▀ "],
    "N": ["█▄ █", "█ ▀█", "▀  ▀"], "m": ["▄▄ ▄▄", "█ █ █", "▀ ▀ ▀"], "i": ["▀", "█", "▀"],
    "n": ["▄▄▄", "█ █", "▀ ▀"],
  ]

  /// Returns the three lines of a number or word; unsupported characters are omitted.
  package static func lines(_ number: String) -> [String] {
    (0..<3).map { row in
      number.compactMap { shapes[$0]?[row] }.joined(separator: " ")
    }
  }
}
