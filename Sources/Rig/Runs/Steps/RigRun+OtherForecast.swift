import Barometry
import Rigs
import Text

extension RigRun {
  /// Lets the other forecasters speak, side by side.
  package func otherForecast(of station: SensorStation, at time: UInt64) {
    guard !station.isOutside else { return }
    for forecaster in pipeline.forecasters {
      guard let forecast = otherForecast(forecaster, station, at: time) else { continue }
      emit(.otherForecast(forecast))
    }
  }

  private func otherForecast(
    _ forecaster: Pipeline.Forecaster, _ station: SensorStation, at time: UInt64
  ) -> RunEvent.OtherForecast? {
    func said(_ word: String, _ text: String, _ rate: Double) -> RunEvent.OtherForecast {
      RunEvent.OtherForecast(
        time: time, place: station.place, method: forecaster, word: word, text: text, rate: rate,
        // That of AN3914 takes the sensor's own pressures alone.
        standIns: forecaster == .note ? 0 : station.standIns(in: station.history.points[...]),
        pressures: station.history.points.count)
    }
    switch forecaster {
    case .thesis: return nil
    case .note:
      return station.note.forecast.map { said("\($0.trend.name)", "", $0.rate) }
    case .tendency:
      guard let tendency = tendency(of: station) else { return nil }
      return said("\(tendency.code)", "\(tendency.meaning)", tendency.change / 300)
    case .zambretti:
      guard let tendency = tendency(of: station), let last = station.history.points.last else {
        return nil
      }
      let rate = tendency.change / 300
      let forecast = pipeline.zambretti.forecast(
        seaLevel: last.pascals, rate: rate, wind: pipeline.wind, month: UTCTime.month(moment(time)))
      return said("\(forecast.letter)", "\(forecast.text)", rate)
    }
  }

  private func tendency(of station: SensorStation) -> PressureTendency? {
    PressureTendency(station.history, withoutGapsOver: pipeline.maximumGap)
  }
}
