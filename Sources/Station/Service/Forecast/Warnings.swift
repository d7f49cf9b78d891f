import Forecasts

/// What people should be warned of in the next two days.
struct Warnings {
  /// `frost` or `storm`.
  let kind: String
  /// From when to when, in seconds since 1970.
  let from, to: Int
  /// The coldest °C, or the strongest m/s.
  let value: Double

  /// From which wind it is a storm, in m/s: a gale, 8 on Beaufort's scale.
  static let storm = 17.2

  var json: JSON {
    .object([
      ("kind", .string(kind)), ("from", .string(CivilTime.stamp(from))),
      ("to", .string(CivilTime.stamp(to))),
      ("metric", .string(kind == "frost" ? "temperature_2m" : "wind_speed_10m")),
      ("value", .number(value, 1)), ("unit", .string(kind == "frost" ? "°C" : "m/s")),
    ])
  }

  /// Finds the spells of frost and of storm, hour by hour.
  static func find(_ weather: Weather, from now: Int) -> [Warnings] {
    let first = now - CivilTime.modulo(now, 3600)
    let hours = (0...48).map { first + $0 * 3600 }
    return spells("frost", hours, { weather.temperature($0) }, { $0 <= 0 }, min)
      + spells("storm", hours, { weather.forecast.value(.windSpeed, at: $0) }, { $0 >= storm }, max)
  }

  private static func spells(
    _ kind: String, _ hours: [Int], _ value: (Int) -> Double?, _ isBad: (Double) -> Bool,
    _ worse: (Double, Double) -> Double
  ) -> [Warnings] {
    var found: [Warnings] = []
    var open: Warnings?
    for hour in hours {
      guard let now = value(hour), isBad(now) else {
        if let spell = open { found.append(spell) }
        open = nil
        continue
      }
      open = Warnings(
        kind: kind, from: open?.from ?? hour, to: hour,
        value: open.map { worse($0.value, now) } ?? now)
    }
    if let spell = open { found.append(spell) }
    return found
  }
}
