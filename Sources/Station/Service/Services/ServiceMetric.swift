import Forecasts

/// The seven metrics of the four services.
enum ServiceMetric: String, CaseIterable {
  case temp, hum, rain, cloud
  case windSpeed = "wind_vel"
  case windDirection = "wind_dir"
  case pressure = "atm_press"

  /// How many decimals are worth their bytes.
  var decimals: Int {
    switch self {
    case .temp, .rain, .windSpeed, .pressure: 1
    case .hum, .cloud, .windDirection: 0
    }
  }

  private var quantity: Column.Quantity? {
    switch self {
    case .temp: .temperature
    case .hum: .humidity
    case .rain: nil
    case .cloud: .cloud
    case .windSpeed: .windSpeed
    case .windDirection: .windDirection
    case .pressure: .seaLevelPressure
    }
  }

  /// Its value at an hour: °C, %, mm in the hour that begins, %, m/s, degrees from north, mbar at sea level.
  func value(_ forecast: PointForecast, at moment: Int) -> Double? {
    guard let quantity else { return forecast.rain(from: moment, to: moment + 3600) }
    return forecast.value(quantity, at: moment)
  }

  /// A value as it is written; 360° is 0°.
  func written(_ value: Double?) -> JSON {
    if self == .windDirection, let value, value >= 359.5 { return .int(0) }
    return .number(value, decimals)
  }
}
