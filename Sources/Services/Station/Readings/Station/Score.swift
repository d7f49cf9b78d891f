package import Forecasts

/// The accuracy of a day's forecasts, computed only from stored data.
package struct Score: Sendable {
  /// The errors of one kind of forecast.
  package struct Errors: Hashable, Sendable {
    /// The mean absolute error; `nil` if no hour was evaluated.
    package let mae: Double?
    /// The mean error, which is positive if the forecast was too high; `nil` if no hour was
    /// evaluated.
    package let bias: Double?
    /// The number of hours that were evaluated.
    package let count: Int

    init(_ errors: [Double]) {
      count = errors.count
      mae = errors.isEmpty ? nil : errors.reduce(0) { $0 + abs($1) } / Double(errors.count)
      bias = errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count)
    }
  }

  /// The rain statistics of a barometric forecast method.
  package struct Hits: Hashable, Sendable {
    /// The number of correct forecasts, and the number of all forecasts.
    package var hits = 0, count = 0
    /// The number of forecasts after which it rained, and the number of forecasts that predicted
    /// rain.
    ///
    /// These numbers are needed because a method that always predicts dry weather is correct
    /// whenever it does not rain.
    package var wet = 0, saidWet = 0
  }

  /// The lead time in seconds of the forecasts that are evaluated.
  package static let lead = 3 * 3600
  /// The metrics that the station can evaluate.
  package static let metrics = ["temperature_2m", "relative_humidity_2m", "pressure_msl"]
  /// The barometric forecast methods.
  package static let methods = ["thesis", "an3914", "zambretti"]

  /// The errors by metric, for the model's forecast and for the corrected forecast.
  package let errors: [String: (model: Errors, corrected: Errors)]
  /// The rain statistics for the six hours after each forecast, by method.
  package let barometer: [String: Hits]

  /// Evaluates the forecasts of a day.
  ///
  /// - Parameters:
  ///   - day: The start of the day in seconds since 1970.
  ///   - store: The store of readings and forecasts; nothing is recomputed.
  ///   - site: The site of the station.
  /// - Throws: An SQLite error.
  package init(day: Int, _ store: ReadingStore, _ site: Site) throws {
    let end = day + 86400
    var truth: [Int: Reading] = [:]
    // The mean covers half an interval before and after each full hour.
    for mean in try store.means(every: 600, from: day - 300, to: end)
    where (mean.time + 300) % 3600 == 0 {
      truth[mean.time + 300] = mean
    }
    var errors: [String: (model: Errors, corrected: Errors)] = [:]
    let forecasts = try store.forecasts(validFrom: day, to: end, lead: Self.lead)
    for metric in Self.metrics {
      var (model, corrected): ([Double], [Double]) = ([], [])
      for forecast in forecasts where forecast.metric == metric {
        guard let reading = truth[forecast.valid], let seen = Self.value(metric, reading, site)
        else {
          continue
        }
        model.append(forecast.model - seen)
        if let value = forecast.corrected { corrected.append(value - seen) }
      }
      errors[metric] = (Errors(model), Errors(corrected))
    }
    self.errors = errors
    var rain: [Int: Double] = [:]
    for forecast in try store.forecasts(validFrom: day, to: end + 6 * 3600, lead: 3600)
    where forecast.metric == "precipitation" {
      rain[forecast.valid] = forecast.model
    }
    var barometer: [String: Hits] = [:]
    for method in Self.methods { barometer[method] = Hits() }
    for said in try store.barometer(from: day, to: end) {
      let hours = (1...6).compactMap { rain[said.issued + $0 * 3600] }
      guard hours.count == 6, var so = barometer[said.method] else { continue }
      let wasWet = hours.reduce(0, +) >= 0.2
      so.count += 1
      if wasWet == said.isWet { so.hits += 1 }
      if wasWet { so.wet += 1 }
      if said.isWet { so.saidWet += 1 }
      barometer[said.method] = so
    }
    self.barometer = barometer
  }

  private static func value(_ metric: String, _ reading: Reading, _ site: Site) -> Double? {
    switch metric {
    case "temperature_2m": reading.celsius
    case "relative_humidity_2m": reading.humidity
    default: reading.pascals.map { site.seaLevel(pascals: $0, celsius: reading.celsius) }
    }
  }
}

/// Creates the forecasts issued at an hour, which are stored and scored later.
package enum ForecastIssue {
  /// The number of hours for which forecasts are stored.
  package static let hours = 12

  /// Creates the forecasts that are issued at a time, from the runs and readings that were
  /// available by then.
  ///
  /// - Parameters:
  ///   - moment: A full hour in seconds since 1970.
  ///   - forecast: All runs at the site; runs that start later are ignored.
  ///   - store: The stored readings.
  ///   - site: The site of the station.
  /// - Returns: The forecasts for the next hours, and the forecasts of the barometric methods.
  /// - Throws: An SQLite error.
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
