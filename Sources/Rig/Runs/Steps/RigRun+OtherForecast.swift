import Barometry
import Rigs
import Text

extension RigRun {
  /// Lets the other forecasters speak, side by side.
  package func otherForecast(of station: SensorStation, at time: UInt64) {
    guard !station.isOutside else { return }
    for forecaster in forecasters.methods {
      guard let forecast = otherForecast(forecaster, station, at: time) else { continue }
      emit(.otherForecast(forecast))
    }
  }

  private func otherForecast(
    _ forecaster: Pipeline.Forecaster, _ station: SensorStation, at time: UInt64
  ) -> RunEvent.OtherForecast? {
    let forecast = forecasters.forecast(
      forecaster, from: station.history, note: station.minutes.note,
      month: UTCTime.month(moment(time)))
    guard let forecast else { return nil }
    return RunEvent.OtherForecast(
      time: time, place: station.place, method: forecaster, word: forecast.word,
      text: forecast.text, rate: forecast.rate,
      // That of AN3914 takes the sensor's own pressures alone.
      standIns: forecaster == .note ? 0 : station.standIns(in: station.history.points[...]),
      pressures: station.history.points.count)
  }
}
