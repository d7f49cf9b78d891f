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
  package static let metrics = CorrectedMetric.allCases.map(\.rawValue)
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
    let truth = try store.meansAroundHours(from: day, to: end)
    var errors: [String: (model: Errors, corrected: Errors)] = [:]
    let forecasts = try store.forecasts(validFrom: day, to: end, lead: Self.lead)
    for metric in CorrectedMetric.allCases {
      var (model, corrected): ([Double], [Double]) = ([], [])
      for forecast in forecasts where forecast.metric == metric.rawValue {
        guard let seen = truth[forecast.valid].flatMap({ site.value(of: metric, in: $0) }) else {
          continue
        }
        model.append(forecast.model - seen)
        if let value = forecast.corrected { corrected.append(value - seen) }
      }
      errors[metric.rawValue] = (Errors(model), Errors(corrected))
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
}

/// Creates the forecasts issued at an hour, which are stored and scored later.
package enum ForecastIssue {
  /// The lead times in hours for which forecasts are stored; precipitation only up to the first 12.
  package static let leads = Array(1...12) + CorrectionLearner.leads.filter { $0 > 12 }

  /// Creates the forecasts that are issued at a time, from the runs and readings that were
  /// available by then.
  ///
  /// - Parameters:
  ///   - moment: A full hour in seconds since 1970.
  ///   - forecast: All runs at the site; runs that start later are ignored.
  ///   - store: The stored readings.
  ///   - site: The site of the station.
  ///   - learned: What has been learned from earlier hours. Default: nothing.
  /// - Returns: The forecasts for the next hours, and the forecasts of the barometric methods.
  /// - Throws: An SQLite error.
  package static func make(
    at moment: Int, _ forecast: PointForecast, _ store: ReadingStore, _ site: Site,
    learned: [CorrectedMetric: LearnedCorrection] = [:]
  ) throws -> (forecasts: [IssuedForecast], barometer: [BarometerForecast]) {
    let known = forecast.known(at: moment)
    let correction = try StationOffset.find(store, site, known, at: moment).map {
      StationCorrection(offset: $0, learned: learned)
    }
    var made: [IssuedForecast] = []
    for lead in leads {
      let valid = moment + lead * 3600
      for metric in CorrectedMetric.allCases {
        guard let model = site.model(metric, known, at: valid) else { continue }
        let corrected = correction?.value(of: metric, at: valid).map { model + $0 }
        made.append(
          IssuedForecast(
            metric: metric.rawValue, issued: moment, valid: valid, model: model,
            corrected: corrected))
      }
      if lead <= 12, let rain = known.rain(from: valid - 3600, to: valid) {
        made.append(
          IssuedForecast(
            metric: "precipitation", issued: moment, valid: valid, model: rain, corrected: nil))
      }
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
