package import Barometry
import Bench
import Environment
import I2C
import Quantities
import Rigs
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
