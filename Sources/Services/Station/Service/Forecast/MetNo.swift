import Forecasts
import Support

/// Serves the forecast in the format of the Norwegian Meteorological Institute's Locationforecast 2.0, variants
/// `compact` and `complete`, for the clients of that service.
struct MetNo {
  static let path = "/weatherapi/locationforecast/2.0/compact"
  static let completePath = "/weatherapi/locationforecast/2.0/complete"
  static let parameters = ["lat", "lon", "altitude"]

  /// The time in hours for which the response has hourly values; afterwards it has one for every six hours.
  private static let hourly = 60

  let source: ForecastSource
  /// `true` for the variant `complete`, which has the dew point and gusts as well; other fields of that variant are not in
  /// forecast files.
  var isComplete = false

  /// Returns the response, which depends only on the request, the forecasts and the current hour.
  func response(_ query: APIRequest, now: Int) throws(HTTPError) -> APIResponse {
    guard let latitude = query.value("lat").flatMap(APIRequest.decimal),
      let longitude = query.value("lon").flatMap(APIRequest.decimal),
      let location = GeoPoint(latitude: latitude, longitude: longitude)
    else {
      throw HTTPError(
        status: 400, code: "bad_place",
        message: "lat and lon must be decimal degrees, such as lat=38.7223 and lon=-9.1393")
    }
    let forecast = try FourServices.forecast(source, location)
    guard let end = forecast.end, end >= now, let column = forecast.column(at: now) else {
      throw HTTPError(
        status: 404, code: "no_forecast", message: "there is no forecast for this time")
    }
    let weather = Weather(forecast: forecast, correction: nil)
    let first = now - CivilTime.modulo(now, 3600)
    let near = (0..<Self.hourly).map { first + $0 * 3600 }
    let start = (near.last ?? first) + 3600
    let far = stride(from: start + CivilTime.modulo(-start, 21600), through: end, by: 21600)
    let series = (near + far).filter { forecast.column(at: $0) != nil }.map { step(weather, $0) }
    var response = APIResponse.json(
      .members([
        ("type", .string("Feature")),
        (
          "geometry",
          .members([
            ("type", .string("Point")),
            (
              "coordinates",
              .array([
                .rounded(location.longitude, 4), .rounded(location.latitude, 4),
                .rounded(column.elevation ?? 0, 0),
              ])
            ),
          ])
        ),
        (
          "properties",
          .members([
            (
              "meta",
              .members([
                ("updated_at", .string(CivilTime.stamp(column.reference))),
                ("units", .members(units)),
              ])
            ),
            ("timeseries", .array(series)),
          ])
        ),
      ]))
    response.type = "application/json"
    response.fields = Self.validity(of: first, now)
    return response
  }

  /// The units of the fields of the variant.
  private var units: [(String, JSONValue?)] {
    [
      ("air_pressure_at_sea_level", .string("hPa")), ("air_temperature", .string("celsius")),
      ("cloud_area_fraction", .string("%")), ("precipitation_amount", .string("mm")),
      ("relative_humidity", .string("%")), ("wind_from_direction", .string("degrees")),
      ("wind_speed", .string("m/s")),
      ("dew_point_temperature", isComplete ? .string("celsius") : nil),
      ("wind_speed_of_gust", isComplete ? .string("m/s") : nil),
    ]
  }

  /// Returns the header fields that state until when a response holds: its first hour changes at each full hour.
  private static func validity(of first: Int, _ now: Int) -> [(String, String)] {
    [
      ("Last-Modified", dateText(first)), ("Expires", dateText(first + 3600)),
      ("Cache-Control", "max-age=\(first + 3600 - now)"),
    ]
  }

  /// Returns a time as in HTTP (RFC 9110, 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func dateText(_ moment: Int) -> String {
    let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    let day = CivilTime.startOfDay(moment) / 86400
    let date = CivilTime.date(day)
    let time = CivilTime.stamp(moment).dropFirst(11).dropLast()
    return "\(days[CivilTime.modulo(day, 7)]), \(date.day < 10 ? "0" : "")\(date.day) "
      + "\(months[date.month - 1]) \(date.year) \(time) GMT"
  }

  private func step(_ weather: Weather, _ moment: Int) -> JSONValue {
    func value(_ quantity: Forecasts.Column.Quantity) -> JSONValue? {
      weather.forecast.value(quantity, at: moment).map { .rounded($0, 1) }
    }
    let details: [(String, JSONValue?)] = [
      ("air_pressure_at_sea_level", value(.seaLevelPressure)),
      ("air_temperature", value(.temperature)), ("cloud_area_fraction", value(.cloud)),
      ("relative_humidity", value(.humidity)), ("wind_from_direction", value(.windDirection)),
      ("wind_speed", value(.windSpeed)),
      (
        "dew_point_temperature",
        isComplete ? weather.dewPoint(moment).map { .rounded($0, 1) } : nil
      ),
      ("wind_speed_of_gust", isComplete ? value(.windGust) : nil),
    ]
    return .members([
      ("time", .string(CivilTime.stamp(moment))),
      (
        "data",
        .members([
          ("instant", .members([("details", .members(details))])),
          ("next_12_hours", period(weather, moment, hours: 12, hasAmount: false)),
          ("next_1_hours", period(weather, moment, hours: 1)),
          ("next_6_hours", period(weather, moment, hours: 6)),
        ])
      ),
    ])
  }

  /// Returns the weather of the hours after a time; `nil` if the forecast does not cover them.
  private func period(_ weather: Weather, _ moment: Int, hours: Int, hasAmount: Bool = true)
    -> JSONValue?
  {
    guard let rain = weather.rain(moment + hours * 3600, over: hours * 3600),
      let symbol = symbol(weather, moment, hours, rain)
    else { return nil }
    let amount = JSONValue.members([("precipitation_amount", JSONValue.rounded(rain, 1))])
    return .members([
      ("summary", .members([("symbol_code", JSONValue.string(symbol))])),
      ("details", hasAmount ? amount : .object([])),
    ])
  }

  /// Returns the code of the weather symbol.
  private func symbol(_ weather: Weather, _ moment: Int, _ hours: Int, _ rain: Double) -> String? {
    let clouds = (0...hours).compactMap { weather.forecast.value(.cloud, at: moment + $0 * 3600) }
    guard !clouds.isEmpty, let celsius = weather.temperature(moment) else { return nil }
    let cloud = clouds.reduce(0, +) / Double(clouds.count)
    let isDay = Sun.isUp(weather.forecast.location, at: moment + hours * 1800)
    let end = isDay ? "_day" : "_night"
    if rain / Double(hours) >= 0.1 {
      let rate = rain / Double(hours)
      let kind = celsius < 0.5 ? "snow" : celsius < 1.5 ? "sleet" : "rain"
      return (rate < 0.5 ? "light" : rate < 2.5 ? "" : "heavy") + kind
    }
    return cloud < 12.5
      ? "clearsky" + end
      : cloud < 37.5 ? "fair" + end : cloud < 81 ? "partlycloudy" + end : "cloudy"
  }
}
