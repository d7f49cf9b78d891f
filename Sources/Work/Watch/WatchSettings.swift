package import Files
package import Quantities
import Text

/// What a viewer has chosen; it stays from one watch to the next.
package struct WatchSettings: Hashable, Sendable {
  /// How the screen is laid out.
  package enum Layout: String, CaseIterable, Sendable {
    /// As the terminal is wide or tall.
    case automatic
    /// Numbers next to the graph.
    case wide
    /// Numbers above the graph.
    case tall
  }

  /// The decimals of the large number.
  package var digits = 2
  /// How many seconds the graph shows.
  package var scale = 300
  /// Whether the graph follows the youngest sample; else it stands until its end is reached.
  package var scrolls = true
  /// How the screen is laid out.
  package var layout = Layout.automatic
  /// The unit of pressure, by its symbol.
  package var unit = "mmHg"
  /// From sample to sample, in seconds.
  package var period = 1

  /// The scales that can be chosen, in seconds.
  package static let scales = [60, 300, 1800, 7200, 10_800]
  /// The periods that can be chosen, in seconds.
  package static let periods = [1, 2, 5, 10]

  /// Creates the settings of a first watch.
  package init() {}

  /// The unit of pressure.
  package var pressureUnit: PressureUnit {
    PressureUnit.allCases.first { "\($0.symbol)" == unit } ?? .millimetreOfMercury
  }

  /// The next of some choices, the first after the last.
  package static func next<Choice: Equatable>(_ choice: Choice, of choices: [Choice]) -> Choice {
    let index = choices.firstIndex(of: choice).map { ($0 + 1) % choices.count } ?? 0
    return choices[index]
  }

  // MARK: In a file

  /// Where they are kept: below XDG_CONFIG_HOME, else below ~/.config; those of the weather apart from those of a cabin.
  package static func path(
    _ environment: [String: String], for purpose: WatchState.Purpose = .cabin
  ) -> String? {
    UserFolder.path("XDG_CONFIG_HOME", otherwise: ".config", environment)
      .map { "\($0)/aneroid/\(purpose == .cabin ? "watch" : "watch-weather").json" }
  }

  /// Reads them; those of a first watch where there is no file, or none that can be read.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - purpose: what is watched for: weather is told in hPa at first.
  package init(path: String?, for purpose: WatchState.Purpose = .cabin) {
    let text = path.flatMap { try? TextFile.bytes($0) }
    self = text.flatMap { JSONValue(reading: $0) }.flatMap(WatchSettings.init) ?? WatchSettings()
    if text == nil, purpose == .weather {
      unit = "hPa"
      // Five minutes of weather are noise; its tendency is that of three hours.
      scale = 10_800
    }
    digits = min(max(digits, 0), 4)
    if !Self.scales.contains(scale) { scale = 300 }
    if !Self.periods.contains(period) { period = 1 }
  }

  /// Takes the settings of a file; nothing where one is missing or of another kind.
  private init?(_ json: JSONValue) {
    guard let digits = json["digits"]?.whole(Int.self), let scale = json["scale"]?.whole(Int.self),
      let scrolls = json["scrolls"]?.boolean, let unit = json["unit"]?.text,
      let layout = json["layout"]?.text.flatMap(Layout.init(rawValue:)),
      let period = json["period"]?.whole(Int.self)
    else { return nil }
    (self.digits, self.scale, self.scrolls) = (digits, scale, scrolls)
    (self.layout, self.unit, self.period) = (layout, unit, period)
  }

  /// The settings as the file has them, by their names.
  private var json: JSONValue {
    .object([
      ("digits", .integer(digits)), ("layout", .string(layout.rawValue)),
      ("period", .integer(period)), ("scale", .integer(scale)), ("scrolls", .bool(scrolls)),
      ("unit", .string(unit)),
    ])
  }

  /// Keeps them.
  ///
  /// - Throws: `Failure` when they cannot be written.
  package func save(_ path: String) throws(Failure) {
    try? Folder.make(FilePath.folder(of: path))
    try OutputFile.write(json.compact + "\n", to: path)
  }
}
