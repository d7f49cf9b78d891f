package import Forecasts
import Glibc

/// The difference between the station and the model, with which the forecast for the next hours is
/// corrected.
package struct StationOffset: Hashable, Sendable {
  /// The offset of each metric, in °C, % and hPa.
  private var values: [CorrectedMetric: Double] = [:]
  /// The time at which the offset was determined, in seconds since 1970.
  package let moment: Int

  /// The time constant with which the offset decays, in hours; after this time, its weight is 1/e
  /// (37 %).
  package static let fading = 6.0

  /// Returns the part of an offset that is left after a number of hours.
  static func rest(after hours: Double) -> Double { exp(-max(0, hours) / fading) }

  /// Determines the offset at a time from the readings of the previous hour.
  ///
  /// The model's temperature is first adjusted to the station's elevation with 6.5 °C/km.
  ///
  /// - Parameters:
  ///   - store: The stored readings.
  ///   - site: The site of the station.
  ///   - forecast: The runs at the site.
  ///   - moment: The time in seconds since 1970.
  /// - Returns: The offset; `nil` if no two readings are within five minutes of each other, as with
  ///   a sensor read every half hour, or if no run covers the time.
  /// - Throws: An SQLite error.
  package static func find(
    _ store: ReadingStore, _ site: Site, _ forecast: PointForecast, at moment: Int
  ) throws -> StationOffset? {
    let known = forecast.known(at: moment)
    let readings = try store.means(every: 300, from: moment - 3600, to: moment)
    guard readings.count >= 2 else { return nil }
    var offset = StationOffset(moment: moment)
    for metric in CorrectedMetric.allCases {
      // A mean over five minutes is assigned to the middle of its interval.
      let differences = readings.compactMap { reading in
        site.value(of: metric, in: reading).flatMap { value in
          site.model(metric, known, at: reading.time + 150).map { value - $0 }
        }
      }
      guard !differences.isEmpty else { continue }
      offset.values[metric] = differences.reduce(0, +) / Double(differences.count)
    }
    return offset.values.isEmpty ? nil : offset
  }

  /// Returns the offset of a metric.
  package subscript(metric: CorrectedMetric) -> Double? { values[metric] }

  private init(moment: Int) { self.moment = moment }
}

/// A metric that the station corrects.
package enum CorrectedMetric: String, CaseIterable, Sendable {
  case temperature = "temperature_2m"
  case humidity = "relative_humidity_2m"
  case seaLevelPressure = "pressure_msl"
}

/// The correction of the forecast at the station: the offset of the last hour, and what the station has learned about the
/// model.
package struct StationCorrection: Sendable {
  /// The offset of the last hour.
  package let offset: StationOffset
  /// What has been learned, by metric.
  package let learned: [CorrectedMetric: LearnedCorrection]

  package init(offset: StationOffset, learned: [CorrectedMetric: LearnedCorrection] = [:]) {
    (self.offset, self.learned) = (offset, learned)
  }

  /// Returns what is added to the model's value of a metric at a time; 0 more than an hour before the offset was
  /// determined.
  ///
  /// - Parameters:
  ///   - metric: The metric.
  ///   - moment: The time in seconds since 1970.
  /// - Returns: The correction in the unit of the metric; `nil` if the metric is not corrected.
  package func value(of metric: CorrectedMetric, at moment: Int) -> Double? {
    guard let difference = offset[metric] else { return nil }
    guard moment > offset.moment - 3600 else { return 0 }
    guard let learned = learned[metric] else {
      return difference * StationOffset.rest(after: Double(moment - offset.moment) / 3600)
    }
    return learned.correction(of: difference, since: offset.moment, at: moment)
  }
}

/// A way to correct the model's value.
package enum CorrectionMethod: String, CaseIterable, Sendable {
  /// The model's value as it is.
  case model
  /// The model's value plus the offset of the last hour, which decays.
  case offset
  /// The model's value plus its usual error at this hour of the day, plus the decaying rest of the offset.
  case learned

  /// Returns what the method adds to the model's value.
  ///
  /// - Parameters:
  ///   - offset: The offset when the forecast is made.
  ///   - usual: The usual difference at the time of the value, and at the time of the offset.
  ///   - ahead: The time of the value after that of the offset, in hours.
  /// - Returns: The correction.
  func correction(of offset: Double, usual: (then: Double, now: Double), ahead: Double) -> Double {
    let rest = StationOffset.rest(after: ahead)
    return switch self {
    case .model: 0
    case .offset: rest * offset
    case .learned: usual.then + rest * (offset - usual.now)
    }
  }
}

/// The usual difference between the station and the model at each hour of the day (UTC).
///
/// A day's difference counts half as much after 14 days. Neighbouring hours contribute with a Gaussian weight of 1.5 hours, and
/// three differences of zero are added, so that a few days do not count in full.
struct DailyBias: Sendable {
  private static let aging = exp2(-1.0 / 14)
  private static let prior = 3.0
  /// The weights of the hours at a distance of 0 to 12 hours.
  private static let weights = (0...12).map { exp(-0.5 * pow(Double($0) / 1.5, 2)) }

  private var sums = [Double](repeating: 0, count: 24)
  private var counts = [Double](repeating: 0, count: 24)

  /// Adds a difference at a time in seconds since 1970.
  mutating func take(_ difference: Double, at moment: Int) {
    let hour = CivilTime.modulo(moment, 86400) / 3600
    sums[hour] = sums[hour] * Self.aging + difference
    counts[hour] = counts[hour] * Self.aging + 1
  }

  /// The differences by hour of the day.
  var values: [Double] {
    (0..<24).map { hour in
      var (sum, count) = (0.0, Self.prior)
      for other in 0..<24 {
        let apart = abs(hour - other)
        let weight = Self.weights[min(apart, 24 - apart)]
        sum += weight * sums[other]
        count += weight * counts[other]
      }
      return sum / count
    }
  }
}

/// What the station has learned about the model's errors of one metric.
package struct LearnedCorrection: Sendable {
  /// The result for forecasts of one lead time.
  package struct Lead: Sendable {
    /// The lead time in hours.
    package let hours: Int
    /// The method in use: that with the smallest error; the offset as long as there are too few forecasts.
    package let method: CorrectionMethod
    /// The number of forecasts that were compared with the sensor.
    package let count: Int
    /// The mean absolute errors by method; `nil` if no forecast was compared.
    package let errors: [CorrectionMethod: Double]?
    /// The 10th and 90th percentile of the errors (sensor minus forecast) of the method in use; `nil` as long as there are too
    /// few forecasts.
    package let band: ClosedRange<Double>?
  }

  /// The usual difference between the station and the model, by hour of the day (UTC).
  let bias: [Double]
  /// The results by lead time, in ascending order.
  package let leads: [Lead]

  /// The time in hours after the longest lead time within which the correction ends.
  private static let ending = 24.0

  /// `true` if the learned correction is used for any lead time.
  package var isUsed: Bool { leads.contains { $0.method == .learned } }

  /// `true` if every lead time has too few forecasts to be judged.
  package var isLearning: Bool { leads.allSatisfy { $0.band == nil } }

  /// Returns what is added to the model's value.
  ///
  /// Between two lead times, the corrections of their methods are interpolated.
  ///
  /// - Parameters:
  ///   - offset: The offset of the last hour.
  ///   - start: The time at which the offset was determined, in seconds since 1970.
  ///   - moment: The time of the value in seconds since 1970.
  /// - Returns: The correction.
  package func correction(of offset: Double, since start: Int, at moment: Int) -> Double {
    let ahead = max(0, Double(moment - start) / 3600)
    let usual = (then: bias(at: moment), now: bias(at: start))
    func value(_ method: CorrectionMethod) -> Double {
      method.correction(of: offset, usual: usual, ahead: ahead)
    }
    guard let next = leads.firstIndex(where: { Double($0.hours) >= ahead }) else {
      guard let last = leads.last else { return value(.offset) }
      return value(last.method) * max(0, 1 - (ahead - Double(last.hours)) / Self.ending)
    }
    guard next > 0 else { return value(leads[0].method) }
    let (before, after) = (leads[next - 1], leads[next])
    let share = (ahead - Double(before.hours)) / Double(after.hours - before.hours)
    return (1 - share) * value(before.method) + share * value(after.method)
  }

  /// Returns the usual difference at a time, interpolated between full hours.
  private func bias(at moment: Int) -> Double {
    let second = CivilTime.modulo(moment, 86400)
    let (hour, share) = (second / 3600, Double(second % 3600) / 3600)
    return (1 - share) * bias[hour] + share * bias[(hour + 1) % 24]
  }
}

/// A full hour of the past: what the sensor measured, and what the model had forecast for it.
package struct PastHour: Sendable {
  /// The time in seconds since 1970.
  package let time: Int
  /// The measured value; `nil` if it is missing.
  package let measured: Double?
  /// The model's forecasts by lead time in hours.
  package let model: [Int: Double]

  package init(time: Int, measured: Double?, model: [Int: Double]) {
    (self.time, self.measured, self.model) = (time, measured, model)
  }
}

/// Learns the correction of one metric from past hours, and judges it only by forecasts for hours that it had not seen.
///
/// For every hour it makes the forecasts of all three methods with what was known then; when the forecast hour has passed, their
/// errors are added to the scores of the last 30 days. For each lead time the learned correction is used if its mean absolute
/// error was at least 2 % smaller than those of the others, after at least 240 forecasts (ten days).
package struct CorrectionLearner: Sendable {
  /// The lead times in hours that are judged.
  package static let leads = [1, 2, 3, 6, 9, 12, 18, 24, 36, 48]
  /// The number of forecasts after which a lead time is judged.
  package static let least = 240
  /// The time in seconds over which errors are averaged.
  package static let window = 30 * 86400

  /// What was known at an hour with a reading, without which the station corrects nothing.
  private struct Knowledge {
    let offset: Double
    let bias: [Double]
  }

  private var bias = DailyBias()
  private var known: [Int: Knowledge] = [:]
  private var scores = leads.map { LeadScore(hours: $0) }

  /// Creates a learner that has seen no hour.
  package init() {}

  /// Takes the next hour; hours are taken in ascending order.
  package mutating func take(_ hour: PastHour) {
    guard let measured = hour.measured else { return }
    let ofDay = CivilTime.modulo(hour.time, 86400) / 3600
    for index in scores.indices {
      scores[index].drop(before: hour.time - Self.window)
      let lead = scores[index].hours
      guard let model = hour.model[lead], let then = known[hour.time - lead * 3600] else {
        continue
      }
      let usual = (then: then.bias[ofDay], now: then.bias[CivilTime.modulo(ofDay - lead, 24)])
      func error(_ method: CorrectionMethod) -> Double {
        measured - model - method.correction(of: then.offset, usual: usual, ahead: Double(lead))
      }
      scores[index].take(
        LeadScore.Errors(
          time: hour.time, model: error(.model), offset: error(.offset), learned: error(.learned)))
    }
    guard let newest = (1...12).first(where: { hour.model[$0] != nil }).flatMap({ hour.model[$0] })
    else { return }
    bias.take(measured - newest, at: hour.time)
    known[hour.time] = Knowledge(offset: measured - newest, bias: bias.values)
    let oldest = hour.time - (Self.leads.last ?? 0) * 3600
    if known.count > 100 { known = known.filter { $0.key > oldest } }
  }

  /// What has been learned so far.
  package var learned: LearnedCorrection {
    LearnedCorrection(bias: bias.values, leads: scores.map(\.lead))
  }
}

/// Learns the corrections of all metrics from the store, hour by hour.
package struct StationLearner: Sendable {
  /// The time in seconds before the first learning of which the store is used.
  private static let memory = 45 * 86400

  private var learners = CorrectedMetric.allCases.map { (metric: $0, learner: CorrectionLearner()) }
  /// The last full hour that was taken.
  private var last: Int?

  /// Creates a learner that has seen no hour.
  package init() {}

  /// Takes the full hours since the last one.
  ///
  /// - Parameters:
  ///   - hour: The last full hour to take, in seconds since 1970, around which all readings are stored.
  ///   - store: The store of readings and forecasts.
  ///   - site: The site of the station.
  /// - Throws: An SQLite error.
  package mutating func learn(until hour: Int, from store: ReadingStore, _ site: Site) throws {
    let earliest = hour - CivilTime.modulo(hour, 3600) - Self.memory
    let from = max(last.map { $0 + 3600 } ?? earliest, earliest)
    guard from <= hour else { return }
    let truth = try store.meansAroundHours(from: from, to: hour + 300)
    for index in learners.indices {
      let metric = learners[index].metric
      let models = try store.modelValues(of: metric.rawValue, from: from, to: hour + 1)
      for time in stride(from: from, through: hour, by: 3600) {
        let measured = truth[time].flatMap { site.value(of: metric, in: $0) }
        learners[index].learner.take(
          PastHour(time: time, measured: measured, model: models[time] ?? [:]))
      }
    }
    last = from + (hour - from) / 3600 * 3600
  }

  /// What has been learned so far, by metric.
  package var learned: [CorrectedMetric: LearnedCorrection] {
    Dictionary(learners.map { ($0.metric, $0.learner.learned) }, uniquingKeysWith: { $1 })
  }
}

/// The errors of forecasts of one lead time, over the last 30 days.
private struct LeadScore {
  /// The errors of one forecast, sensor minus forecast.
  struct Errors {
    let time: Int
    let model, offset, learned: Double

    subscript(method: CorrectionMethod) -> Double {
      switch method {
      case .model: model
      case .offset: offset
      case .learned: learned
      }
    }
  }

  /// The part of the best error of the other methods that the learned correction may have.
  private static let gain = 0.98

  let hours: Int
  private var errors: [Errors] = []
  /// The index of the first error in the period; those before it are removed in one step.
  private var first = 0

  init(hours: Int) { self.hours = hours }

  mutating func take(_ one: Errors) { errors.append(one) }

  mutating func drop(before moment: Int) {
    while first < errors.count, errors[first].time < moment { first += 1 }
    guard first > 1000 else { return }
    errors.removeFirst(first)
    first = 0
  }

  var lead: LearnedCorrection.Lead {
    let recent = errors[first...]
    guard !recent.isEmpty else {
      return .init(hours: hours, method: .offset, count: 0, errors: nil, band: nil)
    }
    func mean(_ method: CorrectionMethod) -> Double {
      recent.reduce(0) { $0 + abs($1[method]) } / Double(recent.count)
    }
    let means = (model: mean(.model), offset: mean(.offset), learned: mean(.learned))
    let all: [CorrectionMethod: Double] = [
      .model: means.model, .offset: means.offset, .learned: means.learned,
    ]
    guard recent.count >= CorrectionLearner.least else {
      return .init(hours: hours, method: .offset, count: recent.count, errors: all, band: nil)
    }
    let method: CorrectionMethod =
      if means.learned <= Self.gain * min(means.model, means.offset) {
        .learned
      } else {
        means.offset <= means.model ? .offset : .model
      }
    let sorted = recent.map { $0[method] }.sorted()
    let (low, high) = (sorted[sorted.count / 10], sorted[sorted.count - 1 - sorted.count / 10])
    return .init(
      hours: hours, method: method, count: recent.count, errors: all, band: low...high)
  }
}
