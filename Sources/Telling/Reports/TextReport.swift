import Barometry
import Environment
import I2C
import Parts
package import Plots
import Quantities
package import Rigs
package import Runs
package import Text
import VirtualI2C

/// A run for people: a row where something changes, a chart, the verdict.
package final class TextReport: RunReport {
  private let print: (String) -> Void
  package let style: Style
  /// How wide the lines may be; as long as they are where that is `nil`.
  package let columns: Int?

  // What the rows and the chart are made of.
  package var rig: Rig?
  package var startMoment: Int64 = 0
  /// The means of pressure in hPa over the seconds at which they began.
  package var pressures = Plot.Series(name: "pressure")
  /// When the forecasts were made and what they were, without those between two that are the same.
  private(set) var forecasts: [(time: UInt64, trend: PressureTrend?)] = []
  private var otherForecasts: [String: String] = [:]
  var pending: [Rig.SensorID: RunEvent.Average] = [:]
  var shown: [Rig.SensorID: (word: String, time: UInt64)] = [:]
  private var counts: [RunEvent.Kind: Int] = [:]
  private var withheld = 0
  /// How many lines firmware has sent, and how many of them are shown.
  private var serialLines = 0
  private static let shownSerialLines = 200
  /// How many averages came, how many of them have a row, and whether the columns have their heads.
  var averages = 0, rows = 0, hasHeads = false
  /// What was compared with the results; of many, some at equal distances.
  private(set) var comparisons: [RunEvent.Comparison] = []
  private(set) var comparisonsStep = 1, comparisonsSeen = 0
  /// The averages with which something was compared, as many as a table can choose from.
  private(set) var comparedAverages: [RunEvent.Average] = []

  /// Creates a report that prints to something.
  ///
  /// - Parameters:
  ///   - style: whether it is coloured.
  ///   - columns: how wide a line may be; `nil` leaves all lines whole.
  ///   - print: takes the lines.
  package init(style: Style, columns: Int? = nil, to print: @escaping (String) -> Void) {
    self.style = style
    self.columns = columns
    self.print = print
  }

  /// Tells the event, or keeps it for the chart.
  package func take(_ event: RunEvent) {
    counts[event.kind, default: 0] += 1
    switch event {
    case .began(let rig, let startMoment):
      self.rig = rig
      self.startMoment = startMoment
      head(of: rig).forEach { line($0) }
    case .reading: break
    case .error(let error):
      note(.red, error.time, "\(label(error.place))\(error.sentence)")
    case .saturated(let event): tell(event)
    case .average(let average): take(average)
    case .standIn(let event):
      note(
        .yellow, event.time,
        "\(label(event.place))the sensor is lost; \(Decimal.fixed(Quantity.pressure.shown(event.pascals), 2)) "
          + "hPa from \(event.source.visible) stand in for it, \(event.shift)")
    case .forecast(let forecast): tell(forecast)
    case .otherForecast(let forecast): tell(forecast)
    case .cabin(let report):
      note(report.assessment.status.look, report.time, label(report.place) + report.sentence)
    case .search(let step): note(.bold, step.time, label(step.place) + step.sentence)
    case .haven(let report):
      note(.red, report.time, "SAFE HAVEN: " + label(report.place) + report.sentence)
    case .level(let report):
      let word = report.assessment.level.words.map { "\($0): " } ?? ""
      note(.red, report.time, word + label(report.place) + report.sentence)
    case .comparison(let comparison): keep(comparison)
    case .notification(let notification):
      if notification.wasRun {
        note(.faint, notification.time, "ran \(notification.command.joined(separator: " "))")
      } else {
        withheld += 1
      }
    case .fault(let report):
      let look: Style.Look = report.fault.hasFired(report.count) ? .yellow : .red
      note(
        look, report.time,
        report.fault.firings(report.count, place: place(of: report)) + when(report))
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
    case .traffic, .replay, .notice, .charge, .remark, .consumption, .footprint, .ended, .failure:
      break
    }
  }

  private func take(_ average: RunEvent.Average) {
    if let pressure = average.means.pressure {
      pressures.append((Double(average.start) / 1e9, Quantity.pressure.shown(pressure.measured)))
    }
    pending[average.place] = average
    if average.compared != nil, comparedAverages.count < 1000 { comparedAverages.append(average) }
    if rig?.pipeline?.forecasters.contains(.thesis) == false {
      row(average.place, word: "", rate: nil)
    }
  }

  /// Prints a line, over several where the terminal is narrower; those behind the first are set in.
  package func line(_ text: String, indent: Int = 2) {
    guard !text.isEmpty else { return print("\n") }
    let shown = TerminalText.line(text)
    let lines = columns.map { TerminalText.wrapped(shown, $0 - 2, indent: indent) } ?? [shown]
    lines.forEach { print("  \($0)\n") }
  }

  private func tell(_ forecast: RunEvent.ForecastResult) {
    switch forecast.result {
    case .success(let made):
      keep(made.trend, at: forecast.time)
      if forecast.standIns > 0, pending[forecast.place] == nil {
        note(
          .yellow, forecast.time,
          "\(label(forecast.place))forecast \(forecast.marked("\(made.trend.name)"))")
      }
      row(
        forecast.place, word: forecast.marked("\(made.trend.name)"), rate: made.rate,
        trend: made.trend)
    case .failure(let refusal):
      keep(nil, at: forecast.time)
      // The row says of which quantity.
      let isSaid =
        if case .outsideSpecification = refusal {
          pending[forecast.place]?.outside.isEmpty == false
        } else {
          false
        }
      row(forecast.place, word: isSaid ? "none" : "none: \(refusal.sentence)", rate: nil)
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
    // Of several in a row that are the same, the first and the last are enough.
    let last = forecasts.count - 1
    if last > 0, forecasts[last].trend == trend, forecasts[last - 1].trend == trend {
      forecasts[last].time = time
    } else {
      forecasts.append((time, trend))
    }
  }

  /// Tells what another forecaster says, when that is new.
  private func tell(_ forecast: RunEvent.OtherForecast) {
    let key = "\(forecast.place) \(forecast.method)"
    let word = forecast.marked(forecast.word)
    guard otherForecasts[key] != word else { return }
    otherForecasts[key] = word
    let text = forecast.marked(
      forecast.text.isEmpty ? forecast.word : "\(forecast.word), \(forecast.text)")
    line(
      clock(forecast.time) + "  " + label(forecast.place)
        + style(.faint, forecast.method.rawValue.right(10)) + "  " + text, indent: 13)
  }

  private func tell(_ event: RunEvent.SaturatedReading) {
    let unit = event.channel.keptSymbol
    note(
      .yellow, event.time,
      "\(label(event.place))the part cannot express a \(event.channel.rawValue) of "
        + "\(Decimal.fixed(event.shortfall.asked, 2)) \(unit); the nearest is "
        + "\(Decimal.fixed(event.shortfall.nearest, 2)) \(unit)")
  }

  private func note(_ look: Style.Look, _ time: UInt64, _ text: String) {
    line(clock(time) + "  " + style(look, text), indent: 13)
  }

  /// Which sensor, where there are several.
  package func label(_ place: Rig.SensorID) -> String {
    guard rig?.pipeline?.sensors.count ?? 0 > 1 else { return "" }
    let name = place.part.map { "\($0)  " } ?? ""
    return "\(name)\(place.bus):\(place.address)  "
  }

  /// A time of the run as a moment, or as seconds where no moment is known.
  package func clock(_ time: UInt64) -> String {
    guard startMoment != 0 else { return Decimal.elapsed(time).right(11) }
    return String(UTCTime.text(startMoment + Int64(time)).dropFirst(5).dropLast(3))
  }

  /// Where a fault was planned, where there are several places.
  private func place(of report: RunEvent.FaultReport) -> String {
    guard rig?.pipeline?.sensors.count ?? 0 > 1 else { return "" }
    return " on bus \(report.fault.bus)" + (report.fault.plan.address.map { " at \($0)" } ?? "")
  }

  /// From when to when it fired.
  private func when(_ report: RunEvent.FaultReport) -> String {
    guard let span = report.span else { return "" }
    let (first, last) = (clock(span.first), clock(span.last))
    func plain(_ text: String) -> String { String(text.drop { $0 == " " }) }
    return first == last ? ", at \(plain(first))" : ", from \(plain(first)) to \(plain(last))"
  }

  /// How many events of a kind there were, in words; `nil` where that is not worth a word.
  private func counted(_ kind: RunEvent.Kind) -> String? {
    let count = counts[kind] ?? 0
    guard let words = kind.words, count > 0 || kind.isAlwaysTold else { return nil }
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
          "... \(serialLines - Self.shownSerialLines) more lines, which --format jsonl tells"),
        at: 0)
    }
    if withheld > 0 {
      lines.append(style(.faint, "\(withheld) notifications, none run without --allow-run"))
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
  /// The colour of the class.
  package var look: Style.Look {
    switch self {
    case .notStable: .yellow
    case .goodWeather: .green
    case .stable: .cyan
    case .rainy: .blue
    case .thunderStorm: .red
    }
  }

  /// The mark of the class in a strip of forecasts.
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
  /// The colour of the status.
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
