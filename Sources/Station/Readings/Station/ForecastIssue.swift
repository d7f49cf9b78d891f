package import Forecasts

/// Makes the forecasts of an hour, as they are stored and scored later.
package enum ForecastIssue {
  /// For how many hours forecasts are stored.
  package static let hours = 12

  /// Makes the forecasts of a moment: from runs that had begun and readings that had been made by then.
  ///
  /// - Parameters:
  ///   - moment: a full hour, in seconds since 1970.
  ///   - forecast: all runs at the site; those that began later are left out.
  ///   - store: what the station has read.
  ///   - site: where it stands.
  /// - Returns: the forecasts of the next hours, and what the barometer's forecasters say.
  /// - Throws: an error of SQLite.
  package static func make(
    at moment: Int, _ forecast: PointForecast, _ store: ReadingStore, _ site: Site
  ) throws -> (forecasts: [IssuedForecast], barometer: [BarometerForecast]) {
    let known = forecast.known(at: moment)
    let offset = try StationOffset.find(store, site, known, at: moment)
    var made: [IssuedForecast] = []
    for hour in 1...hours {
      let valid = moment + hour * 3600
      let weight = offset?.weight(at: valid) ?? 0
      func add(_ metric: String, _ model: Double?, _ correction: Double?) {
        guard let model else { return }
        made.append(
          IssuedForecast(
            metric: metric, issued: moment, valid: valid, model: model,
            corrected: correction.map { model + weight * $0 }))
      }
      add("temperature_2m", site.temperature(known, at: valid), offset?.temperature)
      add("relative_humidity_2m", known.value(.humidity, at: valid), offset?.humidity)
      add("pressure_msl", known.value(.seaLevelPressure, at: valid), offset?.seaLevelPressure)
      add("precipitation", known.rain(from: valid - 3600, to: valid), nil)
    }
    let state = try StationState(store, site, at: moment)
    var barometer: [BarometerForecast] = []
    func say(_ method: String, _ isWet: Bool?) {
      guard let isWet else { return }
      barometer.append(BarometerForecast(method: method, issued: moment, isWet: isWet))
    }
    say("thesis", state.thesis.map { StationState.isWet(code: $0) })
    say("an3914", state.an3914.map { StationState.isWet(code: $0) })
    say("zambretti", state.zambretti.map { StationState.isWet(letter: $0.letter) })
    return (made, barometer)
  }
}
