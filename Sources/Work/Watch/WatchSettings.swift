package import Quantities
package import Support

/// The user's settings, which are saved between watches.
package struct WatchSettings: Hashable, Sendable {
  /// The layout of the screen.
  package enum Layout: String, CaseIterable, Sendable {
    /// The layout depends on the shape of the terminal.
    case automatic
    /// Numbers next to the graph.
    case wide
    /// Numbers above the graph.
    case tall
  }

  /// The number of decimals of displayed pressures.
  package var digits = 2
  /// The time span of the graph in seconds.
  package var scale = 300
  /// `true` if the graph scrolls continuously, `false` if it scrolls page by page.
  package var scrolls = true
  /// The layout of the screen.
  package var layout = Layout.automatic
  /// The symbol of the unit of pressure.
  package var unit = "mmHg"
  /// The sampling period in seconds.
  package var period = 1

  /// The available time spans in seconds.
  package static let scales = [60, 300, 1800, 7200, 10_800]
  /// The available sampling periods in seconds.
  package static let periods = [1, 2, 5, 10]

  package init() {}

  package var pressureUnit: PressureUnit {
    PressureUnit.allCases.first { "\($0.symbol)" == unit } ?? .millimetreOfMercury
  }

  /// Returns the next choice, cyclically.
  package static func next<Choice: Equatable>(_ choice: Choice, of choices: [Choice]) -> Choice {
    let index = choices.firstIndex(of: choice).map { ($0 + 1) % choices.count } ?? 0
    return choices[index]
  }

  // MARK: In a file

  /// Returns the path of the settings file, in XDG_CONFIG_HOME or ~/.config.
  ///
  /// Weather and cabin have separate files.
  package static func path(
    _ environment: [String: String], for purpose: WatchState.Purpose = .cabin
  ) -> String? {
    UserFolder.path("XDG_CONFIG_HOME", otherwise: ".config", environment)
      .map { "\($0)/aneroid/\(purpose == .cabin ? "watch" : "watch-weather").json" }
  }

  /// Reads the settings; uses defaults if the file is missing or invalid.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - purpose: the purpose; the default unit for weather is hPa.
  package init(path: String?, for purpose: WatchState.Purpose = .cabin) {
    let text = path.flatMap { try? TextFile.bytes($0) }
    self = text.flatMap { JSONValue(reading: $0) }.flatMap(WatchSettings.init) ?? WatchSettings()
    if text == nil, purpose == .weather {
      unit = "hPa"
      // Weather changes within five minutes are noise; its tendency is over three hours.
      scale = 10_800
    }
    digits = min(max(digits, 0), 4)
    if !Self.scales.contains(scale) { scale = 300 }
    if !Self.periods.contains(period) { period = 1 }
  }

  /// Parses the settings of a file; returns `nil` if one is missing or invalid.
  private init?(_ json: JSONValue) {
    guard let digits = json["digits"]?.whole(Int.self), let scale = json["scale"]?.whole(Int.self),
      let scrolls = json["scrolls"]?.boolean, let unit = json["unit"]?.text,
      let layout = json["layout"]?.text.flatMap(Layout.init(rawValue:)),
      let period = json["period"]?.whole(Int.self)
    else { return nil }
    (self.digits, self.scale, self.scrolls) = (digits, scale, scrolls)
    (self.layout, self.unit, self.period) = (layout, unit, period)
  }

  /// The settings as JSON.
  private var json: JSONValue {
    .object([
      ("digits", .integer(digits)), ("layout", .string(layout.rawValue)),
      ("period", .integer(period)), ("scale", .integer(scale)), ("scrolls", .bool(scrolls)),
      ("unit", .string(unit)),
    ])
  }

  /// Saves the settings.
  ///
  /// - Throws: `Failure` if they cannot be written.
  package func save(_ path: String) throws(Failure) {
    try? Folder.make(FilePath.folder(of: path))
    try OutputFile.write(json.compact + "\n", to: path)
  }
}

/// The last field of a row in a recording: the marks, which are notes on events, and the quantities
/// outside the sensor's specified range.
struct RecordedMark: Hashable {
  let mark: String
  /// The quantities outside the sensor's specified range.
  let outside: [Quantity]

  /// The marks in the first rows of a new measurement and of a resumed one; `WatchState.recall`
  /// interprets them.
  static let start = "start", resumed = "goes on"
  /// The mark in the first row of a run whose times are not later than those of the previous run.
  static let newRun = "new run"

  private static let head = "outside specification: "

  /// Creates the field of a row.
  init(_ mark: String, outside: [Quantity]) { (self.mark, self.outside) = (mark, outside) }

  /// Parses the field of a row.
  init(_ text: String) {
    var (words, outside): ([String], [Quantity]) = ([], [])
    for part in text.split(separator: ";").map({ $0.drop { $0 == " " } }) {
      guard part.hasPrefix(Self.head) else {
        words.append(String(part))
        continue
      }
      outside = part.dropFirst(Self.head.count).split(separator: " ").compactMap {
        Quantity(rawValue: String($0))
      }
    }
    self.init(words.joined(separator: "; "), outside: outside)
  }

  /// The field as text, without commas, which separate the fields of a row.
  var text: String {
    let names = outside.isEmpty ? "" : Self.head + outside.map(\.rawValue).joined(separator: " ")
    return [mark, names].filter { !$0.isEmpty }.joined(separator: "; ")
  }
}

/// Limits the drawing rate to ten per second, except after a key press.
package struct DrawingPace: Sendable {
  /// The minimum time between drawings in seconds.
  package static let interval = 0.1

  private var last: Double?
  private var isUrgent = true

  /// Creates a pace; the first drawing is due.
  package init() {}

  /// Makes the next drawing due immediately.
  package mutating func hurry() { isUrgent = true }

  /// Checks whether a drawing is due, and if so records it as done.
  ///
  /// - Parameter now: the time in seconds.
  /// - Returns: `true` if a drawing is due.
  package mutating func isDue(at now: Double) -> Bool {
    guard isUrgent || last.map({ now - $0 >= Self.interval }) ?? true else { return false }
    (last, isUrgent) = (now, false)
    return true
  }
}
