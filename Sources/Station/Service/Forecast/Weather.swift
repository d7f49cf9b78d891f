import Forecasts
import Glibc
import Readings

/// The weather of a place at a moment, from the runs and the station.
struct Weather {
  /// What the runs say.
  let forecast: PointForecast
  /// The station's offset where it speaks for the place.
  let offset: StationOffset?
  /// The station whose height all of it is for; the model's ground without one.
  var site: Site?
  /// What the station's sensor measured before now; `nil` where the station does not speak for the place.
  var measured: MeasuredAir?

  /// °C: measured, or corrected.
  func temperature(_ moment: Int) -> Double? {
    if let celsius = measured?[moment]?.celsius { return celsius }
    let model = site.map { $0.temperature(forecast, at: moment) }
    return (model ?? forecast.value(.temperature, at: moment)).map {
      $0 + correction(offset?.temperature, moment)
    }
  }

  /// %, 0 to 100: measured, or corrected.
  func humidity(_ moment: Int) -> Double? {
    if let humidity = measured?[moment]?.humidity { return min(100, max(0, humidity)) }
    return forecast.value(.humidity, at: moment).map {
      min(100, max(0, $0 + correction(offset?.humidity, moment)))
    }
  }

  /// hPa at sea level: measured, or corrected.
  func seaLevelPressure(_ moment: Int) -> Double? {
    if let site, let reading = measured?[moment], let pascals = reading.pascals {
      return site.seaLevel(pascals: pascals, celsius: reading.celsius)
    }
    return forecast.value(.seaLevelPressure, at: moment).map {
      $0 + correction(offset?.seaLevelPressure, moment)
    }
  }

  /// hPa at the height that all of it is for, corrected.
  func surfacePressure(_ moment: Int) -> Double? {
    guard let site else { return forecast.value(.surfacePressure, at: moment) }
    guard let seaLevel = seaLevelPressure(moment), let celsius = temperature(moment) else {
      return nil
    }
    return site.pressure(seaLevel: seaLevel, celsius: celsius)
  }

  /// mm in the hour that ends.
  func rain(_ moment: Int) -> Double? { forecast.rain(from: moment - 3600, to: moment) }

  /// What is added at a moment; nothing to what lies before the offset was found.
  private func correction(_ difference: Double?, _ moment: Int) -> Double {
    guard let offset, let difference, moment > offset.moment - 3600 else { return 0 }
    return difference * offset.weight(at: moment)
  }

  /// How warm it feels in °C: Steadman's apparent temperature in the shade, as Australia's weather service has it.
  func apparent(_ moment: Int) -> Double? {
    guard let celsius = temperature(moment), let humidity = humidity(moment),
      let wind = forecast.value(.windSpeed, at: moment)
    else { return nil }
    let vapour = humidity * 0.06105 * exp(17.27 * celsius / (237.7 + celsius))
    return celsius + 0.33 * vapour - 0.7 * wind - 4
  }

  /// The WMO code (table 4677, as Open-Meteo uses it) of the hour that ends.
  func code(_ moment: Int) -> Double? {
    guard let cloud = forecast.value(.cloud, at: moment) else { return nil }
    let rain = rain(moment) ?? 0
    if rain >= 0.1 {
      let isSnow = (temperature(moment) ?? 10) < 0.5
      if rain < 0.5 { return isSnow ? 71 : 51 }
      if rain < 2.5 { return isSnow ? 73 : 61 }
      return isSnow ? 75 : rain < 7.6 ? 63 : 65
    }
    return cloud < 12.5 ? 0 : cloud < 37.5 ? 1 : cloud < 81 ? 2 : 3
  }
}
