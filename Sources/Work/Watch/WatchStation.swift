package import Barometry
package import Environment
import Quantities
package import Rigs
import Runs
import Support

/// The measurement cycles, averages and forecasts of a rig's pipeline during a watch.
///
/// The watch takes each sample at the same time as a run would, so both produce the same forecasts.
/// Times are in nanoseconds of the sensor's clock; times from before the start of the watch are
/// negative.
package struct WatchStation {
  /// A running or scheduled measurement cycle.
  private struct Cycle {
    var start: Int64
    var sample = 0
    var readings: [AirReading] = []
    var isOutside = false
  }

  /// The forecasters, together with the altitude of the sensor.
  let forecasters: Forecasters
  /// `true` if the rig has forecasters; otherwise Zambretti's forecast is displayed.
  let isOfRig: Bool
  /// The number of samples per cycle, and the interval between them.
  private let samples: Int, interval: Int64
  private let requests: [UInt64]
  package private(set) var history: PressureHistory
  private(set) var minutes = MinuteForecaster()
  /// The schedule; `nil` before the first sample.
  private var schedule: CycleSchedule?
  private var cycle = Cycle(start: 0)
  /// The end of the last measurement cycle; `nil` before the first one has ended.
  package private(set) var end: Int64?
  /// The mean pressure in Pa of the last measurement cycle; `nil` if too few samples were valid.
  private(set) var mean: Double?
  /// `true` if the pressure of the last measurement cycle was outside the sensor's specified range.
  private(set) var isOutside = false

  /// Creates the station of a rig.
  ///
  /// - Parameters:
  ///   - pipeline: the rig's pipeline, with forecasters.
  ///   - past: the averages in the rig's history file, with times of the sensor's clock.
  package init(_ pipeline: Pipeline, past: [PressurePoint] = []) {
    forecasters = Forecasters(pipeline)
    isOfRig = true
    samples = pipeline.samples
    interval = Int64(clamping: pipeline.sampleInterval)
    requests = pipeline.requests
    history = PressureHistory(retention: pipeline.retention)
    for point in past { try? history.append(point) }
  }

  /// Creates the station of a sensor without a rig: Zambretti's forecast from one pressure per
  /// minute.
  ///
  /// - Parameter altitude: the altitude of the sensor in m over its time; `nil` if unknown.
  package init(altitude: Profile? = nil) {
    forecasters = Forecasters(zambrettiEvery: UInt64(TimeSpan.minute), altitude: altitude)
    isOfRig = false
    (samples, interval, requests) = (1, TimeSpan.minute, [])
    history = PressureHistory(retention: 4 * TimeSpan.hour)
  }

  /// Returns the altitude in m at a time in seconds; `nil` if unknown.
  func altitude(at seconds: Double) -> Double? {
    forecasters.altitude?.value(at: Int64(seconds * 1e9))
  }

  /// The duration of a measurement cycle.
  var length: Int64 { Int64(samples - 1) * interval }
  /// The time of the next sample.
  private var due: Int64 { cycle.start + Int64(cycle.sample) * interval }

  /// The start of the running or next measurement cycle; `nil` before the first sample.
  var nextStart: Int64? { schedule == nil ? nil : cycle.start }
  /// The end of the running or next measurement cycle; `nil` before the first sample.
  var nextEnd: Int64? { nextStart.map { $0 + length } }
  /// The number of samples taken in the running cycle, and the number of samples per cycle.
  var progress: (taken: Int, of: Int) { (cycle.sample, samples) }

  /// Requests a forecast.
  ///
  /// A request during a cycle is answered by that cycle; between two cycles, a cycle starts now if
  /// it ends before the next one.
  ///
  /// - Parameter time: the current time.
  /// - Returns: the time of the answer; `nil` before the first sample.
  package mutating func request(at time: Int64) -> Int64? {
    if cycle.sample == 0, time + length + interval <= cycle.start {
      schedule?.postpone(start: cycle.start)
      cycle = Cycle(start: time)
    }
    return nextEnd
  }

  /// Returns the start of the first scheduled cycle at or after a time.
  func start(atOrAfter time: Int64) -> Int64 {
    cycle.start >= time ? cycle.start : schedule?.firstPlanned(atOrAfter: time) ?? time
  }

  /// The time of the next sample; `nil` before the first sample.
  package var nextSample: UInt64? { schedule == nil ? nil : UInt64(clamping: due) }

  /// Adds a sample, or records that a sample failed.
  ///
  /// - Parameters:
  ///   - reading: the sample; `nil` if it failed.
  ///   - outside: the quantities outside the sensor's specified range.
  ///   - time: the time.
  mutating func take(_ reading: AirReading?, outside: [Quantity] = [], at time: Int64) {
    if schedule == nil {
      guard reading != nil else { return }
      var schedule = CycleSchedule(every: forecasters.cycle, requests: requests, from: time)
      cycle = Cycle(start: schedule.next(after: nil).start)
      self.schedule = schedule
    }
    pass(to: time)
    guard time >= due else { return }
    if let reading {
      cycle.readings.append(reading)
      cycle.isOutside = cycle.isOutside || outside.contains(.pressure)
    }
    advance(at: time)
  }

  /// Advances the time; overdue samples count as missing.
  mutating func pass(to time: Int64) {
    guard schedule != nil else { return }
    let length = length
    let window = samples > 1 ? interval : Int64(clamping: forecasters.cycle)
    while time - due >= window {
      let missed = due
      if cycle.sample == 0 { schedule?.skip(to: time, length: length) }
      advance(at: missed)
    }
  }

  /// Advances to the next sample or the next cycle.
  private mutating func advance(at time: Int64) {
    cycle.sample += 1
    guard cycle.sample == samples else { return }
    conclude(at: time)
    cycle = Cycle(start: schedule?.next(after: time).start ?? time)
  }

  /// Ends a measurement cycle, and adds its average to the history if at least half of its samples
  /// are valid.
  private mutating func conclude(at time: Int64) {
    history.dropExpired(at: cycle.start)
    end = time
    isOutside = cycle.isOutside
    let pressures = cycle.readings.compactMap(\.pressure)
    let temperatures = cycle.readings.compactMap(\.temperature)
    mean = nil
    guard 2 * pressures.count >= samples, !isOutside, !temperatures.isEmpty else { return }
    let pressure = pressures.reduce(0, +) / Double(pressures.count)
    let celsius = temperatures.reduce(0, +) / Double(temperatures.count)
    mean = pressure
    let point = PressurePoint(
      time: cycle.start, pascals: forecasters.reduced(pressure, at: cycle.start, celsius))
    guard (try? history.append(point)) != nil else { return }
    if forecasters.methods.contains(.note) { minutes.take(point) }
  }
}

extension WatchStation {
  /// A forecast, or the reason why no forecast is available yet.
  enum Outlook: Hashable {
    /// The class, the letter or the code of a forecast, its text, and the change of the pressure in
    /// hPa/h.
    case forecast(word: String, text: String, rate: Double)
    /// The reason, and when the first forecast is possible in nanoseconds; `nil` if unknown.
    case pending(String, until: Int64?)
  }

  /// Returns the forecasts of the last cycle, in the order of the rig.
  ///
  /// - Parameter month: the month, 1 to 12.
  /// - Returns: each forecaster and its forecast.
  func outlooks(month: Int) -> [(method: Pipeline.Forecaster, outlook: Outlook)] {
    forecasters.methods.map { ($0, outlook($0, month)) }
  }

  private func outlook(_ method: Pipeline.Forecaster, _ month: Int) -> Outlook {
    // A history file is not evaluated before the first cycle of this watch.
    if end == nil, !history.points.isEmpty {
      return .pending("the first cycle is not complete", until: nextEnd)
    }
    if method == .thesis { return thesisOutlook }
    if isOutside { return unspecified }
    guard
      let forecast = forecasters.forecast(method, from: history, note: minutes.note, month: month)
    else { return pending(method) }
    let text =
      switch method {
      case .zambretti: "\(forecast.text) (Zambretti's \(forecast.word))"
      case .tendency: "\(forecast.text) (tendency \(forecast.word))"
      case .note, .thesis: words(forecast.word, forecast.rate, "AN3914")
      }
    return .forecast(word: forecast.word, text: text, rate: forecast.rate)
  }

  private var thesisOutlook: Outlook {
    if isOutside { return unspecified }
    let forecaster = forecasters.thesis
    do throws(ThesisForecaster.ForecastError) {
      let forecast = try forecaster.forecast(from: history, at: end ?? 0)
      let word = "\(forecast.trend.name)"
      return .forecast(
        word: word, text: words(word, forecast.rate, "thesis"), rate: forecast.rate)
    } catch {
      if case .tooOld = error { return .pending(error.sentence, until: nextEnd) }
      return .pending(error.sentence, until: possible(after: forecaster.minimumSpan))
    }
  }

  private var unspecified: Outlook {
    .pending(ThesisForecaster.ForecastError.outsideSpecification.sentence, until: nil)
  }

  /// Returns a forecast text with the rate of change of the pressure and its class by the limits of
  /// application note AN3914, such as `→ steady`.
  private func words(_ trend: String, _ rate: Double, _ method: String) -> String {
    "\(trend) \(PressureTrend(rate: rate).course), \(Decimal.signed(rate, 2)) hPa/h (\(method))"
  }

  private func pending(_ method: Pipeline.Forecaster) -> Outlook {
    if method == .note {
      let cycle = Int64(clamping: forecasters.cycle)
      return .pending(
        "AN3914 requires one pressure per minute for 35 minutes without a gap",
        until: nextEnd.map { $0 + Int64(minutes.minutesToForecast - 1) * cycle })
    }
    let name = method == .zambretti ? "Zambretti's forecast" : "the tendency"
    let until = possible(after: PressureTendency.span)
    guard until != nil || nextEnd == nil else {
      return .pending(
        "\(name) requires the pressure of three hours ago, but this rig keeps a shorter history ('keep')",
        until: nil)
    }
    return .pending(
      isOfRig
        ? "\(name) requires three hours of pressures" : "tendency and forecast require three hours",
      until: until)
  }

  /// Returns the time at which the history will cover `span` if no sample is missing; `nil` if
  /// unknown or never.
  private func possible(after span: Int64) -> Int64? {
    guard let next = nextStart else { return nil }
    let run = history.latestRun(withoutGapsOver: forecasters.maximumGap)
    let isBroken = run.last.map { next - $0.time > forecasters.maximumGap } ?? true
    let first = isBroken ? next : run.first?.time ?? next
    let start = start(atOrAfter: first + span)
    return start - first > history.retention ? nil : start + length
  }
}
