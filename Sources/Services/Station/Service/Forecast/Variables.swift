import Forecasts

/// The units of a response, as chosen in the request.
struct ChosenUnits {
  var temperature = "celsius"
  var wind = "kmh"
  var rain = "mm"

  /// Converts a temperature in °C to the chosen unit.
  func temperature(_ celsius: Double?) -> Double? {
    temperature == "fahrenheit" ? celsius.map { $0 * 1.8 + 32 } : celsius
  }

  /// Converts a speed in m/s to the chosen unit.
  func wind(_ speed: Double?) -> Double? {
    let factors = ["kmh": 3.6, "ms": 1, "mph": 1 / 0.44704, "kn": 3600 / 1852.0]
    return speed.map { $0 * (factors[wind] ?? 3.6) }
  }

  /// Converts an amount of rain in mm to the chosen unit.
  func rain(_ height: Double?) -> Double? { rain == "inch" ? height.map { $0 / 25.4 } : height }
}

enum HourlyVariable: String, CaseIterable {
  case temperature = "temperature_2m"
  case humidity = "relative_humidity_2m"
  case precipitation
  case cloud = "cloud_cover"
  case windSpeed = "wind_speed_10m"
  case windDirection = "wind_direction_10m"
  case seaLevelPressure = "pressure_msl"
  case surfacePressure = "surface_pressure"
  case apparent = "apparent_temperature"
  case code = "weather_code"
  case isDay = "is_day"

  /// Returns the unit of the variable in a response.
  func unit(_ units: ChosenUnits) -> String {
    switch self {
    case .temperature, .apparent: units.temperature == "fahrenheit" ? "°F" : "°C"
    case .humidity, .cloud: "%"
    case .precipitation: units.rain == "inch" ? "inch" : "mm"
    case .windSpeed: ["kmh": "km/h", "ms": "m/s", "mph": "mp/h", "kn": "kn"][units.wind] ?? "km/h"
    case .windDirection: "°"
    case .seaLevelPressure, .surfacePressure: "hPa"
    case .code: "wmo code"
    case .isDay: ""
    }
  }

  /// Returns the number of decimals of the variable in a response.
  func decimals(_ units: ChosenUnits) -> Int {
    switch self {
    case .temperature, .apparent, .seaLevelPressure, .surfacePressure: 1
    case .precipitation: units.rain == "inch" ? 3 : 2
    case .windSpeed: units.wind == "ms" ? 2 : 1
    case .humidity, .cloud, .windDirection, .code, .isDay: 0
    }
  }

  /// Returns the value of the variable at a time, in the units of the response.
  func value(_ weather: Weather, _ moment: Int, _ units: ChosenUnits) -> Double? {
    switch self {
    case .temperature: units.temperature(weather.temperature(moment))
    case .humidity: weather.humidity(moment)
    case .precipitation: units.rain(weather.rain(moment))
    case .cloud: weather.forecast.value(.cloud, at: moment)
    case .windSpeed: units.wind(weather.forecast.value(.windSpeed, at: moment))
    case .windDirection: weather.forecast.value(.windDirection, at: moment)
    case .seaLevelPressure: weather.seaLevelPressure(moment)
    case .surfacePressure: weather.surfacePressure(moment)
    case .apparent: units.temperature(weather.apparent(moment))
    case .code: weather.code(moment)
    case .isDay:
      weather.forecast.column(at: moment).map { _ in
        Sun.isUp(weather.forecast.location, at: moment) ? 1 : 0
      }
    }
  }
}

enum DailyVariable: String, CaseIterable {
  case warmest = "temperature_2m_max"
  case coldest = "temperature_2m_min"
  case precipitation = "precipitation_sum"
  case humidity = "relative_humidity_2m_mean"
  case cloud = "cloud_cover_mean"
  case windSpeed = "wind_speed_10m_max"
  case windDirection = "wind_direction_10m_dominant"
  case seaLevelPressure = "pressure_msl_mean"
  case code = "weather_code"
  case sunrise, sunset

  /// The hourly variable from which the daily value is computed.
  var hourly: HourlyVariable? {
    switch self {
    case .warmest, .coldest: .temperature
    case .precipitation: .precipitation
    case .humidity: .humidity
    case .cloud: .cloud
    case .windSpeed: .windSpeed
    case .windDirection: .windDirection
    case .seaLevelPressure: .seaLevelPressure
    case .code: .code
    case .sunrise, .sunset: nil
    }
  }

  /// Returns the value over the hours of a day; `nil` if an hourly value is missing.
  func value(_ weather: Weather, _ hours: [Int], _ units: ChosenUnits) -> Double? {
    guard let hourly, let first = hours.first else { return nil }
    if self == .precipitation {
      return units.rain(weather.forecast.rain(from: first, to: first + hours.count * 3600))
        ?? sum(hours.map { hourly.value(weather, $0 + 3600, units) })
    }
    var values = hours.compactMap { hourly.value(weather, $0, units) }
    guard values.count == hours.count else { return nil }
    if self == .warmest || self == .coldest,
      let seen = weather.measured?.temperatures(from: first, to: first + hours.count * 3600)
    {
      values += [seen.low, seen.high].compactMap { units.temperature($0) }
    }
    switch self {
    case .coldest: return values.min()
    case .warmest, .windSpeed, .code: return values.max()
    case .windDirection: return FourServices.meanAngle(values)
    default: return values.reduce(0, +) / Double(values.count)
    }
  }

  private func sum(_ values: [Double?]) -> Double? {
    let known = values.compactMap { $0 }
    return known.count == values.count ? known.reduce(0, +) : nil
  }
}
