import Barometry
import Bench
import Environment
package import Files
import I2C
import Quantities
import Rigs
import VirtualI2C

extension RigRun {
  /// Averages a cycle, keeps the average and forecasts from all that is kept.
  package func conclude(_ station: Station, from start: UInt64, to time: UInt64)
    throws(Failure)
  {
    station.history.dropExpired(at: moment(start))
    if let average = station.average(of: pipeline.samples, from: start, to: time) {
      emit(.average(average))
      try keep(average, in: station)
    }
    if pipeline.forecasters.contains(.thesis) { forecast(from: station, at: time) }
    otherForecast(of: station, at: time)
  }

  private func keep(
    _ average: RunEvent.Average, in station: Station
  ) throws(Failure) {
    guard let pressure = average.means.pressure else { return }
    let point = PressurePoint(
      time: moment(average.start),
      pascals: reduced(pressure.measured, at: average.start, average.means.temperature?.measured))
    do throws(PressureHistory.AppendError) {
      try station.history.append(point)
    } catch {
      let reason =
        error == .outOfOrder ? "it is not younger than the last" : "it is not a pressure"
      notice("an average of \(pressure.measured) Pa was not kept: \(reason)")
      return
    }
    if pipeline.forecasters.contains(.note) { station.takeMinute(point) }
    try historyFile?.append(point)
  }

  /// A pressure as the forecast takes it: reduced to sea level where the rig knows how high the sensor is.
  private func reduced(_ pascals: Double, at time: UInt64, _ celsius: Double?) -> Double {
    guard let altitude = pipeline.altitude, let celsius else { return pascals }
    return StandardAtmosphere.seaLevelPressure(
      of: pascals, atAltitude: altitude.value(at: Int64(clamping: time)), celsius: celsius)
  }

  private func forecast(from station: Station, at time: UInt64) {
    let forecaster = ThesisForecaster(
      maximumAge: Int64(pipeline.cycle), maximumGap: pipeline.maximumGap)
    let result: Result<ThesisForecaster.Forecast, ThesisForecaster.ForecastError>
    do throws(ThesisForecaster.ForecastError) {
      result = .success(try forecaster.forecast(from: station.history, at: moment(time)))
    } catch {
      result = .failure(error)
    }
    emit(.forecast(RunEvent.ForecastResult(time: time, place: station.place, result: result)))
    guard case .success(let forecast) = result, forecast.trend != station.lastTrend else { return }
    station.lastTrend = forecast.trend
    notify(forecast.trend, at: time)
  }

  private func notify(_ trend: PressureTrend, at time: UInt64) {
    for notification in bench.rig.notifications {
      let command = notification.command.map { argument in
        argument.replacing("{forecast}", with: "\(trend.name)")
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

  /// Reports each planned failure once: when it is over, or in the end.
  package func reportFaults(atEnd: Bool) {
    guard !bench.rig.faults.isEmpty else { return }
    for record in bench.faultRecords
    where (atEnd || record.plan.isOver) && reportedFaults.insert(record.number).inserted {
      emit(.fault(RunEvent.FaultReport(record, at: bench.clock.nanoseconds)))
    }
  }
}
