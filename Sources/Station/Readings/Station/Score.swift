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

  /// How long before its moment a forecast was made that is judged, in seconds.
  package static let lead = 3 * 3600
  /// The metrics that the station can judge.
  package static let metrics = ["temperature_2m", "relative_humidity_2m", "pressure_msl"]
  /// The barometer's forecasters.
  package static let methods = ["thesis", "an3914", "zambretti"]

  /// By metric, the model's errors and the corrected forecast's.
  package let errors: [String: (model: Errors, corrected: Errors)]
  /// By method, how often it was right about rain in the next six hours, and how often it was asked.
  package let barometer: [String: (hits: Int, count: Int)]

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
    var barometer: [String: (hits: Int, count: Int)] = [:]
    for method in Self.methods { barometer[method] = (0, 0) }
    for said in try store.barometer(from: day, to: end) {
      let hours = (1...6).compactMap { rain[said.issued + $0 * 3600] }
      guard hours.count == 6, let so = barometer[said.method] else { continue }
      let wasWet = hours.reduce(0, +) >= 0.2
      barometer[said.method] = (so.hits + (wasWet == said.isWet ? 1 : 0), so.count + 1)
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
