import Forecasts
import Glibc

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

/// A unit of a response: its text, and its number in the format of FlatBuffers.
struct ResponseUnit {
  let text: String
  let number: UInt8

  static let celsius = ResponseUnit(text: "°C", number: 1)
  static let centimetre = ResponseUnit(text: "cm", number: 2)
  static let degree = ResponseUnit(text: "°", number: 5)
  static let none = ResponseUnit(text: "", number: 7)
  static let fahrenheit = ResponseUnit(text: "°F", number: 9)
  static let hectopascal = ResponseUnit(text: "hPa", number: 16)
  static let hours = ResponseUnit(text: "h", number: 17)
  static let inch = ResponseUnit(text: "inch", number: 18)
  static let iso8601 = ResponseUnit(text: "iso8601", number: 19)
  static let kilopascal = ResponseUnit(text: "kPa", number: 22)
  static let millimetre = ResponseUnit(text: "mm", number: 32)
  static let percent = ResponseUnit(text: "%", number: 35)
  static let seconds = ResponseUnit(text: "s", number: 36)
  static let unixTime = ResponseUnit(text: "unixtime", number: 37)
  static let code = ResponseUnit(text: "wmo code", number: 40)
  /// The unit of variables that this station does not have.
  static let undefined = ResponseUnit(text: "undefined", number: 0)
}

/// A variable of a moment, which the station computes.
enum HourlyVariable: String, CaseIterable {
  case temperature = "temperature_2m"
  case humidity = "relative_humidity_2m"
  case dewPoint = "dew_point_2m"
  case apparent = "apparent_temperature"
  case wetBulb = "wet_bulb_temperature_2m"
  case vapourDeficit = "vapour_pressure_deficit"
  case precipitation, rain, snowfall
  case cloud = "cloud_cover"
  case windSpeed = "wind_speed_10m"
  case windDirection = "wind_direction_10m"
  case windGusts = "wind_gusts_10m"
  case seaLevelPressure = "pressure_msl"
  case surfacePressure = "surface_pressure"
  case code = "weather_code"
  case isDay = "is_day"

  /// Returns the unit of the variable in a response.
  func unit(_ units: ChosenUnits) -> ResponseUnit {
    switch self {
    case .temperature, .apparent, .dewPoint, .wetBulb:
      units.temperature == "fahrenheit" ? .fahrenheit : .celsius
    case .humidity, .cloud: .percent
    case .vapourDeficit: .kilopascal
    case .precipitation, .rain: units.rain == "inch" ? .inch : .millimetre
    case .snowfall: units.rain == "inch" ? .inch : .centimetre
    case .windSpeed, .windGusts:
      [
        "ms": ResponseUnit(text: "m/s", number: 28), "mph": ResponseUnit(text: "mp/h", number: 31),
        "kn": ResponseUnit(text: "kn", number: 25),
      ][units.wind] ?? ResponseUnit(text: "km/h", number: 24)
    case .windDirection: .degree
    case .seaLevelPressure, .surfacePressure: .hectopascal
    case .code: .code
    case .isDay: .none
    }
  }

  /// Returns the number of decimals of the variable in a response.
  func decimals(_ units: ChosenUnits) -> Int {
    switch self {
    case .temperature, .apparent, .dewPoint, .wetBulb, .seaLevelPressure, .surfacePressure: 1
    case .precipitation, .rain, .snowfall: units.rain == "inch" ? 3 : 2
    case .vapourDeficit: 2
    case .windSpeed, .windGusts: units.wind == "ms" ? 2 : 1
    case .humidity, .cloud, .windDirection, .code, .isDay: 0
    }
  }

  /// The number of the variable, and its height above ground in m, in the format of FlatBuffers.
  var identity: (number: UInt8, height: Int16) {
    switch self {
    case .temperature: (47, 2)
    case .humidity: (29, 2)
    case .dewPoint: (8, 2)
    case .apparent: (1, 0)
    case .wetBulb: (62, 2)
    case .vapourDeficit: (54, 0)
    case .precipitation: (24, 0)
    case .rain: (28, 0)
    case .snowfall: (37, 0)
    case .cloud: (3, 0)
    case .windSpeed: (59, 10)
    case .windDirection: (57, 10)
    case .windGusts: (58, 10)
    case .seaLevelPressure: (27, 0)
    case .surfacePressure: (45, 0)
    case .code: (56, 0)
    case .isDay: (19, 0)
    }
  }

  /// Returns the value of the variable at a time, in the units of the response.
  ///
  /// - Parameters:
  ///   - weather: The weather.
  ///   - moment: The time in seconds since 1970.
  ///   - span: The time in seconds before it over which rain and snow are summed.
  ///   - units: The units.
  /// - Returns: The value; `nil` if it is unknown.
  func value(_ weather: Weather, _ moment: Int, over span: Int = 3600, _ units: ChosenUnits)
    -> Double?
  {
    switch self {
    case .temperature: units.temperature(weather.temperature(moment))
    case .humidity: weather.humidity(moment)
    case .dewPoint: units.temperature(weather.dewPoint(moment))
    case .apparent: units.temperature(weather.apparent(moment))
    case .wetBulb: units.temperature(weather.wetBulb(moment))
    case .vapourDeficit: weather.vapourDeficit(moment)
    case .precipitation: units.rain(weather.rain(moment, over: span))
    case .rain: units.rain(weather.parts(moment, over: span)?.rain)
    case .snowfall:
      weather.parts(moment, over: span).map { parts in
        // 7 cm of snow are 10 mm of water, as in Open-Meteo's documentation.
        let height = parts.snow * 0.7
        return units.rain == "inch" ? height / 2.54 : height
      }
    case .cloud: weather.forecast.value(.cloud, at: moment)
    case .windSpeed: units.wind(weather.forecast.value(.windSpeed, at: moment))
    case .windDirection: weather.forecast.value(.windDirection, at: moment)
    case .windGusts: units.wind(weather.forecast.value(.windGust, at: moment))
    case .seaLevelPressure: weather.seaLevelPressure(moment)
    case .surfacePressure: weather.surfacePressure(moment)
    case .code: weather.code(moment, over: span)
    case .isDay:
      weather.forecast.column(at: moment).map { _ in
        Sun.isUp(weather.forecast.location, at: moment) ? 1 : 0
      }
    }
  }
}

/// How a value of a day follows from those of its hours.
enum DailyStatistic: String, CaseIterable {
  case maximum = "max"
  case minimum = "min"
  case mean
  case sum
  case dominant
  /// The number of hours with precipitation.
  case hours
  /// The most severe code.
  case severest

  /// The number of the statistic in the format of FlatBuffers.
  var number: UInt8 {
    switch self {
    case .maximum: 2
    case .minimum: 1
    case .mean: 3
    case .sum: 10
    case .dominant: 9
    case .hours, .severest: 0
    }
  }
}

/// A variable of a day.
enum DailyVariable: Hashable {
  case statistic(HourlyVariable, DailyStatistic)
  case sunrise, sunset, daylight

  /// Parses the name of a daily variable; `nil` if the station does not compute it.
  init?(_ name: String) {
    switch name {
    case "sunrise": self = .sunrise
    case "sunset": self = .sunset
    case "daylight_duration": self = .daylight
    case "weather_code": self = .statistic(.code, .severest)
    case "precipitation_hours": self = .statistic(.precipitation, .hours)
    default:
      guard let last = name.lastIndex(of: "_"),
        let statistic = DailyStatistic(rawValue: String(name[name.index(after: last)...])),
        let hourly = HourlyVariable(rawValue: String(name[..<last]))
      else { return nil }
      let isSum = [.precipitation, .rain, .snowfall].contains(hourly)
      let fitting: [DailyStatistic] =
        isSum ? [.sum] : hourly == .windDirection ? [.dominant] : [.maximum, .minimum, .mean]
      guard fitting.contains(statistic), hourly != .code, hourly != .isDay else { return nil }
      self = .statistic(hourly, statistic)
    }
  }

  /// The names of all daily variables that the station computes.
  static let names =
    ["weather_code", "sunrise", "sunset", "daylight_duration", "precipitation_hours"]
    + HourlyVariable.allCases.flatMap { hourly in
      DailyStatistic.allCases.map { "\(hourly.rawValue)_\($0.rawValue)" }.filter {
        DailyVariable($0) != nil
      }
    }

  /// Returns the value of a statistic over the hours of a day; `nil` if an hourly value is missing.
  static func value(
    of hourly: HourlyVariable, _ statistic: DailyStatistic, _ weather: Weather, _ hours: [Int],
    _ units: ChosenUnits
  ) -> Double? {
    guard let first = hours.first else { return nil }
    let end = first + hours.count * 3600
    if hourly == .precipitation, statistic == .sum,
      let fallen = weather.forecast.rain(from: first, to: end)
    {
      return units.rain(fallen)
    }
    // The hourly values of rain and snow are those of the hour before.
    let isFallen = [.sum, .hours].contains(statistic)
    var values = hours.compactMap { hourly.value(weather, $0 + (isFallen ? 3600 : 0), units) }
    guard values.count == hours.count else { return nil }
    if hourly == .temperature, let seen = weather.measured?.temperatures(from: first, to: end) {
      if statistic == .maximum { values += [units.temperature(seen.high)].compactMap { $0 } }
      if statistic == .minimum { values += [units.temperature(seen.low)].compactMap { $0 } }
    }
    switch statistic {
    case .minimum: return values.min()
    case .maximum, .severest: return values.max()
    case .dominant:
      let speeds = hours.compactMap { weather.forecast.value(.windSpeed, at: $0) }
      return FourServices.meanAngle(values, weights: speeds.count == values.count ? speeds : nil)
    case .sum: return values.reduce(0, +)
    case .hours: return Double(values.count { $0 > (units.rain == "inch" ? 0.001 / 25.4 : 0.001) })
    case .mean: return values.reduce(0, +) / Double(values.count)
    }
  }
}

/// Names of variables as other programs know them.
enum VariableNames {
  /// Returns the current spelling of a name; Open-Meteo still accepts its earlier ones.
  static func current(_ name: String) -> String {
    for (old, new) in earlier where name == old || name.hasPrefix(old + "_") {
      return new + name.dropFirst(old.count)
    }
    return name
  }

  private static let earlier = [
    ("relativehumidity_2m", "relative_humidity_2m"), ("dewpoint_2m", "dew_point_2m"),
    ("cloudcover", "cloud_cover"), ("windspeed_10m", "wind_speed_10m"),
    ("winddirection_10m", "wind_direction_10m"), ("windgusts_10m", "wind_gusts_10m"),
    ("weathercode", "weather_code"), ("vapor_pressure_deficit", "vapour_pressure_deficit"),
    ("temperature_2m_average", "temperature_2m_mean"),
  ]

  /// Returns `true` if Open-Meteo has a variable that the station does not compute; responses contain null for it.
  static func isKnown(_ name: String, daily: Bool) -> Bool {
    if isFamily(name) { return true }
    guard daily, let last = name.lastIndex(of: "_") else { return false }
    let statistics = ["max", "min", "mean", "sum", "dominant", "duration", "spread"]
    return statistics.contains(String(name[name.index(after: last)...]))
      && isFamily(name[..<last])
  }

  /// Returns `true` if a name, without its heights or depths such as `_80m`, `_0_to_7cm` or `_850hPa`, is that of a
  /// family of variables.
  private static func isFamily(_ name: some StringProtocol) -> Bool {
    let words = name.split(separator: "_", omittingEmptySubsequences: false)
    // A number without a unit is the start of a range, as in `_0_to_7cm`, or a threshold.
    let hasRange = words.contains("to") || words.contains("base")
    let base = words.filter { word in
      let unit = word.drop { $0.isASCII && $0.isNumber }
      let isPlace =
        unit.count < word.count && (["m", "cm", "hPa"].contains(unit) || hasRange && unit.isEmpty)
      return !isPlace && !["to", "instant", "probability", "index", "base", "limit"].contains(word)
    }
    return families.contains(base.joined(separator: "_"))
  }

  private static let families: Set<String> = [
    "precipitation", "showers", "snow_depth", "cloud_cover", "cloud_cover_low", "cloud_cover_mid",
    "cloud_cover_high", "visibility", "evapotranspiration", "et0_fao_evapotranspiration",
    "potential_evapotranspiration", "wind_gusts", "wind_speed", "wind_direction", "temperature",
    "relative_humidity", "dew_point", "geopotential_height", "vertical_velocity",
    "soil_temperature", "soil_moisture", "surface_temperature", "uv", "uv_clear_sky",
    "sunshine", "sunshine_duration", "cape", "lifted", "convective_inhibition",
    "freezing_level_height", "boundary_layer_height", "lightning_potential", "lightning_density",
    "snowfall", "snowfall_height", "snowfall_water_equivalent", "snow_height", "snow_density",
    "snow_depth_water_equivalent", "total_column_integrated_water_vapour", "total_column_water",
    "shortwave_radiation", "shortwave_radiation_clear_sky", "direct_radiation",
    "diffuse_radiation", "direct_normal_irradiance", "global_tilted_irradiance",
    "terrestrial_radiation", "longwave_radiation", "rain", "freezing_rain", "ice_pellets",
    "thunderstorm", "hail", "albedo", "air_density", "mass_density", "cloud", "cloud_top",
    "convective_cloud", "convective_cloud_top", "cloud_ceiling", "growing_degree_days", "k",
    "latent_heat_flux", "sensible_heat_flux", "leaf_wetness", "precipitation_type",
    "roughness_length", "runoff", "updraft", "sea_ice_thickness", "sea_ice_cover",
    "sea_level_height_msl", "sea_surface_temperature", "sea_water_salinity",
    "ocean_current_direction", "ocean_current_velocity", "wave_direction", "wave_height",
    "wave_peak_period", "wave_period", "temperature_max", "temperature_min", "radar_reflectivity",
    "moon_phase", "moonrise", "moonset",
  ]
}
