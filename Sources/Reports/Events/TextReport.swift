import Barometry
import Environment
import I2C
import Parts
import Quantities
package import Rigs
package import Runs
package import Support
import VirtualI2C

/// A text report with a row for each change, a chart and the verdict.
package final class TextReport: RunReport {
  private let print: (String) -> Void
  package let style: Style
  /// The maximum width of lines in columns; `nil` for no limit.
  package let columns: Int?

  // The state for the rows and the chart.
  package var rig: Rig?
  package var startMoment: Int64 = 0
  /// The average pressures in hPa, with the start time of each average in seconds.
  package var pressures = Plot.Series(name: "pressure")
  /// The forecasts with their times.
  ///
  /// Of consecutive equal forecasts, only the first and the last are stored.
  private(set) var forecasts: [(time: UInt64, trend: PressureTrend?)] = []
  private var otherForecasts: [String: String] = [:]
  var pending: [Rig.SensorID: RunEvent.Average] = [:]
  var shown: [Rig.SensorID: (word: String, time: UInt64)] = [:]
  private var counts: [RunEvent.Kind: Int] = [:]
  private var withheld = 0
  /// The number of lines sent by firmware.
  private var serialLines = 0
  private static let shownSerialLines = 200
  /// The number of averages, the number of printed rows, and whether the column names were printed.
  var averages = 0, rows = 0, hasHeads = false
  /// The results of a program with defects and of the board's own sensor, with the correct results.
  ///
  /// If there are many, only every n-th is stored.
  private(set) var comparisons: [RunEvent.Comparison] = []
  private(set) var comparisonsStep = 1, comparisonsSeen = 0
  /// The averages in which the sensor is compared with a program with defects or with the board, up
  /// to the first thousand.
  private(set) var comparedAverages: [RunEvent.Average] = []

  /// Creates a report that prints with a closure.
  ///
  /// - Parameters:
  ///   - style: the style, with or without colours.
  ///   - columns: the maximum width of lines; `nil` for no limit.
  ///   - print: the closure that prints text.
  package init(style: Style, columns: Int? = nil, to print: @escaping (String) -> Void) {
    self.style = style
    self.columns = columns
    self.print = print
  }

  /// Prints the event, or stores it for the rows, the chart or the tables.
  package func take(_ event: RunEvent) {
    counts[event.kind, default: 0] += 1
    switch event {
    case .began(let rig, let startMoment):
      self.rig = rig
      self.startMoment = startMoment
      head(of: rig).forEach { line($0) }
    case .reading: break
    case .error(let error):
      note(.red, error.time, "\(label(error.sensorID))\(error.sentence)")
    case .saturated(let event): report(event)
    case .average(let average): take(average)
    case .standIn(let event):
      note(
        .yellow, event.time,
        "\(label(event.sensorID))the sensor is lost; \(Decimal.fixed(Quantity.pressure.shown(event.pascals), 2)) "
          + "hPa from \(event.source.visible) are used instead, \(event.shift)")
    case .forecast(let forecast): report(forecast)
    case .otherForecast(let forecast): report(forecast)
    case .cabin(let report):
      note(report.assessment.status.look, report.time, label(report.sensorID) + report.sentence)
    case .search(let step): note(.bold, step.time, label(step.sensorID) + step.sentence)
    case .haven(let report):
      note(.red, report.time, "SAFE HAVEN: " + label(report.sensorID) + report.sentence)
    case .level(let report):
      let word = report.assessment.level.words.map { "\($0): " } ?? ""
      note(.red, report.time, word + label(report.sensorID) + report.sentence)
    case .comparison(let comparison): keep(comparison)
    case .notification(let notification):
      if notification.wasRun {
        note(.faint, notification.time, "ran \(notification.command.joined(separator: " "))")
      } else {
        withheld += 1
      }
    case .fault(let report):
      let look: Style.Look = report.fault.hasFired ? .yellow : .red
      note(
        look, report.time,
        report.fault.firings(location: location(of: report)) + when(report))
    case .board(let board):
      line("")
      board.sentences.forEach { line($0) }
    case .verdict(let verdict):
      rowsNote.forEach { line($0) }
      chart().forEach { line($0) }
      let tables = averageTables()
      (tables.isEmpty ? comparisonTable() : tables).forEach { line($0, indent: 13) }
      foot(verdict).forEach { line($0, indent: 6) }
    case .serial(let sent):
      serialLines += 1
      guard serialLines <= Self.shownSerialLines else { break }
      note(.faint, sent.time, "\(sent.port): \(sent.text)")
    case .screen(let screen): screen.drawing.forEach { line($0) }
    case .pin, .traffic, .replay, .notice, .charge, .warning, .consumption, .footprint, .ended,
      .failure:
      break
    }
  }

  private func take(_ average: RunEvent.Average) {
    if let pressure = average.means.pressure {
      pressures.append((Double(average.start) / 1e9, Quantity.pressure.shown(pressure.measured)))
    }
    pending[average.sensorID] = average
    if average.compared != nil, comparedAverages.count < 1000 { comparedAverages.append(average) }
    if rig?.pipeline?.forecasters.contains(.thesis) == false {
      row(average.sensorID, word: "", rate: nil)
    }
  }

  /// Prints a line, wrapped to the width of the report.
  ///
  /// Continuation lines are indented. Default: by 2 columns.
  package func line(_ text: String, indent: Int = 2) {
    guard !text.isEmpty else { return print("\n") }
    let shown = TerminalText.line(text)
    let lines = columns.map { TerminalText.wrapped(shown, $0 - 2, indent: indent) } ?? [shown]
    lines.forEach { print("  \($0)\n") }
  }

  private func report(_ forecast: RunEvent.ForecastResult) {
    switch forecast.result {
    case .success(let made):
      keep(made.trend, at: forecast.time)
      if forecast.standIns > 0, pending[forecast.sensorID] == nil {
        note(
          .yellow, forecast.time,
          "\(label(forecast.sensorID))forecast \(forecast.marked("\(made.trend.name)"))")
      }
      row(
        forecast.sensorID, word: forecast.marked("\(made.trend.name)"), rate: made.rate,
        trend: made.trend)
    case .failure(let refusal):
      keep(nil, at: forecast.time)
      // The row itself names the quantity that is outside its range.
      let isSaid =
        if case .outsideSpecification = refusal {
          pending[forecast.sensorID]?.outside.isEmpty == false
        } else {
          false
        }
      row(forecast.sensorID, word: isSaid ? "none" : "none: \(refusal.sentence)", rate: nil)
    }
  }

  private func keep(_ comparison: RunEvent.Comparison) {
    if comparisonsSeen % comparisonsStep == 0 { comparisons.append(comparison) }
    comparisonsSeen += 1
    guard comparisons.count > 10_000 else { return }
    comparisons = stride(from: 0, to: comparisons.count, by: 2).map { comparisons[$0] }
    comparisonsStep *= 2
  }

  private func keep(_ trend: PressureTrend?, at time: UInt64) {
    // Of consecutive equal forecasts, store only the first and the last.
    let last = forecasts.count - 1
    if last > 0, forecasts[last].trend == trend, forecasts[last - 1].trend == trend {
      forecasts[last].time = time
    } else {
      forecasts.append((time, trend))
    }
  }

  /// Prints the forecast of an additional forecaster (one other than the thesis's) if this forecast
  /// has changed.
  private func report(_ forecast: RunEvent.OtherForecast) {
    let key = "\(forecast.sensorID) \(forecast.method)"
    let word = forecast.marked(forecast.word)
    guard otherForecasts[key] != word else { return }
    otherForecasts[key] = word
    let text = forecast.marked(
      forecast.text.isEmpty ? forecast.word : "\(forecast.word), \(forecast.text)")
    line(
      clock(forecast.time) + "  " + label(forecast.sensorID)
        + style(.faint, forecast.method.rawValue.right(10)) + "  " + text, indent: 13)
  }

  private func report(_ event: RunEvent.SaturatedReading) {
    let unit = event.channel.keptSymbol
    note(
      .yellow, event.time,
      "\(label(event.sensorID))the part cannot represent a \(event.channel.rawValue) of "
        + "\(Decimal.fixed(event.shortfall.requested, 2)) \(unit); nearest value: "
        + "\(Decimal.fixed(event.shortfall.nearest, 2)) \(unit)")
  }

  private func note(_ look: Style.Look, _ time: UInt64, _ text: String) {
    line(clock(time) + "  " + style(look, text), indent: 13)
  }

  /// Returns the label of a sensor; empty if there is only one sensor.
  package func label(_ sensorID: Rig.SensorID) -> String {
    guard rig?.pipeline?.sensors.count ?? 0 > 1 else { return "" }
    let name = sensorID.part.map { "\($0)  " } ?? ""
    return "\(name)\(sensorID.bus):\(sensorID.address)  "
  }

  /// Formats a time in the run as calendar time if that is known, otherwise as the time since the
  /// start.
  package func clock(_ time: UInt64) -> String {
    guard startMoment != 0 else { return Decimal.elapsed(time).right(11) }
    return String(UTCTime.text(startMoment + Int64(time)).dropFirst(5).dropLast(3))
  }

  /// Returns the bus and address of a fault; empty if there is only one sensor.
  private func location(of report: RunEvent.FaultReport) -> String {
    guard rig?.pipeline?.sensors.count ?? 0 > 1 else { return "" }
    return " on bus \(report.fault.bus)" + (report.fault.plan.address.map { " at \($0)" } ?? "")
  }

  /// Returns a clause with the times at which a fault first and last fired.
  private func when(_ report: RunEvent.FaultReport) -> String {
    guard let span = report.fault.plan.span else { return "" }
    let (first, last) = (clock(span.first), clock(span.last))
    func plain(_ text: String) -> String { String(text.drop { $0 == " " }) }
    return first == last ? ", at \(plain(first))" : ", from \(plain(first)) to \(plain(last))"
  }

  /// Returns the number of events of a kind as text; `nil` for kinds that are not summarised.
  private func counted(_ kind: RunEvent.Kind) -> String? {
    let count = counts[kind] ?? 0
    guard let words = kind.words, count > 0 || kind.isAlwaysReported else { return nil }
    let text = "\(count) \(count == 1 ? words.one : words.many)"
    return kind == .error ? style(.red, text) : text
  }

  private func foot(_ verdict: Verdict) -> [String] {
    var lines = [
      "",
      RunEvent.Kind.allCases.compactMap(counted).joined(separator: ", "),
    ]
    if serialLines > Self.shownSerialLines {
      lines.insert(
        style(
          .faint,
          "... \(serialLines - Self.shownSerialLines) more lines; use --format jsonl for all"),
        at: 0)
    }
    if withheld > 0 {
      lines.append(
        style(.faint, "\(withheld) notifications not run; --allow-run runs their programs"))
    }
    for finding in verdict.findings {
      let mark = finding.passed ? style(.green, "ok  ") : style(.red, "FAIL")
      lines.append(
        "\(mark)  \(finding.expectation.title.visible): \(style(.faint, finding.detail))")
    }
    if !verdict.findings.isEmpty {
      let passed = verdict.findings.count - verdict.failed
      let text = "\(passed) of \(verdict.findings.count) expectations met"
      lines.append(verdict.passed ? style(.green, text) : style(.red, text))
    }
    return lines
  }
}

extension PressureTrend {
  /// The colour in which the forecast is printed.
  package var look: Style.Look {
    switch self {
    case .notStable: .yellow
    case .goodWeather: .green
    case .stable: .cyan
    case .rainy: .blue
    case .thunderStorm: .red
    }
  }

  /// The mark of this forecast in the strip of forecasts below the chart.
  package var mark: String {
    switch self {
    case .notStable: "▲"
    case .goodWeather: "+"
    case .stable: "="
    case .rainy: "-"
    case .thunderStorm: "▼"
    }
  }
}

extension LeakAssessment.Status {
  /// The colour in which the leak status is printed.
  package var look: Style.Look {
    switch self {
    case .settling: .faint
    case .stable: .green
    case .rising: .cyan
    case .outside: .yellow
    case .leak, .stale, .fault, .low, .high: .red
    }
  }
}
