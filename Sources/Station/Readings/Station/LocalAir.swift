import Barometry
package import Forecasts
import Glibc

/// The air of the simulated station: what the model says, and what it cannot know of a place.
///
/// The place is 0.8 °C warmer than the model says and 3 % drier, its barometer shows 0.6 hPa more, and all of it wanders
/// slowly: the same at the same moment, for ever. Where no run tells, plain weather of the season and the hour takes over
/// within some hours.
package enum LocalAir {
  /// What a model says, or would say.
  private struct Model {
    /// °C at the site's height.
    var celsius: Double
    /// %.
    var humidity: Double
    /// hPa at sea level.
    var seaLevel: Double
  }

  /// The air at a moment.
  ///
  /// - Parameters:
  ///   - forecast: the runs at the site; nothing but plain weather without them.
  ///   - site: where the station stands.
  ///   - moment: when, in seconds since 1970.
  /// - Returns: the air at the station.
  package static func air(_ forecast: PointForecast?, _ site: Site, at moment: Int) -> AirNow {
    let model = model(forecast, site, at: moment)
    func wander(_ hours: Double, _ phase: Double) -> Double {
      sin(Double(moment) / 3600 / hours * 2 * .pi + phase)
        + 0.6 * sin(Double(moment) / 3600 / (hours * 0.381) * 2 * .pi + 2 * phase)
    }
    let celsius = model.celsius + 0.8 + 0.35 * wander(17.3, 1)
    let humidity = model.humidity - 3 + 1.5 * wander(13.1, 2)
    let hectopascals = model.seaLevel + 0.6 + 0.12 * wander(21.7, 3)
    let mean = celsius + 273.15 + 0.0065 * site.elevation / 2
    return AirNow(
      celsius: celsius, humidity: humidity,
      pascals: hectopascals * 100 * exp(-9.80665 * site.elevation / (287.05287 * mean)))
  }

  /// What the runs say; before and after them plain weather, to which theirs fades within some hours.
  private static func model(_ forecast: PointForecast?, _ site: Site, at moment: Int) -> Model {
    if let told = told(forecast, site, at: moment) { return told }
    var model = plain(site, at: moment)
    guard let forecast, let edge = forecast.nearest(to: moment),
      let last = told(forecast, site, at: edge)
    else { return model }
    let there = plain(site, at: edge)
    let weight = exp(-abs(Double(moment - edge)) / (6 * 3600))
    model.celsius += weight * (last.celsius - there.celsius)
    model.humidity += weight * (last.humidity - there.humidity)
    model.seaLevel += weight * (last.seaLevel - there.seaLevel)
    return model
  }

  private static func told(_ forecast: PointForecast?, _ site: Site, at moment: Int) -> Model? {
    guard let forecast, let celsius = site.temperature(forecast, at: moment),
      let humidity = forecast.value(.humidity, at: moment),
      let seaLevel = forecast.value(.seaLevelPressure, at: moment)
    else { return nil }
    return Model(celsius: celsius, humidity: humidity, seaLevel: seaLevel)
  }

  /// Weather without any event: warmest in July (January in the south) and at three in the afternoon by the sun.
  private static func plain(_ site: Site, at moment: Int) -> Model {
    let north = site.place.latitude
    let year = cos(2 * .pi * (Double(moment) / 86400 - 200) / 365.2425) * (north < 0 ? -1 : 1)
    let hour = cos(2 * .pi * (Double(moment) / 3600 + site.place.longitude / 15 - 15) / 24)
    let mean = 27 - 0.0075 * north * north - 0.0065 * site.elevation
    return Model(
      celsius: mean + abs(north) / 6 * year + 4 * hour, humidity: 70 - 12 * hour, seaLevel: 1015)
  }
}
