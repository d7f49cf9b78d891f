import Forecasts
import Glibc
import Readings

/// The weather at a location over time, combined from the weather model's runs and the station.
struct Weather {
  /// The point forecast, combined from the weather model's runs.
  let forecast: PointForecast
  /// The station's correction; `nil` if the station does not apply to the location.
  let correction: StationCorrection?
  /// The station whose elevation all values refer to; `nil` if they refer to the model's surface.
  var site: Site?
  /// The sensor's measurements up to now; `nil` if the station does not apply to the location.
  var measured: MeasuredAir?
  /// The last reading, for the values of one time; `nil` if the station does not apply to the location.
  var present: (moment: Int, reading: Reading)?

  /// The reading of a time: the last one, or a mean.
  private func reading(_ moment: Int) -> Reading? {
    if let present, present.moment == moment { return present.reading }
    return measured?[moment]
  }

  /// Returns the temperature in °C, measured or corrected.
  func temperature(_ moment: Int) -> Double? {
    if let celsius = reading(moment)?.celsius { return celsius }
    let model = site.map { $0.temperature(forecast, at: moment) }
    return (model ?? forecast.value(.temperature, at: moment)).map {
      $0 + correction(.temperature, moment)
    }
  }

  /// Returns the relative humidity in %, measured or corrected, from 0 to 100.
  func humidity(_ moment: Int) -> Double? {
    if let humidity = reading(moment)?.humidity { return min(100, max(0, humidity)) }
    return forecast.value(.humidity, at: moment).map {
      min(100, max(0, $0 + correction(.humidity, moment)))
    }
  }

  /// Returns the pressure at sea level in hPa, measured or corrected.
  func seaLevelPressure(_ moment: Int) -> Double? {
    if let site, let reading = reading(moment), let pascals = reading.pascals {
      return site.seaLevel(pascals: pascals, celsius: reading.celsius)
    }
    return forecast.value(.seaLevelPressure, at: moment).map {
      $0 + correction(.seaLevelPressure, moment)
    }
  }

  /// Returns the corrected pressure in hPa at the elevation that the response refers to.
  func surfacePressure(_ moment: Int) -> Double? {
    if site == nil, let model = forecast.value(.surfacePressure, at: moment) { return model }
    guard let elevation = site?.elevation ?? forecast.column(at: moment)?.elevation,
      let seaLevel = seaLevelPressure(moment), let celsius = temperature(moment)
    else { return nil }
    return Site.pressure(atElevation: elevation, seaLevel: seaLevel, celsius: celsius)
  }

  /// Returns the precipitation in mm during the time that ends at a moment.
  func rain(_ moment: Int, over span: Int = 3600) -> Double? {
    forecast.rain(from: moment - span, to: moment)
  }

  /// Returns the precipitation as rain and as snow, both in mm of water; snow falls below 0.5 °C.
  func parts(_ moment: Int, over span: Int) -> (rain: Double, snow: Double)? {
    guard let fallen = rain(moment, over: span), let celsius = temperature(moment) else {
      return nil
    }
    return celsius < 0.5 ? (0, fallen) : (fallen, 0)
  }

  /// The vapour pressure of saturated air in hPa, by Magnus' formula.
  ///
  /// Source: WMO-No. 8, annex 4.B.
  private static func saturated(_ celsius: Double) -> Double {
    6.112 * exp(17.62 * celsius / (243.12 + celsius))
  }

  /// Returns the dew point in °C.
  func dewPoint(_ moment: Int) -> Double? {
    guard let celsius = temperature(moment), let humidity = humidity(moment), humidity > 0 else {
      return nil
    }
    let logarithm = log(Self.saturated(celsius) * humidity / 100 / 6.112)
    return min(celsius, 243.12 * logarithm / (17.62 - logarithm))
  }

  /// Returns the difference between the saturated and the actual vapour pressure in kPa.
  func vapourDeficit(_ moment: Int) -> Double? {
    guard let celsius = temperature(moment), let humidity = humidity(moment) else { return nil }
    return Self.saturated(celsius) * (1 - humidity / 100) / 10
  }

  /// Returns the wet-bulb temperature in °C; `nil` below 5 % of humidity.
  ///
  /// Source: R. Stull, Journal of Applied Meteorology and Climatology 50 (2011), 2267, for 5 to 99 %.
  func wetBulb(_ moment: Int) -> Double? {
    guard let celsius = temperature(moment), let humidity = humidity(moment), humidity >= 5 else {
      return nil
    }
    guard humidity <= 99 else { return celsius }
    return celsius * atan(0.151977 * (humidity + 8.313659).squareRoot()) + atan(celsius + humidity)
      - atan(humidity - 1.676331) + 0.00391838 * pow(humidity, 1.5) * atan(0.023101 * humidity)
      - 4.686035
  }

  private func correction(_ metric: CorrectedMetric, _ moment: Int) -> Double {
    correction?.value(of: metric, at: moment) ?? 0
  }

  /// Returns the apparent temperature in °C, computed with Steadman's formula for the shade, as
  /// used by Australia's Bureau of Meteorology.
  func apparent(_ moment: Int) -> Double? {
    guard let celsius = temperature(moment), let humidity = humidity(moment),
      let wind = forecast.value(.windSpeed, at: moment)
    else { return nil }
    let vapour = humidity * 0.06105 * exp(17.27 * celsius / (237.7 + celsius))
    return celsius + 0.33 * vapour - 0.7 * wind - 4
  }

  /// Returns the WMO code (table 4677, as used by Open-Meteo) for the time that ends at a moment.
  func code(_ moment: Int, over span: Int = 3600) -> Double? {
    guard let cloud = forecast.value(.cloud, at: moment) else { return nil }
    let rain = (rain(moment, over: span) ?? 0) * 3600 / Double(span)
    if rain >= 0.1 {
      let isSnow = (temperature(moment) ?? 10) < 0.5
      if rain < 0.5 { return isSnow ? 71 : 51 }
      if rain < 2.5 { return isSnow ? 73 : 61 }
      return isSnow ? 75 : rain < 7.6 ? 63 : 65
    }
    return cloud < 12.5 ? 0 : cloud < 37.5 ? 1 : cloud < 81 ? 2 : 3
  }
}

/// The sensor's measurements as means over ten minutes, each centered on a full ten minutes, up to
/// now.
struct MeasuredAir: Sendable {
  /// The duration of a mean in seconds.
  private static let step = 600

  /// The longest time between two means whose values are interpolated, in seconds.
  private static let longestGap = 3600

  /// The means, by the center of their interval in seconds since 1970.
  private let means: [Int: Reading]
  /// The times of the means, ascending.
  private let times: [Int]

  /// Reads the measurements.
  ///
  /// - Parameters:
  ///   - store: The stored readings.
  ///   - start: The first time in seconds since 1970.
  ///   - now: The last time in seconds since 1970.
  /// - Throws: An SQLite error.
  init(_ store: ReadingStore, from start: Int, to now: Int) throws {
    let first = start - CivilTime.modulo(start, Self.step)
    let half = Self.step / 2
    var means: [Int: Reading] = [:]
    for mean in try store.means(every: Self.step, from: first - half, to: now + 1) {
      // An interval that has not ended yet has no mean.
      if mean.time + half <= now { means[mean.time + half] = mean }
    }
    self.means = means
    times = means.keys.sorted()
  }

  /// The measurement at a time, between those before and after it, which may be an hour apart, as of a sensor that measures
  /// every half hour; `nil` if they are further apart.
  subscript(moment: Int) -> Reading? {
    if let mean = means[moment] { return mean }
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] < moment { low = middle + 1 } else { high = middle }
    }
    guard low > 0, low < times.count, times[low] - times[low - 1] <= Self.longestGap,
      let one = means[times[low - 1]], let other = means[times[low]]
    else { return nil }
    let share = Double(moment - times[low - 1]) / Double(times[low] - times[low - 1])
    func between(_ value: KeyPath<Reading, Double?>) -> Double? {
      guard let low = one[keyPath: value], let high = other[keyPath: value] else { return nil }
      return low + share * (high - low)
    }
    return Reading(
      time: moment, celsius: between(\.celsius), humidity: between(\.humidity),
      pascals: between(\.pascals))
  }

  /// Returns the minimum and maximum temperature in °C measured in an interval; `nil` without
  /// measurements.
  ///
  /// - Parameters:
  ///   - start: The start in seconds since 1970.
  ///   - end: The end in seconds since 1970, which is not included.
  /// - Returns: The minimum and the maximum.
  func temperatures(from start: Int, to end: Int) -> (low: Double, high: Double)? {
    let all = means.filter { $0.key >= start && $0.key < end }.compactMap(\.value.celsius)
    guard let low = all.min(), let high = all.max() else { return nil }
    return (low, high)
  }
}

/// The position of the sun, accurate to about a minute, computed with the low-precision formulas of
/// the Astronomical Almanac.
enum Sun {
  /// Returns the elevation of the sun above the horizon in degrees, without refraction.
  static func height(_ location: GeoPoint, at moment: Double) -> Double {
    let degree = Double.pi / 180
    let days = moment / 86400 - 10957.5
    let mean = (280.460 + 0.985_647_4 * days) * degree
    let anomaly = (357.528 + 0.985_600_3 * days) * degree
    let longitude = mean + (1.915 * sin(anomaly) + 0.020 * sin(2 * anomaly)) * degree
    let tilt = (23.439 - 4e-7 * days) * degree
    let ascension = atan2(cos(tilt) * sin(longitude), cos(longitude))
    let declination = asin(sin(tilt) * sin(longitude))
    let sidereal = (280.460_618_37 + 360.985_647_366_29 * days + location.longitude) * degree
    let hour = sidereal - ascension
    let latitude = location.latitude * degree
    return asin(
      sin(latitude) * sin(declination) + cos(latitude) * cos(declination) * cos(hour)) / degree
  }

  /// The elevation in degrees at which the sun's upper limb is on the horizon: minus the sum of the
  /// sun's radius and the refraction.
  static let horizon = -0.833

  /// Returns `true` if the sun is above the horizon.
  static func isUp(_ location: GeoPoint, at moment: Int) -> Bool {
    height(location, at: Double(moment)) > horizon
  }

  /// Returns the time in seconds for which the sun is up in an interval.
  static func daylight(_ location: GeoPoint, from start: Int, to end: Int) -> Double {
    let rise = crossing(location, from: start, to: end, rising: true)
    let down = crossing(location, from: start, to: end, rising: false)
    switch (rise, down) {
    case (let rise?, let down?):
      return Double(down > rise ? down - rise : end - start - (rise - down))
    case (let rise?, nil): return Double(end - rise)
    case (nil, let down?): return Double(down - start)
    case (nil, nil): return isUp(location, at: start) ? Double(end - start) : 0
    }
  }

  /// Returns the sunrise or sunset in an interval; `nil` if there is none.
  ///
  /// - Parameters:
  ///   - location: The location.
  ///   - start: The start of the interval in seconds since 1970.
  ///   - end: The end of the interval.
  ///   - rising: `true` for the sunrise, `false` for the sunset.
  /// - Returns: The time in seconds since 1970.
  static func crossing(_ location: GeoPoint, from start: Int, to end: Int, rising: Bool) -> Int? {
    var moment = start
    while moment < end {
      let next = min(moment + 600, end)
      let (was, will) = (isUp(location, at: moment), isUp(location, at: next))
      if was != will, will == rising {
        var (low, high) = (Double(moment), Double(next))
        while high - low > 0.5 {
          let middle = (low + high) / 2
          if (height(location, at: middle) > horizon) == will {
            high = middle
          } else {
            low = middle
          }
        }
        return Int(high.rounded())
      }
      moment = next
    }
    return nil
  }
}
