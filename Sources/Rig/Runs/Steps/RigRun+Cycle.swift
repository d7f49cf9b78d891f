package import Barometry
import Bench
import Environment
import I2C
import Quantities
package import Rigs
package import Support
import VirtualI2C

extension RigRun {
  /// Averages a cycle, stores the average and makes the forecasts from all stored averages.
  package func conclude(_ station: SensorStation, from start: UInt64, to time: UInt64)
    throws(Failure)
  {
    station.dropExpired(at: moment(start))
    let average = station.average(of: pipeline.samples, from: start, to: time)
    station.isOutside = average?.outside.contains(.pressure) ?? false
    if let average {
      emit(.average(average))
      // Values outside the specified range are reported but not used.
      if !station.isOutside { try keep(average, in: station) }
    }
    try standIn(for: station, average, from: start, at: time)
    if forecasters.methods.contains(.thesis) { forecast(from: station, at: time) }
    otherForecast(of: station, at: time)
  }

  private func keep(
    _ average: RunEvent.Average, in station: SensorStation
  ) throws(Failure) {
    guard let pressure = average.means.pressure else { return }
    let point = PressurePoint(
      time: moment(average.start),
      pascals: forecasters.reduced(
        pressure.measured, at: Int64(clamping: average.start),
        average.means.temperature?.measured))
    do throws(PressureHistory.AppendError) {
      try station.history.append(point)
    } catch {
      let reason =
        error == .outOfOrder ? "it is not later than the last one" : "it is not a valid pressure"
      notice("an average of \(pressure.measured) Pa was not stored: \(reason)")
      return
    }
    if forecasters.methods.contains(.note) { station.minutes.take(point) }
    try historyFile?.append(point)
  }

  /// Queries the backup source.
  ///
  /// If the sensor has an average, the difference between that average and the source's pressure is
  /// stored; if not, the source's pressure replaces the missing average.
  private func standIn(
    for station: SensorStation, _ average: RunEvent.Average?, from start: UInt64, at time: UInt64
  ) throws(Failure) {
    guard let source = pipeline.backup else { return }
    let weather = BackupWeather(source, isReduced: pipeline.altitude != nil)
    let pascals: Double
    let begin = MachineTime.monotonic()
    guard begin >= backupPauseEnd else {
      if average == nil {
        notice(
          "no replacement for the sensor: \(source.name) was slow and is not queried for a while")
      }
      return
    }
    do throws(Failure) {
      pascals = try weather.pascals(at: bench.startMoment == 0 ? nil : moment(start))
    } catch {
      let took = MachineTime.monotonic() - begin
      // A query delays the samples, so a slow source is queried for at most 5 % of the time.
      if took > 500_000_000 { backupPauseEnd = begin + 20 * took }
      if average == nil { notice("no replacement for the sensor: \(error)") }
      return
    }
    if let average {
      if let own = average.means.pressure?.measured, !station.isOutside {
        let celsius = average.means.temperature?.measured
        station.backupOffset =
          forecasters.reduced(own, at: Int64(clamping: average.start), celsius) - pascals
      }
      return
    }
    let kept = pascals + (station.backupOffset ?? 0)
    let point = PressurePoint(time: moment(start), pascals: kept)
    guard (try? station.history.append(point)) != nil else { return }
    station.standInTimes.append(point.time)
    emit(
      .standIn(
        RunEvent.StandIn(
          time: time, sensorID: station.sensorID, pascals: kept, offset: station.backupOffset,
          source: source.name)))
    try historyFile?.append(point, isStandIn: true)
  }

  private func forecast(from station: SensorStation, at time: UInt64) {
    let forecaster = forecasters.thesis
    var result: Result<ThesisForecaster.Forecast, ThesisForecaster.ForecastError>
    do throws(ThesisForecaster.ForecastError) {
      result = .success(try forecaster.forecast(from: station.history, at: moment(time)))
    } catch {
      result = .failure(error)
    }
    if station.isOutside { result = .failure(.outsideSpecification) }
    let points = station.history.latestRun(withoutGapsOver: pipeline.maximumGap)
    let standIns = station.standIns(in: points)
    emit(
      .forecast(
        RunEvent.ForecastResult(
          time: time, sensorID: station.sensorID, result: result, standIns: standIns,
          pressures: points.count)))
    guard case .success(let forecast) = result, forecast.trend != station.lastTrend else { return }
    station.lastTrend = forecast.trend
    notify(.forecast(forecast.trend, standIns: standIns), at: time)
  }

  /// An occasion for a notification.
  package enum Occasion {
    /// The forecast changed; `standIns` is the number of pressures from the backup source among
    /// those that the forecast is based on.
    case forecast(PressureTrend, standIns: Int)
    /// The sensor is lost, because no sample of a whole cycle could be read; or it is back, because
    /// a sample could be read again.
    case sensorLost, sensorBack
    /// The crew goes to its safe haven.
    case safeHaven
    /// A leak has been declared.
    case leak
    /// The pressure left the habitable range; the text is the name of the alarm.
    case level(String)

    /// The name of the event in the rig.
    var event: String {
      if case .forecast = self { "forecast-change" } else { "alarm" }
    }

    /// The text that replaces `{forecast}` and `{alarm}` in the command.
    var word: String {
      switch self {
      case .forecast(let trend, _): "\(trend.name)"
      case .sensorLost: "sensor-lost"
      case .sensorBack: "sensor-back"
      case .safeHaven: "safe-haven"
      case .leak: "leak"
      case .level(let alarm): alarm
      }
    }

    /// The text that replaces `{source}` in the command: `backup` if at least one pressure of a
    /// forecast came from the backup source, else `sensor`.
    var source: String {
      if case .forecast(_, let standIns) = self, standIns > 0 { "backup" } else { "sensor" }
    }
  }

  /// Sends the notifications for an occasion.
  package func notify(_ occasion: Occasion, at time: UInt64) {
    for notification in bench.rig.notifications where notification.event == occasion.event {
      let command = notification.command.map { argument in
        argument.replacing("{forecast}", with: occasion.word)
          .replacing("{alarm}", with: occasion.word)
          .replacing("{source}", with: occasion.source)
          .replacing("{name}", with: bench.rig.name)
      }
      emit(
        .notification(
          RunEvent.NotificationSent(
            time: time, event: notification.event, command: command,
            wasRun: options.allowsPrograms)))
      guard options.allowsPrograms else { continue }
      if let problem = Program.run(command) { notice("notification: \(problem)") }
    }
  }

  /// Reports each fault once: when the fault is over, or at the end of the run.
  package func reportFaults(atEnd: Bool) {
    guard !bench.rig.faults.isEmpty else { return }
    for fault in bench.faults
    where (atEnd || fault.plan.isOver) && reportedFaults.insert(fault.number).inserted {
      emit(.fault(RunEvent.FaultReport(time: bench.clock.nanoseconds, fault: fault)))
    }
  }
}

/// The schedule of the cycles of a pipeline: regular cycles, and those that a user requests between them.
///
/// Times are in nanoseconds on one clock. A request during a cycle is answered by the forecast at
/// the end of that cycle.
package struct CycleSchedule: Hashable, Sendable {
  /// The interval between the starts of regular cycles.
  private let cycle: Int64
  /// The pending requests.
  private var requests: ArraySlice<Int64>
  /// The start of the next regular cycle.
  private var planned: Int64

  /// Creates a schedule.
  ///
  /// - Parameters:
  ///   - cycle: the interval between the starts of regular cycles.
  ///   - requests: the times at which a user requests a forecast, in order. Default: none.
  ///   - first: the start of the first regular cycle.
  package init(every cycle: UInt64, requests: [UInt64] = [], from first: Int64) {
    self.cycle = max(Int64(clamping: cycle), 1)
    self.requests = requests.map { Int64(clamping: $0) }[...]
    planned = first
  }

  /// Creates the schedule of a pipeline.
  package init(_ pipeline: Pipeline, from first: UInt64) {
    self.init(
      every: pipeline.cycle, requests: pipeline.requests, from: Int64(clamping: first))
  }

  package struct Cycle: Hashable, Sendable {
    /// The start of the cycle.
    package let start: Int64
    /// `true` if a user requested the cycle; `false` for a regular cycle.
    package let isRequested: Bool
  }

  /// Returns the cycle that follows one that has ended.
  ///
  /// - Parameter end: the end of the last cycle; `nil` before the first.
  /// - Returns: the first request if it is before the next regular cycle, otherwise the next
  ///   regular cycle.
  package mutating func next(after end: Int64?) -> Cycle {
    if let end { requests = requests.drop { $0 <= end } }
    if end != nil, let request = requests.first, request < planned {
      requests.removeFirst()
      return Cycle(start: request, isRequested: true)
    }
    defer { planned += cycle }
    return Cycle(start: planned, isRequested: false)
  }

  /// Puts back the next cycle, which a request precedes.
  ///
  /// - Parameter start: the start of the cycle that `next(after:)` has returned last.
  package mutating func postpone(start: Int64) {
    if start == planned - cycle { planned = start } else { requests = [start] + requests }
  }

  /// Returns the start of the first regular cycle that has not started yet and starts at a time or
  /// later.
  package func firstPlanned(atOrAfter time: Int64) -> Int64 {
    guard time > planned else { return planned }
    return planned + (time - planned + cycle - 1) / cycle * cycle
  }

  /// Skips the regular cycles and the requests that end before a time.
  ///
  /// - Parameters:
  ///   - time: the current time.
  ///   - length: the length of a cycle.
  package mutating func skip(to time: Int64, length: Int64) {
    guard time - length > planned else { return }
    planned += (time - length - planned) / cycle * cycle
    requests = requests.drop { $0 < planned }
  }
}
