import Barometry
import Diagnosis
import Environment
import Parts
package import Quantities
import Rigs
package import Runs
import Support

/// Records the events of a run that its page displays.
package final class PageRecorder: RunReport {
  private(set) var rig: Rig?
  private(set) var startMoment: Int64 = 0
  private(set) var verdict: Verdict?
  private(set) var faults: [RunEvent.FaultReport] = []
  private(set) var errors = 0
  private(set) var story: [(time: UInt64, text: String, isAlarm: Bool)] = []
  /// The times to mark in the plots, with labels: hatch moves, pressure alarms and the call to the
  /// safe haven.
  private(set) var marks: [(time: UInt64, text: String)] = []
  /// Whether the last forecast uses pressures from a backup source.
  private var restsOnBackup = false
  /// The times at which the forecast changed, with the new forecast; `nil` if no forecast is
  /// possible from that time on.
  private(set) var trends: [(time: UInt64, trend: PressureTrend?)] = []
  private(set) var otherForecasts: [Pipeline.Forecaster: [RunEvent.OtherForecast]] = [:]
  private(set) var leaks: [(start: UInt64, end: UInt64?)] = []
  private(set) var readings = 0
  /// The modules that may contain the leak, according to the search.
  private(set) var leaking: [String] = []
  /// The first report that contains a reserve time, which is the time left until the pressure
  /// limit.
  private(set) var firstReserve: RunEvent.CabinReport?
  private(set) var boards: [RunEvent.BoardReport] = []
  /// The time at which the crew is first called to the safe haven.
  private(set) var haven: UInt64?
  /// The report of the first pressure alarm.
  private(set) var level: RunEvent.CabinReport?
  /// The results of a program with defects and of the board's own sensor, with the correct results.
  private(set) var compared: [RunEvent.Comparison] = []
  /// The averages of the compared values, one for each measuring cycle, up to the first thousand.
  private(set) var comparedAverages: [RunEvent.Average] = []

  /// The plotted lines of one sensor.
  ///
  /// This is a class so that readings are appended without copies.
  package final class Lines {
    package var pressure, air, temperature, airTemperature, humidity, water, rate, leak,
      charge: Plot.Series
    /// The values that a program with defects computes from the same bytes.
    package var wrongPressure, wrongTemperature, wrongHumidity: Plot.Series
    /// The temperature of the board's own sensor.
    package var board: Plot.Series
    /// The sensor's value minus the air's value, in stored units, for each quantity for which an
    /// expectation limits this difference.
    package var deviations: PerQuantity<Plot.Series>
    /// The intervals in seconds in which each quantity was outside the part's specified range.
    package var outside = PerQuantity<[(start: Double, end: Double)]>(
      temperature: [], pressure: [], humidity: [])
    /// The time of the last reading in seconds.
    fileprivate var last = 0.0

    /// Creates empty lines for a run with a duration in seconds.
    package init(duration: Double) {
      func series(_ name: String) -> Plot.Series { Plot.Series(name: name, duration: duration) }
      (pressure, temperature, humidity) = (series("sensor"), series("sensor"), series("sensor"))
      (air, airTemperature, water) = (series("air"), series("air"), series("air"))
      (rate, leak, charge) = (series("rate"), series("rate"), series("charge"))
      let wrong = Plot.Series(name: "with defects", duration: duration, isWrong: true)
      (wrongPressure, wrongTemperature, wrongHumidity) = (wrong, wrong, wrong)
      board = series("board")
      let deviation = series("sensor minus air")
      deviations = PerQuantity(temperature: deviation, pressure: deviation, humidity: deviation)
    }
  }

  private(set) var lines: [Rig.SensorID: Lines] = [:]
  private(set) var activity: [Int: Plot.Series] = [:]

  /// The quantities for which an expectation limits the difference between sensor and air.
  private var judged: [Quantity] = []

  private var counted: [Int: (time: Double, transfers: Int)] = [:]

  package init() {}

  /// Records an event.
  package func take(_ event: RunEvent) {
    switch event {
    case .began(let rig, let startMoment):
      (self.rig, self.startMoment) = (rig, startMoment)
      judged = Quantity.allCases.filter { quantity in
        rig.expectations.contains { $0.limit(of: quantity) != nil }
      }
    case .reading(let reading): take(reading)
    case .error(let error):
      errors += 1
      if errors <= 20 {
        story.append((error.time, "\(error.sensorID.address): \(error.sentence)", true))
      }
    case .forecast(let forecast):
      guard let made = try? forecast.result.get() else {
        if trends.last?.trend != nil { trends.append((forecast.time, nil)) }
        break
      }
      if trends.last?.trend != made.trend { trends.append((forecast.time, made.trend)) }
      if forecast.standIns > 0, !restsOnBackup {
        story.append((forecast.time, forecast.marked("forecast: \(made.trend.name)"), true))
      }
      restsOnBackup = forecast.standIns > 0
      lines(of: forecast.sensorID).rate.append((seconds(forecast.time), made.rate))
    case .otherForecast(let forecast):
      let last = otherForecasts[forecast.method]?.last
      if last.map({ $0.marked($0.word) }) != forecast.marked(forecast.word) {
        otherForecasts[forecast.method, default: []].append(forecast)
      }
    case .comparison(let comparison): take(comparison)
    case .standIn(let event):
      let pressure = Decimal.fixed(Quantity.pressure.shown(event.pascals), 2)
      let text = "\(pressure) hPa from \(event.source) used instead, \(event.shift)"
      story.append((event.time, text, true))
    case .average(let average):
      if average.compared != nil, comparedAverages.count < 1000 {
        comparedAverages.append(average)
      }
    case .traffic(let report): take(report)
    case .cabin(let report): take(report)
    case .search(let step): take(step)
    case .haven(let report):
      haven = haven ?? report.time
      let text = "SAFE HAVEN: \(report.sentence)"
      story.append((report.time, text, true))
      marks.append((report.time, text))
    case .level(let report):
      let text = "\(report.assessment.level.words.map { "\($0)" } ?? ""): \(report.sentence)"
      level = level ?? report
      story.append((report.time, text, true))
      marks.append((report.time, text))
    case .board(let board): boards.append(board)
    case .fault(let fault): faults.append(fault)
    case .verdict(let verdict): self.verdict = verdict
    default: break
    }
  }

  private func take(_ comparison: RunEvent.Comparison) {
    // The page displays only a selection of the comparisons.
    if compared.count < 1000 { compared.append(comparison) }
    let (sensorID, time) = (comparison.reading.sensorID, seconds(comparison.reading.time))
    if let board = comparison.board { lines(of: sensorID).board.append((time, board)) }
    guard let shown = comparison.shown?.values else { return }
    if let pascals = shown.pressure {
      lines(of: sensorID).wrongPressure.append((time, Quantity.pressure.shown(pascals)))
    }
    if let celsius = shown.temperature {
      lines(of: sensorID).wrongTemperature.append((time, celsius))
    }
    if let humidity = shown.humidity {
      lines(of: sensorID).wrongHumidity.append((time, humidity))
    }
  }

  private func take(_ step: RunEvent.SearchStep) {
    story.append((step.time, step.sentence, false))
    switch step.step {
    case .moved(let sentence):
      // A plot has room only for the first clause, which names the move.
      marks.append((step.time, String(sentence.prefix { $0 != "," })))
    case .isolated(let names), .side(let names), .ended(let names): leaking = names
    case .found(let name): leaking = [name]
    case .cleared, .unanswered, .overdue: break
    }
  }

  private func take(_ report: RunEvent.CabinReport) {
    let isLeak = report.assessment.status == .leak
    if firstReserve == nil, report.assessment.reserve != nil { firstReserve = report }
    story.append(
      (
        report.time, report.sentence,
        isLeak || [.fault, .low, .high].contains(report.assessment.status)
      ))
    let isOpen = leaks.last.map { $0.end == nil } ?? false
    if isLeak, !isOpen { leaks.append((report.time, nil)) }
    if !isLeak, isOpen { leaks[leaks.count - 1].end = report.time }
  }

  /// Returns the lines of a sensor, creating them at the first call.
  private func lines(of sensorID: Rig.SensorID) -> Lines {
    if let known = lines[sensorID] { return known }
    let begun = Lines(duration: seconds(rig?.duration ?? 0))
    lines[sensorID] = begun
    return begun
  }

  private func seconds(_ time: UInt64) -> Double { Double(time) / 1e9 }

  private func take(_ reading: RunEvent.Reading) {
    readings += 1
    let time = seconds(reading.time)
    // Only the first three sensors of a fleet are recorded.
    if let number = rig?.fleet?.partNumber(at: reading.sensorID), number > 3 { return }
    let line = lines(of: reading.sensorID)
    take(reading.outside, at: time, of: line, reading)
    if let pascals = reading.sample.pascals {
      line.pressure.append((time, Quantity.pressure.shown(pascals)))
    }
    if let celsius = reading.sample.celsius { line.temperature.append((time, celsius)) }
    if let humidity = reading.sample.relativeHumidity {
      line.humidity.append((time, humidity))
    }
    if let air = reading.air {
      line.air.append((time, Quantity.pressure.shown(air.pressure)))
      line.airTemperature.append((time, air.temperature))
      line.water.append((time, air.humidity))
      for quantity in judged {
        guard let value = reading.sample[quantity] else { continue }
        line.deviations[quantity].append((time, value - air[quantity]))
      }
    }
    if let rate = reading.leakRate {
      line.leak.append((time, rate.value * 60 / PressureUnit.millimetreOfMercury.pascals))
    }
    if let charge = reading.charge {
      // Convert µC to µAh: 1 mAh is 3.6 C.
      line.charge.append((time, charge / 3600))
    }
  }

  /// Records the intervals in which a part measures outside its specified range.
  private func take(
    _ outside: [Quantity], at time: Double, of line: Lines, _ reading: RunEvent.Reading
  ) {
    for quantity in outside {
      if let open = line.outside[quantity].last, open.end == line.last {
        line.outside[quantity][line.outside[quantity].count - 1].end = time
      } else {
        line.outside[quantity].append((time, time))
        story.append(
          (
            reading.time,
            "\(quantity.rawValue) outside the specified range of \(reading.sensorID.address)",
            true
          ))
      }
    }
    line.last = time
  }

  /// Records the transfers per minute on a bus since its last report; reports arrive after each
  /// hundredth of the run.
  private func take(_ report: RunEvent.TrafficReport) {
    guard !report.isFinal else { return }
    let time = seconds(report.time)
    let last = counted[report.bus] ?? (0, 0)
    let perMinute = Double(report.transfers - last.transfers) / (time - last.time) * 60
    activity[report.bus, default: Plot.Series(name: "bus \(report.bus)")]
      .append((time, perMinute))
    counted[report.bus] = (time, report.transfers)
  }
}
