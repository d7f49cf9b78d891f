import Forecasts

/// The zones of time that answers can be in: UTC, and those of Europe, which change together.
package enum TimeZones {
  /// Hours east of Greenwich in winter.
  private static let winter: [String: Int] = [
    "Europe/Lisbon": 0, "Atlantic/Madeira": 0, "Atlantic/Azores": -1, "Atlantic/Canary": 0,
    "Europe/London": 0, "Europe/Dublin": 0, "Europe/Madrid": 1, "Europe/Paris": 1,
    "Europe/Berlin": 1, "Europe/Rome": 1, "Europe/Brussels": 1, "Europe/Amsterdam": 1,
    "Europe/Zurich": 1, "Europe/Vienna": 1, "Europe/Athens": 2, "Europe/Helsinki": 2,
  ]

  /// The names that are known.
  static var names: [String] { ["auto", "UTC", "GMT"] + winter.keys.sorted() }

  /// Whether a name is known.
  static func isKnown(_ name: String) -> Bool { names.contains(name) }

  /// The zone of a place: that of Portugal or of Spain where it lies there, else UTC.
  static func name(of place: Place) -> String {
    guard (35.9...43.9).contains(place.latitude) else { return "UTC" }
    if (-10.5 ..< -6.9).contains(place.longitude), place.latitude < 42.2 { return "Europe/Lisbon" }
    if (-6.9 ..< -6.1).contains(place.longitude), place.latitude > 41.2, place.latitude < 42 {
      return "Europe/Lisbon"
    }
    return (-9.4...3.4).contains(place.longitude) ? "Europe/Madrid" : "UTC"
  }

  /// How many seconds a zone is ahead of UTC at a moment; the rule of the European Union since 1996.
  static func offset(_ name: String, at moment: Int) -> Int {
    guard let hours = winter[name] else { return 0 }
    let year = CivilTime.date(CivilTime.startOfDay(moment) / 86400).year
    let isSummer = moment >= lastSunday(year, 3) && moment < lastSunday(year, 10)
    return (hours + (isSummer ? 1 : 0)) * 3600
  }

  /// One o'clock UTC of the last Sunday of a month that has 31 days.
  private static func lastSunday(_ year: Int, _ month: Int) -> Int {
    let day = CivilTime.day(year, month, 31)
    // The first of January 1970 was a Thursday.
    return (day - CivilTime.modulo(day + 4, 7)) * 86400 + 3600
  }
}
