import Barometry
import Quantities
import Rigs
import Runs
import Text

extension WatchStation {
  /// What a forecaster says, or why it says nothing yet.
  enum Outlook: Hashable {
    /// A forecast in words.
    case forecast(String)
    /// Why there is none, and when the first one is possible in nanoseconds; `nil` if that cannot be known.
    case pending(String, until: Int64?)
  }

  /// The forecasts of the last cycle, in the order of the rig.
  ///
  /// - Parameter month: the month, 1 to 12.
  /// - Returns: each forecaster and its outlook.
  func outlooks(month: Int) -> [(method: Pipeline.Forecaster, outlook: Outlook)] {
    forecasters.methods.map { ($0, outlook($0, month)) }
  }

  private func outlook(_ method: Pipeline.Forecaster, _ month: Int) -> Outlook {
    // What a history file holds is not judged before the first cycle of this watch.
    if end == nil, !history.points.isEmpty {
      return .pending("the first cycle has not ended", until: nextEnd)
    }
    if method == .thesis { return thesisOutlook }
    if isOutside { return unspecified }
    guard
      let forecast = forecasters.forecast(method, from: history, note: minutes.note, month: month)
    else { return pending(method) }
    switch method {
    case .zambretti: return .forecast("\(forecast.text) (Zambretti's \(forecast.word))")
    case .tendency: return .forecast("\(forecast.text) (tendency \(forecast.word))")
    case .note, .thesis: return .forecast(words(forecast.word, forecast.rate, "AN3914"))
    }
  }

  private var thesisOutlook: Outlook {
    if isOutside { return unspecified }
    let forecaster = forecasters.thesis
    do throws(ThesisForecaster.ForecastError) {
      let forecast = try forecaster.forecast(from: history, at: end ?? 0)
      return .forecast(words("\(forecast.trend.name)", forecast.rate, "thesis"))
    } catch {
      if case .tooOld = error { return .pending(error.sentence, until: nextEnd) }
      return .pending(error.sentence, until: possible(after: forecaster.minimumSpan))
    }
  }

  private var unspecified: Outlook {
    .pending(ThesisForecaster.ForecastError.outsideSpecification.sentence, until: nil)
  }

  /// A class of the rate in the words of AN3914, with an arrow.
  private func words(_ trend: String, _ rate: Double, _ method: String) -> String {
    let course =
      switch PressureTrend(rate: rate) {
      case .notStable: "↑ quickly rising"
      case .goodWeather: "↗ slowly rising"
      case .stable: "→ steady"
      case .rainy: "↘ slowly falling"
      case .thunderStorm: "↓ quickly falling"
      }
    return "\(trend) \(course), \(Decimal.signed(rate, 2)) hPa/h (\(method))"
  }

  private func pending(_ method: Pipeline.Forecaster) -> Outlook {
    if method == .note {
      let cycle = Int64(clamping: forecasters.cycle)
      return .pending(
        "AN3914 needs a pressure a minute for 35 minutes without a gap",
        until: nextEnd.map { $0 + Int64(minutes.minutesToForecast - 1) * cycle })
    }
    let name = method == .zambretti ? "Zambretti's forecast" : "the tendency"
    let until = possible(after: PressureTendency.span)
    guard until != nil || nextEnd == nil else {
      return .pending(
        "\(name) needs a pressure of three hours ago, and this rig keeps none so long ('keep')",
        until: nil)
    }
    return .pending(
      isOfRig ? "\(name) needs three hours of pressures" : "tendency and forecast need three hours",
      until: until)
  }

  /// When the history can span a time, if no sample is missing; `nil` if that is unknown, or it is never kept so long.
  private func possible(after span: Int64) -> Int64? {
    guard let next = nextStart else { return nil }
    let run = history.latestRun(withoutGapsOver: forecasters.maximumGap)
    let isBroken = run.last.map { next - $0.time > forecasters.maximumGap } ?? true
    let first = isBroken ? next : run.first?.time ?? next
    let start = start(atOrAfter: first + span)
    return start - first > history.retention ? nil : start + length
  }
}
