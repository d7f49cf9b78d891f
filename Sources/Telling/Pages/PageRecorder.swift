import Barometry
import DriverDefects
import Environment
import Parts
package import Plots
package import Quantities
import Reports
import Rigs
package import Runs
import Text

/// Gathers what a page shows of a run.
package final class PageRecorder: RunReport {
  private(set) var rig: Rig?
  private(set) var startMoment: Int64 = 0
  private(set) var verdict: Verdict?
  private(set) var faults: [RunEvent.FaultReport] = []
  private(set) var errors = 0
  private(set) var story: [(time: UInt64, text: String, isAlarm: Bool)] = []
  /// The moments that plots mark: hatches that were moved, the alarms of the pressure and the way to the safe haven.
  private(set) var marks: [(time: UInt64, text: String)] = []
  /// Whether the last forecast rests on pressures that stand in for the sensor's.
  private var restsOnBackup = false
  /// The forecasts where they change; `nil` from where on none could be made.
  private(set) var trends: [(time: UInt64, trend: PressureTrend?)] = []
  private(set) var otherForecasts: [Pipeline.Forecaster: [RunEvent.OtherForecast]] = [:]
  private(set) var leaks: [(start: UInt64, end: UInt64?)] = []
  private(set) var readings = 0
  /// The modules in one of which the leak is, as the search has it.
  private(set) var leaking: [String] = []
  /// The first report of a leak that knows its reserve time.
  private(set) var firstReserve: RunEvent.CabinReport?
  /// What the boards did.
  private(set) var boards: [RunEvent.BoardReport] = []
  /// When the safe haven was called, first.
  private(set) var haven: UInt64?
  /// The first alarm of the pressure.
  private(set) var level: RunEvent.CabinReport?
  /// What a program with defects shows, and the board, compared with the right result.
  private(set) var compared: [RunEvent.Comparison] = []
  /// The averages of the same, cycle by cycle.
  private(set) var comparedAverages: [RunEvent.Average] = []

  /// The lines of one sensor; shared, so that a reading adds to them in place.
  package final class Lines {
    package var pressure, air, temperature, airTemperature, humidity, water, rate, leak,
      charge: Plot.Series
    /// What a program with defects makes of the same bytes.
    package var wrongPressure, wrongTemperature, wrongHumidity: Plot.Series
    /// What the board's own thermometer shows.
    package var board: Plot.Series
    /// The sensor minus the air, in the kept units, where that is judged.
    package var deviations: PerQuantity<Plot.Series>
    /// When each quantity was outside of what the part is specified for, in seconds.
    package var outside = PerQuantity<[(start: Double, end: Double)]>(
      temperature: [], pressure: [], humidity: [])
    /// The time of the last reading, in seconds.
    fileprivate var last = 0.0

    /// Creates empty lines of a run that lasts so many seconds.
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

  /// The quantities whose distance from the air is judged, reading by reading.
  private var judged: [Quantity] = []

  private var counted: [Int: (time: Double, transfers: Int)] = [:]

  /// Creates a recorder.
  package init() {}

  /// Takes an event.
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
        story.append((error.time, "\(error.place.address): \(error.sentence)", true))
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
      lines(of: forecast.place).rate.append((seconds(forecast.time), made.rate))
    case .otherForecast(let forecast):
      let last = otherForecasts[forecast.method]?.last
      if last.map({ $0.marked($0.word) }) != forecast.marked(forecast.word) {
        otherForecasts[forecast.method, default: []].append(forecast)
      }
    case .comparison(let comparison): take(comparison)
    case .standIn(let event):
      let pressure = Decimal.fixed(Quantity.pressure.shown(event.pascals), 2)
      let text = "\(pressure) hPa from \(event.source) stand in, \(event.shift)"
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
    // The table shows a few of them; a long run keeps no more than it can choose from.
    if compared.count < 1000 { compared.append(comparison) }
    let (place, time) = (comparison.reading.place, seconds(comparison.reading.time))
    if let board = comparison.board { lines(of: place).board.append((time, board)) }
    guard let shown = comparison.shown?.values else { return }
    if let pascals = shown.pressure {
      lines(of: place).wrongPressure.append((time, Quantity.pressure.shown(pascals)))
    }
    if let celsius = shown.temperature {
      lines(of: place).wrongTemperature.append((time, celsius))
    }
    if let humidity = shown.humidity {
      lines(of: place).wrongHumidity.append((time, humidity))
    }
  }

  private func take(_ step: RunEvent.SearchStep) {
    story.append((step.time, step.sentence, false))
    switch step.step {
    case .moved(let sentence):
      // A picture has room for the move alone.
      marks.append((step.time, String(sentence.prefix { $0 != "," })))
    case .isolated(let names), .ended(let names): leaking = names
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

  /// The lines of a sensor, begun when it is first heard of.
  private func lines(of place: Rig.SensorID) -> Lines {
    if let known = lines[place] { return known }
    let begun = Lines(duration: seconds(rig?.duration ?? 0))
    lines[place] = begun
    return begun
  }

  private func seconds(_ time: UInt64) -> Double { Double(time) / 1e9 }

  private func take(_ reading: RunEvent.Reading) {
    readings += 1
    let time = seconds(reading.time)
    // Of a fleet the first parts stand for all; nobody looks at a hundred thousand lines.
    if let number = rig?.fleet?.partNumber(at: reading.place), number > 3 { return }
    let line = lines(of: reading.place)
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
      // Of µC: a milliampere hour is 3.6 C.
      line.charge.append((time, charge / 3600))
    }
  }

  /// Keeps the times in which a part measured what it is not specified for, from reading to reading.
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
            "\(quantity.rawValue) outside of what \(reading.place.address) is specified for", true
          ))
      }
    }
    line.last = time
  }

  /// Transfers a minute, a value for each hundredth of the run.
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
