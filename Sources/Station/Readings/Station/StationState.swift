import Barometry
import Forecasts
import Quantities

/// What is said of the station at one moment, from what it has stored.
package struct StationState: Sendable {
  /// Which way pressure went over three hours, for programs and for the page alike.
  package struct Tendency: Sendable {
    /// The change from which it is not steady any more: 0.1 hPa an hour.
    package static let least = 0.3

    /// hPa.
    package let change: Double
    /// `steady`, `rising` or `falling`.
    package let trend: String
    /// The trend in more words: those of WMO code table 0200 unless it is steady.
    package let words: String

    /// Tells of a change in hPa.
    ///
    /// - Parameters:
    ///   - change: the change.
    ///   - meaning: what the code table says of it.
    package init(change: Double, meaning: String) {
      self.change = change
      let isSteady = abs(change) < Self.least
      trend = isSteady ? "steady" : change > 0 ? "rising" : "falling"
      words = isSteady ? "steady" : meaning
    }
  }

  /// How far back it looks, in seconds.
  package static let memory = 6 * 3600

  /// The reading; `nil` before the first.
  package var reading: Reading?
  /// hPa at sea level.
  package var seaLevel: Double?
  /// Over three hours.
  package var tendency: Tendency?
  /// The thesis's forecast.
  package var thesis: String?
  /// AN3914's.
  package var an3914: String?
  /// The letter and the text of Negretti and Zambra's.
  package var zambretti: (letter: String, text: String)?

  /// What the thesis's and the note's classes mean.
  package static func words(of code: String) -> String {
    switch code {
    case "notStable": "quickly rising, not stable"
    case "goodWeather": "good weather"
    case "stable": "stable weather"
    case "rainy": "rain"
    default: "thunderstorm"
    }
  }

  /// Whether a class means rain.
  static func isWet(code: String) -> Bool { ["rainy", "thunderStorm"].contains(code) }

  /// Whether a letter of the instrument means rain: from N, "showery, bright intervals", on.
  static func isWet(letter: String) -> Bool { letter >= "N" }

  /// Finds what could be said at a moment, from readings before it alone.
  package init(_ store: ReadingStore, _ site: Site, at moment: Int) throws {
    let minutes = try store.means(every: 60, from: moment - Self.memory, to: moment)
    reading = try store.readings(from: moment - 7200, to: moment).last
    if let reading, let pascals = reading.pascals {
      seaLevel = site.seaLevel(pascals: pascals, celsius: reading.celsius)
    }
    let points = minutes.compactMap { mean in
      mean.pascals.map { PressurePoint(time: Int64(mean.time) * TimeSpan.second, pascals: $0) }
    }
    var long = PressureHistory(retention: Int64(Self.memory) * TimeSpan.second)
    for point in points { try? long.append(point) }
    let sea = seaLevel
    if let found = PressureTendency(long, withoutGapsOver: TimeSpan.hour) {
      tendency = Tendency(
        change: Quantity.pressure.shown(found.change), meaning: "\(found.meaning)")
      if let sea {
        let forecast = Zambretti(hemisphere: site.place.latitude < 0 ? .south : .north).forecast(
          seaLevel: sea * 100, rate: found.change / 300, month: CivilTime.month(moment))
        zambretti = (String(Character(forecast.letter)), "\(forecast.text)")
      }
    }
    thesis = Self.thesis(minutes, at: moment)
    an3914 = Self.an3914(points)
  }

  /// The thesis: means of half hours, of the last two hours.
  private static func thesis(_ minutes: [Reading], at moment: Int) -> String? {
    var history = PressureHistory()
    for back in stride(from: 4, through: 0, by: -1) {
      let start = moment - back * 1800 - 60
      let pressures = minutes.filter { $0.time >= start - 300 && $0.time <= start }
        .compactMap(\.pascals)
      guard !pressures.isEmpty else { continue }
      let mean = pressures.reduce(0, +) / Double(pressures.count)
      try? history.append(PressurePoint(time: Int64(start) * TimeSpan.second, pascals: mean))
    }
    let made = try? ThesisForecaster().forecast(
      from: history, at: Int64(moment) * TimeSpan.second)
    return made.map { "\($0.trend.name)" }
  }

  /// The note: a pressure a minute, anew after a gap.
  private static func an3914(_ points: [PressurePoint]) -> String? {
    var forecaster = AN3914Forecaster()
    var last: Int64?
    for point in points {
      if let last {
        let missing = (point.time - last) / TimeSpan.minute
        if missing > 10 {
          forecaster.restart()
        } else if missing > 1 {
          for _ in 1..<missing { forecaster.take(point.pascals) }
        }
      }
      forecaster.take(point.pascals)
      last = point.time
    }
    return forecaster.forecast.map { "\($0.trend.name)" }
  }
}
