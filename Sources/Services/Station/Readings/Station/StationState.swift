import Barometry
package import Forecasts
import Glibc
import Quantities

/// The site of the station.
package struct Site: Sendable {
  /// The display name of the site.
  package let name: String
  package let location: GeoPoint
  /// The elevation above sea level in m.
  package let elevation: Double
  /// The radius in km within which the station corrects forecasts.
  package let radius: Double

  package init(name: String, location: GeoPoint, elevation: Double, radius: Double) {
    (self.name, self.location, self.elevation, self.radius) = (name, location, elevation, radius)
  }

  /// Converts the pressure at sea level to the pressure at an elevation in m, both in hPa.
  package static func pressure(atElevation elevation: Double, seaLevel: Double, celsius: Double)
    -> Double
  {
    seaLevel * 100
      / StandardAtmosphere.seaLevelPressure(of: 100, atAltitude: elevation, celsius: celsius)
  }

  /// Converts the pressure at the station in Pa to the pressure at sea level in hPa.
  package func seaLevel(pascals: Double, celsius: Double?) -> Double {
    Quantity.pressure.shown(
      StandardAtmosphere.seaLevelPressure(
        of: pascals, atAltitude: elevation, celsius: celsius ?? 15 - 0.0065 * elevation))
  }

  /// Adjusts the model's temperature to the elevation of the site with 6.5 °C/km.
  package func temperature(_ forecast: PointForecast, at moment: Int) -> Double? {
    guard let model = forecast.value(.temperature, at: moment) else { return nil }
    guard let ground = forecast.column(at: moment)?.elevation else { return model }
    return model + 0.0065 * (ground - elevation)
  }

  /// Returns the model's value of a metric at the station.
  func model(_ metric: CorrectedMetric, _ forecast: PointForecast, at moment: Int) -> Double? {
    switch metric {
    case .temperature: temperature(forecast, at: moment)
    case .humidity: forecast.value(.humidity, at: moment)
    case .seaLevelPressure: forecast.value(.seaLevelPressure, at: moment)
    }
  }

  /// Returns the value of a metric in a reading.
  func value(of metric: CorrectedMetric, in reading: Reading) -> Double? {
    switch metric {
    case .temperature: reading.celsius
    case .humidity: reading.humidity
    case .seaLevelPressure:
      reading.pascals.map { seaLevel(pascals: $0, celsius: reading.celsius) }
    }
  }
}

/// The state of the station at a time, derived from the stored readings.
package struct StationState: Sendable {
  /// The pressure tendency over three hours, used by programs and by the page.
  package struct Tendency: Sendable {
    /// The smallest change in hPa that counts as rising or falling (0.1 hPa per hour); smaller
    /// changes are steady.
    package static let least = 0.3

    /// The change of the pressure in hPa.
    package let change: Double
    /// The trend: `steady`, `rising` or `falling`.
    package let trend: String
    /// The trend as text; unless it is steady, the text is the one in WMO code table 0200.
    package let words: String

    /// Creates a tendency.
    ///
    /// - Parameters:
    ///   - change: The change in hPa.
    ///   - meaning: The text in the code table.
    package init(change: Double, meaning: String) {
      self.change = change
      let isSteady = abs(change) < Self.least
      trend = isSteady ? "steady" : change > 0 ? "rising" : "falling"
      words = isSteady ? "steady" : meaning
    }
  }

  /// The period before the given time whose readings are used, in seconds.
  package static let memory = 6 * 3600

  /// The last reading; `nil` before the first.
  package var reading: Reading?
  /// The pressure at sea level in hPa; `nil` if unknown.
  package var seaLevel: Double?
  /// The pressure tendency over three hours; `nil` if there is too little data.
  package var tendency: Tendency?
  /// The forecast class from the thesis's algorithm; `nil` if there is too little data.
  package var thesis: String?
  /// The forecast class from AN3914's algorithm; `nil` if there is too little data.
  package var an3914: String?
  /// The letter and the text from Negretti and Zambra's forecaster; `nil` if there is too little
  /// data.
  package var zambretti: (letter: String, text: String)?

  /// Returns the text for a forecast class, which may be from the thesis or from AN3914.
  package static func words(of code: String) -> String {
    switch code {
    case "notStable": "quickly rising, not stable"
    case "goodWeather": "good weather"
    case "stable": "stable weather"
    case "rainy": "rain"
    default: "thunderstorm"
    }
  }

  /// Returns `true` if a forecast class predicts rain.
  static func isWet(code: String) -> Bool { ["rainy", "thunderStorm"].contains(code) }

  /// Returns `true` if a letter of Negretti and Zambra's forecaster predicts rain, as all letters
  /// from N ("showery, bright intervals") on do.
  static func isWet(letter: String) -> Bool { letter >= "N" }

  /// Computes the state at a time, using only earlier readings.
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
        let forecast = Zambretti(hemisphere: site.location.latitude < 0 ? .south : .north).forecast(
          seaLevel: sea * 100, rate: found.change / 300, month: CivilTime.month(moment))
        zambretti = (String(Character(forecast.letter)), "\(forecast.text)")
      }
    }
    thesis = Self.thesis(minutes, at: moment)
    an3914 = Self.an3914(points)
  }

  /// Runs the thesis's algorithm on half-hour means over the last two hours.
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

  /// Runs the AN3914 algorithm on one pressure value per minute; after a gap, the algorithm starts
  /// again.
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

/// The air of the simulated station, which is the model's forecast with local deviations.
///
/// The station is 0.8 °C warmer and 3 % drier than the model's forecast, and its barometer reads
/// 0.6 hPa more. All three deviations also drift slowly and reproducibly. If no run covers the
/// time, the air fades within some hours to the climatology for the season and hour.
package enum LocalAir {
  /// The air according to the model or the climatology.
  private struct Model {
    /// The temperature at the elevation of the site in °C.
    var celsius: Double
    /// The relative humidity in %.
    var humidity: Double
    /// The pressure at sea level in hPa.
    var seaLevel: Double
  }

  /// Returns the air at a time.
  ///
  /// - Parameters:
  ///   - forecast: The runs at the site; `nil` to use only the climatology.
  ///   - site: The site of the station.
  ///   - moment: The time in seconds since 1970.
  /// - Returns: The air at the station.
  package static func air(_ forecast: PointForecast?, _ site: Site, at moment: Int) -> AirNow {
    let model = model(forecast, site, at: moment)
    func wander(_ hours: Double, _ phase: Double) -> Double {
      sin(Double(moment) / 3600 / hours * 2 * .pi + phase)
        + 0.6 * sin(Double(moment) / 3600 / (hours * 0.381) * 2 * .pi + 2 * phase)
    }
    let celsius = model.celsius + 0.8 + 0.35 * wander(17.3, 1)
    let humidity = model.humidity - 3 + 1.5 * wander(13.1, 2)
    let hectopascals = model.seaLevel + 0.6 + 0.12 * wander(21.7, 3)
    let mean = celsius + 273.15 + 0.0065 * site.elevation / 2
    return AirNow(
      celsius: celsius, humidity: humidity,
      pascals: hectopascals * 100 * exp(-9.80665 * site.elevation / (287.05287 * mean)))
  }

  /// Returns the air according to the runs, which fades to the climatology before and after them.
  private static func model(_ forecast: PointForecast?, _ site: Site, at moment: Int) -> Model {
    if let model = forecastModel(forecast, site, at: moment) { return model }
    var model = plain(site, at: moment)
    guard let forecast, let edge = forecast.nearest(to: moment),
      let last = forecastModel(forecast, site, at: edge)
    else { return model }
    let there = plain(site, at: edge)
    let weight = exp(-abs(Double(moment - edge)) / (6 * 3600))
    model.celsius += weight * (last.celsius - there.celsius)
    model.humidity += weight * (last.humidity - there.humidity)
    model.seaLevel += weight * (last.seaLevel - there.seaLevel)
    return model
  }

  private static func forecastModel(_ forecast: PointForecast?, _ site: Site, at moment: Int)
    -> Model?
  {
    guard let forecast, let celsius = site.temperature(forecast, at: moment),
      let humidity = forecast.value(.humidity, at: moment),
      let seaLevel = forecast.value(.seaLevelPressure, at: moment)
    else { return nil }
    return Model(celsius: celsius, humidity: humidity, seaLevel: seaLevel)
  }

  /// Returns the climatology, which is warmest in July (January in the south) and at 15:00 solar
  /// time.
  private static func plain(_ site: Site, at moment: Int) -> Model {
    let north = site.location.latitude
    let year = cos(2 * .pi * (Double(moment) / 86400 - 200) / 365.2425) * (north < 0 ? -1 : 1)
    let hour = cos(2 * .pi * (Double(moment) / 3600 + site.location.longitude / 15 - 15) / 24)
    let mean = 27 - 0.0075 * north * north - 0.0065 * site.elevation
    return Model(
      celsius: mean + abs(north) / 6 * year + 4 * hour, humidity: 70 - 12 * hour, seaLevel: 1015)
  }
}
