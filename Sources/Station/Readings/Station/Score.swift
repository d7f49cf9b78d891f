/// How right the forecasts of a day were, from what was stored before alone.
package struct Score: Sendable {
  /// Errors of one kind of forecast.
  package struct Errors: Hashable, Sendable {
    /// The mean of the errors' sizes.
    package let mae: Double?
    /// Their mean: above 0 where too much was foretold.
    package let bias: Double?
    /// How many hours could be judged.
    package let count: Int

    init(_ errors: [Double]) {
      count = errors.count
      mae = errors.isEmpty ? nil : errors.reduce(0) { $0 + abs($1) } / Double(errors.count)
      bias = errors.isEmpty ? nil : errors.reduce(0, +) / Double(errors.count)
    }
  }

  /// How often a forecaster of the barometer was right about rain.
  package struct Hits: Hashable, Sendable {
    /// How often it was right, and how often it was asked.
    package var hits = 0, count = 0
    /// How often there was rain, and how often it said so: always "dry" is right where there is none.
    package var wet = 0, saidWet = 0
  }

  /// How long before its moment a forecast was made that is judged, in seconds.
  package static let lead = 3 * 3600
  /// The metrics that the station can judge.
  package static let metrics = ["temperature_2m", "relative_humidity_2m", "pressure_msl"]
  /// The barometer's forecasters.
  package static let methods = ["thesis", "an3914", "zambretti"]

  /// By metric, the model's errors and the corrected forecast's.
  package let errors: [String: (model: Errors, corrected: Errors)]
  /// By method, how it did about rain in the next six hours.
  package let barometer: [String: Hits]

  /// Judges a day.
  ///
  /// - Parameters:
  ///   - day: its start, in seconds since 1970.
  ///   - store: what was stored; nothing is computed anew.
  ///   - site: where the station stands.
  /// - Throws: an error of SQLite.
  package init(day: Int, _ store: ReadingStore, _ site: Site) throws {
    let end = day + 86400
    var truth: [Int: Reading] = [:]
    // Half of an interval before and after each full hour.
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
