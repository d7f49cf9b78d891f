import Barometry
package import Forecasts
import Glibc

/// The air of the simulated station: what the model says, and what it cannot know of a place.
package enum LocalAir {
  /// The air at a moment; `nil` where no run tells.
  ///
  /// The place is 0.8 °C warmer than the model says and 3 % drier, its barometer shows 0.6 hPa more, and all of it
  /// wanders slowly: the same at the same moment, for ever.
  package static func air(_ forecast: PointForecast, _ site: Site, at moment: Int) -> AirNow? {
    guard let warm = forecast.value(.temperature, at: moment),
      let wet = forecast.value(.humidity, at: moment),
      let sea = forecast.value(.seaLevelPressure, at: moment)
    else { return nil }
    let ground = forecast.column(at: moment)?.elevation ?? site.elevation
    func wander(_ hours: Double, _ phase: Double) -> Double {
      sin(Double(moment) / 3600 / hours * 2 * .pi + phase)
        + 0.6 * sin(Double(moment) / 3600 / (hours * 0.381) * 2 * .pi + 2 * phase)
    }
    let celsius = warm + 0.0065 * (ground - site.elevation) + 0.8 + 0.35 * wander(17.3, 1)
    let humidity = wet - 3 + 1.5 * wander(13.1, 2)
    let hectopascals = sea + 0.6 + 0.12 * wander(21.7, 3)
    let mean = celsius + 273.15 + 0.0065 * site.elevation / 2
    return AirNow(
      celsius: celsius, humidity: humidity,
      pascals: hectopascals * 100 * exp(-9.80665 * site.elevation / (287.05287 * mean)))
  }
}
