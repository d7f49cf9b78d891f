import Environment
import Runs
import Text

extension WatchScreen {
  /// A time of the sensor's clock: the moment where a calendar is known, else the time since the start.
  ///
  /// - Parameters:
  ///   - time: in seconds.
  ///   - isShort: whether the day is left out.
  /// - Returns: the text, to the second.
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

  /// The first line: what is watched, when it is there, and what for.
  package func head(_ width: Int) -> String {
    let time = state.hasDate ? "\(clock(state.now)) UTC" : "time \(clock(state.now))"
    let short = "\(state.name)  \(time)"
    for text in ["\(short)  as \(state.purpose.rawValue)", short] where text.count <= width {
      return text
    }
    return state.name.prefix(max(width - time.count - 2, 1)) + "  " + time
  }

  /// The keys, as many as have room; the help names the others.
  package func foot(_ width: Int, hasMore: Bool = true) -> String {
    switch state.page {
    case .help: return "? more help  any other key goes back"
    case .marks: return hasMore ? "n more marks  any other key goes back" : "any key goes back"
    case .chart: return "any key goes back"
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

  /// What the key of the pause does: in a word, and in some more.
  private var pausing: (short: String, long: String) {
    state.course == .paused
      ? ("go on", "go on measuring, as the space bar does")
      : ("pause", "rest for a while and go on, as the space bar does")
  }

  /// The keys and what each does: in a word, and in some more.
  private var keys: [(key: String, words: (short: String, long: String))] {
    let all: [(String, (short: String, long: String))] = [
      ("q", ("quit", "quit")),
      ("p", pausing),
      ("x", ("stop", "end this measurement; asks first")),
      (
        "b",
        ("start", "begin anew after a stop: initial pressure, slopes and search count from now on")
      ),
      (
        "h",
        ("hatch", "a hatch was moved: asks which where hatches are known; the slopes begin anew")
      ),
      ("g", ("search", "lead the crew through the hatches to the leak, or stop that")),
      ("y", ("done", "the hatch has been moved as asked")),
      ("z", ("zoom", "how long a time the graph shows")),
      ("f", ("full", "the graph on the whole screen")),
      ("< >", ("pan", "earlier and later in the graph")),
      ("+ -", ("height", "enlarge and shrink the graph's scale")),
      ("k j", ("up, down", "move the graph's scale up and down")),
      ("0", ("now", "back to the youngest sample and the whole scale")),
      ("m", ("mark", "mark this moment, also in the recording")),
      ("n", ("names", "all marks with their times and whole names")),
      ("t", ("chart", "the crew's chart: reserve time by T1mm and pressure")),
      ("e", ("export", "write the recording as a table, and end it or go on")),
      ("i", ("initial", "count the change from now on")),
      ("u", ("unit", "the unit of pressure")), ("d", ("digits", "decimals")),
      ("s", ("scroll", "whether the graph follows the youngest sample, or turns pages")),
      ("l", ("layout", "numbers next to the graph or above it")),
      ("r", ("rate", "how often is measured: every 1, 2, 5 or 10 s")),
    ]
    return all.filter { key, _ in
      switch key {
      case "p", "x": state.course != .stopped
      case "b": state.course == .stopped
      case "h", "t": state.purpose == .cabin
      case "g": state.purpose == .cabin && state.search.plan?.hatches.isEmpty == false
      case "y": state.canConfirm
      case "e": state.recording != nil
      default: true
      }
    }
  }

  /// A page of the help: what the words on the screen mean, and what each key does.
  ///
  /// - Parameters:
  ///   - page: which, from 0 on; after the last comes the first.
  ///   - width: the columns that there are.
  ///   - room: the rows that there are.
  /// - Returns: its lines.
  package func help(page: Int, _ width: Int, _ room: Int) -> [Line] {
    let meanings =
      state.purpose == .cabin
      ? [
        "T1mm: the time in which the pressure falls by 1 mmHg, as crews take it with a stop watch.",
        "RESERVE: how long it takes at least to fall to --limit (490 mmHg unless given) if neither hole nor hatches change; 'probably' is the middle of what it may be. The second limit is 410.4 mmHg.",
        "rate: how the pressure changes at constant temperature, over the last 30 and 300 s; leak: since the fall began. ± is the standard uncertainty, n how many samples it rests on; n below: of all.",
        "STALE: the last sample is older than two periods. FAULT: the sensor does not answer. OUTSIDE SPECIFICATION: it is not made for this pressure. PAUSED: p goes on with this measurement. STOPPED: it is over; b begins another.",
      ]
      : [
        "tendency: the change over three hours, in the words of WMO code table 0200.",
        "forecast: after Zambretti, from pressure at sea level, tendency and month, for up to twelve hours.",
        "dew: the temperature at which this air forms dew.",
        "STALE: the last sample is older than two periods. FAULT: the sensor does not answer. OUTSIDE SPECIFICATION: it is not made for this air. PAUSED: p goes on with this measurement. STOPPED: it is over; b begins another. n: how many samples.",
      ]
    let blocks =
      meanings.map { wrapped($0, width) }
      + keys.map { wrapped("\($0.key): \($0.words.long)", width) }
    let pages = Self.pages(of: blocks, room)
    return pages[page % pages.count]
  }
}
