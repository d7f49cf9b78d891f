import Barometry
package import Rigs
package import Support

/// The scores of forecasters over a year of weather, given by how often precipitation followed each
/// forecast text.
package struct ForecastScore {
  /// One forecast text.
  package struct Word {
    package let name: String
    /// The rank by predicted rain, by which forecasts are ordered.
    package let rank: Double
    package var count = 0, rain = 0

    package var share: Double { count == 0 ? 0 : Double(rain) / Double(count) }
  }

  /// The forecast texts of one forecaster, with their counts.
  package struct Method {
    package let name: String
    private(set) var words: [String: Word] = [:]

    package mutating func take(_ name: String, rank: Double, rains: Bool) {
      words[name, default: Word(name: name, rank: rank)].count += 1
      if rains { words[name]?.rain += 1 }
    }

    package var ordered: [Word] { words.values.inOrder { ($0.rank, $0.name) < ($1.rank, $1.name) } }

    /// The area under the ROC curve: the probability that a wet hour has a wetter forecast than a
    /// dry one.
    package var area: Double {
      var (dryBelow, sum) = (0.0, 0.0)
      let ranks = Dictionary(grouping: words.values, by: \.rank).inOrder { $0.key < $1.key }
      let rain = Double(words.values.reduce(0) { $0 + $1.rain })
      let dry = Double(words.values.reduce(0) { $0 + $1.count - $1.rain })
      for (_, equal) in ranks {
        let rainy = Double(equal.reduce(0) { $0 + $1.rain })
        let dryHere = Double(equal.reduce(0) { $0 + $1.count - $1.rain })
        sum += rainy * (dryBelow + dryHere / 2)
        dryBelow += dryHere
      }
      return rain * dry > 0 ? sum / (rain * dry) : 0.5
    }
  }

  package let methods: [Method]
  private let table: String
  package let hours: Int
  package let rain: Int

  /// Returns how often precipitation followed a forecast, as a sentence.
  ///
  /// - Parameters:
  ///   - method: the forecaster.
  ///   - word: the class, the letter or the code of its forecast.
  /// - Returns: the sentence; `nil` if the forecaster never made this forecast over the table.
  package func odds(of method: Pipeline.Forecaster, _ word: String) -> String? {
    let words =
      switch method {
      case .thesis: methods[0].words
      case .note: methods[1].words
      case .zambretti: methods[2].words
      case .tendency: methods[4].words
      }
    // The name of a Zambretti forecast and of a tendency continues with its meaning.
    guard
      let found = words.values.first(where: { $0.name == word || $0.name.hasPrefix("\(word) ") })
    else { return nil }
    return "rain within 6 h followed \(percent(found.share)) of \(found.count) such forecasts, "
      + "\(percent(Double(rain) / Double(hours))) of all hours (\(table.visible))"
  }

  /// Scores the forecasters on a table.
  ///
  /// - Parameter path: the file, in the format of `WeatherYear`.
  /// - Throws: `Failure` for a missing table or wrong columns.
  package init(_ path: String) throws(Failure) {
    let year = try WeatherYear(path)
    var thesis = Method(name: "thesis (2 h)")
    var note = Method(name: "AN3914")
    var zambretti = Method(name: "Zambretti")
    var windy = Method(name: "Zambretti with wind")
    var tendency = Method(name: "tendency (WMO 0200)")
    let notes = Self.notes(year)
    var (hours, rain) = (0, 0)
    for (index, hour) in year.hours.enumerated() {
      guard let now = hour.pressure, let rains = year.rainFollows(index),
        let before = year.hour(index, plus: -2)?.pressure
      else { continue }
      hours += 1
      if rains { rain += 1 }
      let trend = PressureTrend(rate: (now - before) / 200)
      thesis.take("\(trend.name)", rank: trend.raininess, rains: rains)
      if let trend = notes[index] {
        note.take("\(trend.name)", rank: trend.raininess, rains: rains)
      }
      guard let first = year.hour(index, plus: -3)?.pressure else { continue }
      let middle = ((year.hour(index, plus: -1)?.pressure ?? now) + before) / 2
      let found = PressureTendency(first: first, middle: middle, last: now)
      tendency.take("\(found.code) \(found.meaning)", rank: found.raininess, rains: rains)
      for wind in [nil, hour.wind] {
        let forecast = Zambretti().forecast(
          seaLevel: now, rate: found.change / 300, wind: wind, month: UTCTime.month(hour.time))
        let (word, rank) = ("\(forecast.letter) \(forecast.text)", Double(forecast.rawValue))
        if wind == nil { zambretti.take(word, rank: rank, rains: rains) }
        if wind != nil || hour.wind == nil { windy.take(word, rank: rank, rains: rains) }
      }
    }
    guard hours > 0 else {
      throw Failure(
        .badContent,
        "\(path): no hour can be scored: each needs its pressure, the pressure two hours before, and the "
          + "precipitation of the following six hours")
    }
    table = path
    methods = [thesis, note, zambretti, windy, tendency]
    (self.hours, self.rain) = (hours, rain)
  }

  /// Returns the forecast at each hour by the method of application note AN3914, which needs one
  /// pressure per minute; these are interpolated linearly between the hours.
  private static func notes(_ year: WeatherYear) -> [PressureTrend?] {
    var forecaster = AN3914Forecaster()
    var found: [PressureTrend?] = [nil]
    for (hour, next) in zip(year.hours, year.hours.dropFirst()) {
      if let start = hour.pressure, let end = next.pressure, next.time - hour.time == TimeSpan.hour
      {
        for minute in 1...60 { forecaster.take(start + (end - start) * Double(minute) / 60) }
      } else {
        forecaster.restart()
      }
      found.append(forecaster.forecast?.trend)
    }
    return found
  }

  /// The documentation page with the scores, in Markdown.
  package var page: String {
    var lines = [
      "# Scores of the forecasters", "",
      "How often precipitation follows within six hours, for each forecast text of each forecaster, over a table of hourly weather.",
      "", "## Overview", "",
      "Printed by `aneroid score --page \(table.visible)`: \(hours) hours with pressure (gaps of up to 3 h are interpolated",
      "linearly) and known precipitation afterwards; it followed in \(percent(Double(rain) / Double(hours))) of them.",
      "The area under the ROC curve is the probability that a wet hour has a wetter forecast than a dry hour; 0.5 is chance.",
      "",
    ]
    lines += MarkdownTable(Self.overview, rows).lines
    for method in methods {
      lines += ["", "### \(method.name)", ""]
      lines += MarkdownTable(Self.words, rows(of: method)).lines
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The text for a terminal.
  package var text: String {
    var lines = [
      "\(table.visible): \(hours) hours; precipitation followed within six hours in \(percent(Double(rain) / Double(hours))) of them",
      "The area under the ROC curve is the probability that a wet hour has a wetter forecast than a dry hour; 0.5 is chance.",
      "",
    ]
    lines += PlainTable(Self.overview, rows).lines
    for method in methods {
      lines += ["", method.name]
      lines += PlainTable(Self.words, rows(of: method)).lines.map { "  " + $0 }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let overview = ["forecaster", "hours", "area under the curve"]
  private static let words = ["forecast", "hours", "wet"]

  private var rows: [[String]] {
    methods.map { method in
      let hours = method.words.values.reduce(0) { $0 + $1.count }
      return [method.name, "\(hours)", Decimal.fixed(method.area, 3)]
    }
  }

  private func rows(of method: Method) -> [[String]] {
    method.ordered.map { [$0.name, "\($0.count)", percent($0.share)] }
  }

  private func percent(_ share: Double) -> String { Decimal.fixed(100 * share, 1) + " %" }
}

extension PressureTrend {
  /// The rank by predicted rain, by which forecasts are ordered.
  fileprivate var raininess: Double {
    switch self {
    case .goodWeather: 0
    case .notStable: 1
    case .stable: 2
    case .rainy: 3
    case .thunderStorm: 4
    }
  }
}

extension PressureTendency {
  /// The rank of the tendency by predicted rain; falling pressure ranks higher.
  fileprivate var raininess: Double {
    switch code {
    case 2: 0
    case 1, 3: 1
    case 0: 2
    case 4: 3
    case 5: 4
    case 6: 5
    case 7: 6
    default: 7
    }
  }
}
