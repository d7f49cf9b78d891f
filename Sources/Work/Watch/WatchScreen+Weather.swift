import Barometry
import Quantities
import Runs
import Support

extension WatchScreen {
  /// The change of the pressure over three hours; `nil` if unknown.
  private var tendency: PressureTendency? {
    PressureTendency(state.history, withoutGapsOver: TimeSpan.hour)
  }

  /// The trend of the air pressure as a word.
  package var weatherWord: String {
    guard let change = tendency?.change else { return "MEASURING" }
    // As in a weather station's report: less than 0.1 hPa is steady.
    return abs(change) < 10 ? "STEADY" : change > 0 ? "RISING" : "FALLING"
  }

  /// Returns the lines with the air, the pressure at sea level, the tendency and the forecasts.
  package func weather(_ width: Int) -> [Line] {
    guard let last = state.samples.last else { return [] }
    let dew = last.values.humidity.flatMap {
      DewPoint.celsius(at: last.celsius, relativeHumidity: $0)
    }
    var lines = wrapped(
      "\(Decimal.fixed(last.celsius, 2)) °C"
        + (last.values.humidity.map { "   \(Decimal.fixed($0, 1)) %" } ?? "")
        + (dew.map { "   dew \(Decimal.fixed($0, 1)) °C" } ?? ""), width, rank: .time)
    lines += seaLevel(last, width)
    if let tendency {
      let change = Decimal.signed(tendency.change / unit.pascals, unit == .hectopascal ? 1 : 2)
      lines += wrapped(
        "\(change) \(unit.symbol) in 3 h\(isReduced ? " at sea level" : ""): \(tendency.meaning)",
        width, rank: .reserve)
    }
    return lines + forecasts(last, width)
  }

  /// `true` if the altitude is known, so that tendency and forecasts use the pressure at sea level.
  private var isReduced: Bool { state.station.forecasters.altitude != nil }

  /// The line with the pressure at sea level, which the forecasters use; empty if the altitude is
  /// unknown.
  private func seaLevel(_ last: WatchState.Sample, _ width: Int) -> [Line] {
    guard let metres = state.station.altitude(at: last.time) else { return [] }
    let reduced = state.station.forecasters.reduced(
      last.pascals, at: Int64(last.time * 1e9), last.celsius)
    return wrapped(
      "\(value(reduced)) \(unit.symbol) at sea level, from \(Decimal.fixed(metres, 0)) m", width,
      rank: .limits)
  }

  /// The lines with each forecaster's forecast, or with the time at which the first forecast will
  /// be possible.
  private func forecasts(_ last: WatchState.Sample, _ width: Int) -> [Line] {
    let station = state.station
    if !station.isOfRig, station.forecasters.altitude == nil,
      !Forecasters.zambrettiScale.contains(last.pascals)
    {
      return wrapped(
        "no forecast: \(value(last.pascals)) \(unit.symbol) is not a pressure at sea level; "
          + "set the sensor's altitude with --altitude", width, .yellow, rank: .meaning)
    }
    let concluded = station.end.map { state.moment + $0 - Int64(state.now * 1e9) }
    var lines: [Line] = []
    for (method, outlook) in station.outlooks(month: UTCTime.month(concluded ?? state.moment)) {
      switch outlook {
      case .forecast(let word, let text, _):
        lines += wrapped("forecast: \(text)", width, .cyan, rank: .meaning)
        if let odds = state.odds?(method, word) {
          lines += wrapped("  \(odds)", width, .faint, rank: .rest)
        }
      case .pending(let reason, let time):
        let possible = time.map { "; possible at \(moment($0))" } ?? ""
        let head = station.isOfRig ? "no forecast yet: " : ""
        lines += wrapped("\(head)\(reason)\(possible)", width, .faint, rank: .meaning)
      }
    }
    return lines + cycle(width)
  }

  /// The progress of the rig's measurement cycle.
  private func cycle(_ width: Int) -> [Line] {
    let station = state.station
    guard station.isOfRig, let start = station.nextStart else { return [] }
    let (taken, all) = station.progress
    return wrapped(
      taken > 0 ? "cycle: \(taken) of \(all) samples" : "next cycle \(moment(start))", width,
      .faint,
      rank: .limits)
  }

  /// Formats a future time, in nanoseconds of the sensor's clock, with the time left until then.
  private func moment(_ time: Int64) -> String {
    let seconds = Double(time) / 1e9
    let left = max(Int((seconds - state.now).rounded(.up)), 0)
    let minutes = (left + 30) / 60
    let words =
      left < 60
      ? "\(left) s" : minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    return "\(clock(seconds, isShort: true)), in \(words)"
  }
}
