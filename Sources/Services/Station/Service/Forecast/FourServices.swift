import Forecasts
import Glibc
import Support

/// The four services of METEO-IST, computed from any forecast.
///
/// Where the specification of these services is incomplete, the documentation page FourServices
/// lists the decisions made here.
struct FourServices {
  /// The services, each with its path.
  enum Service: String, CaseIterable {
    case quick = "/QuickPrevByDate.php"
    case day = "/PrevByDateAndMetric.php"
    case median = "/MedianPrevByDays.php"
    case next = "/PrevForNextHoursByMetric.php"
  }

  /// The parameters of all four services; every service accepts all of them, because the
  /// specification's example uses a parameter of a different service.
  static let parameters = ["Lon", "Lat", "Date", "Metric", "Days", "Step"]

  let source: ForecastSource

  /// Returns the response, which depends only on the request and the forecasts.
  func response(_ service: Service, _ query: APIRequest) -> APIResponse {
    do throws(HTTPError) {
      let content: JSONValue
      switch service {
      case .quick: content = try quick(query)
      case .day: content = try day(query)
      case .median: content = try median(query)
      case .next: content = try next(query)
      }
      var response = APIResponse.json(.object([("response", content)]))
      response.isKept = true
      return response
    } catch {
      return error.response
    }
  }

  // MARK: - Each service

  private func quick(_ query: APIRequest) throws(HTTPError) -> JSONValue {
    let forecast = try forecast(query)
    let moment = try hour(
      query, instead: "; use PrevByDateAndMetric.php for a whole day of one metric")
    try require(forecast, [moment])
    let hours = Self.hours(of: CivilTime.startOfDay(moment))
    return .object(
      ServiceMetric.allCases.map { metric in
        let now = metric.written(metric.value(forecast, at: moment))
        guard metric == .temp else { return (metric.rawValue, .object([("now", now)])) }
        let all = Self.all(metric, forecast, hours)
        return (
          metric.rawValue,
          .object([
            ("max", metric.written(all?.max())), ("min", metric.written(all?.min())), ("now", now),
          ])
        )
      })
  }

  private func day(_ query: APIRequest) throws(HTTPError) -> JSONValue {
    let forecast = try forecast(query)
    let metric = try metric(query)
    let day = try day(of: query)
    return try points(metric, forecast, from: day, step: try step(of: query))
  }

  private func next(_ query: APIRequest) throws(HTTPError) -> JSONValue {
    let forecast = try forecast(query)
    let metric = try metric(query)
    let moment = try hour(query, instead: "")
    return try points(metric, forecast, from: moment, step: try step(of: query))
  }

  /// Returns the values of 24 hours with a step in seconds.
  private func points(
    _ metric: ServiceMetric, _ forecast: PointForecast, from start: Int, step: Int
  ) throws(HTTPError) -> JSONValue {
    let times = Array(stride(from: start, to: start + 86400, by: step))
    let values = times.map { metric.value(forecast, at: $0, over: step) }
    guard values.contains(where: { $0 != nil }) else { throw Self.missing(times, forecast) }
    return .object([("points", .array(values.map(metric.written)))])
  }

  private func median(_ query: APIRequest) throws(HTTPError) -> JSONValue {
    let forecast = try forecast(query)
    let day = try day(of: query)
    guard let text = query.value("Days"), let count = APIRequest.whole(text),
      (0...7).contains(count)
    else {
      throw HTTPError(
        status: 400, code: "bad_days",
        message: "Days must be a whole number from 0, the day itself, to 7")
    }
    try require(forecast, Self.hours(of: day))
    return .array((0...count).map { summary(forecast, Self.hours(of: day + $0 * 86400)) })
  }

  /// Returns a day as one value per metric; empty if the forecast does not cover the whole day.
  private func summary(_ forecast: PointForecast, _ hours: [Int]) -> JSONValue {
    .object(
      ServiceMetric.allCases.map { metric in
        let all = Self.all(metric, forecast, hours)
        switch metric {
        case .temp:
          return (
            metric.rawValue,
            .object([
              ("max", metric.written(all?.max())), ("min", metric.written(all?.min())),
              ("median", metric.written(all.map(Self.median))),
            ])
          )
        case .rain: return (metric.rawValue, .object([("sum", metric.written(all?.reduce(0, +)))]))
        case .windDirection:
          return (
            metric.rawValue,
            .object([("median", metric.written(all.flatMap { Self.meanAngle($0) }))])
          )
        default:
          return (metric.rawValue, .object([("median", metric.written(all.map(Self.median)))]))
        }
      })
  }

  // MARK: - Parameters

  private func forecast(_ query: APIRequest) throws(HTTPError) -> PointForecast {
    guard let lon = query.value("Lon").flatMap(APIRequest.decimal),
      let lat = query.value("Lat").flatMap(APIRequest.decimal),
      let location = GeoPoint(latitude: lat, longitude: lon)
    else {
      throw HTTPError(
        status: 400, code: "bad_place",
        message: "Lon and Lat must be decimal degrees, such as Lon=-9.1393 and Lat=38.7223")
    }
    return try Self.forecast(source, location)
  }

  /// Returns the forecast for a location, or throws an error with the reason why there is none.
  static func forecast(_ source: ForecastSource, _ location: GeoPoint) throws(HTTPError)
    -> PointForecast
  {
    let found: PointForecast?
    do throws(ForecastFileError) {
      found = try source.forecast(at: location)
    } catch {
      // The file's name and error appear only in the operator's log.
      throw HTTPError(
        status: 503, code: "unavailable", message: "the forecast cannot be read now; try again")
    }
    guard let found else {
      guard !source.set.files.isEmpty else {
        throw HTTPError(
          status: 503, code: "unavailable",
          message: "no forecast file can be read now")
      }
      var message =
        "cannot generate forecasts for the selected location: it is outside the grid"
      if let other = GeoPoint(latitude: location.latitude, longitude: -location.longitude),
        (try? source.forecast(at: other)) ?? nil != nil
      {
        message += "; longitudes west of Greenwich are negative: did you mean \(other.longitude)?"
      }
      throw HTTPError(status: 404, code: "outside_grid", message: message)
    }
    return found
  }

  private func metric(_ query: APIRequest) throws(HTTPError) -> ServiceMetric {
    let text = query.value("Metric") ?? ""
    guard let metric = ServiceMetric(rawValue: text.lowercased()) else {
      throw HTTPError(
        status: 400, code: "unknown_metric",
        message: "Metric must be one of "
          + ServiceMetric.allCases.map(\.rawValue).joined(separator: ", ")
          + (text.isEmpty ? "" : ", not \(HTTPError.quoted(text))"))
    }
    return metric
  }

  /// Returns the time in seconds between two values of a day: an hour, or 15 minutes on request.
  private func step(of query: APIRequest) throws(HTTPError) -> Int {
    guard let text = query.value("Step") else { return 3600 }
    guard let minutes = APIRequest.whole(text), [15, 60].contains(minutes) else {
      throw HTTPError(
        status: 400, code: "bad_step",
        message: "Step must be 60 or 15, the minutes between two values")
    }
    return minutes * 60
  }

  private func hour(_ query: APIRequest, instead: String) throws(HTTPError) -> Int {
    guard let moment = query.value("Date").flatMap(ServiceDate.hour) else {
      throw HTTPError(
        status: 400, code: "bad_date",
        message:
          "Date must be a day and an hour in UTC as yyyyMMdd_HH, such as 20131001_01\(instead)")
    }
    return moment
  }

  private func day(of query: APIRequest) throws(HTTPError) -> Int {
    guard let moment = query.value("Date").flatMap(ServiceDate.day) else {
      throw HTTPError(
        status: 400, code: "bad_date",
        message: "Date must be a day in UTC as yyyyMMdd, such as 20131001"
      )
    }
    return moment
  }

  /// Throws an error if the forecast covers none of the hours.
  private func require(_ forecast: PointForecast, _ hours: [Int]) throws(HTTPError) {
    guard hours.contains(where: { forecast.column(at: $0) != nil }) else {
      throw Self.missing(hours, forecast)
    }
  }

  private static func missing(_ hours: [Int], _ forecast: PointForecast) -> HTTPError {
    let starts = forecast.columns.compactMap(\.times.first)
    let known = starts.min().map(CivilTime.stamp) ?? "never"
    return HTTPError(
      status: 404, code: "no_forecast",
      message: "there is no forecast for \(CivilTime.stamp(hours[0])); it covers \(known) to "
        + (forecast.end.map(CivilTime.stamp) ?? "never"))
  }

  // MARK: - Days

  static func hours(of day: Int) -> [Int] { (0..<24).map { day + $0 * 3600 } }

  /// Returns the values of consecutive hours; `nil` if a value is missing.
  private static func all(_ metric: ServiceMetric, _ forecast: PointForecast, _ hours: [Int])
    -> [Double]?
  {
    let values = hours.compactMap { metric.value(forecast, at: $0) }
    return values.count == hours.count ? values : nil
  }

  /// Returns the median of values.
  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Returns the circular mean of directions in degrees, with or without weights; `nil` if the directions cancel out.
  static func meanAngle(_ degrees: [Double], weights: [Double]? = nil) -> Double? {
    var (east, north) = (0.0, 0.0)
    for (index, angle) in degrees.enumerated() {
      east += (weights?[index] ?? 1) * sin(angle * .pi / 180)
      north += (weights?[index] ?? 1) * cos(angle * .pi / 180)
    }
    guard (east * east + north * north).squareRoot() > 1e-6 * Double(degrees.count) else {
      return nil
    }
    let angle = atan2(east, north) * 180 / .pi
    return angle < 0 ? angle + 360 : angle
  }
}

/// The date formats of the four services, `20131001_01` and `20131001`, in UTC.
enum ServiceDate {
  /// Parses a day and an hour, such as `20131001_01`.
  static func hour(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 11, bytes[8] == UInt8(ascii: "_"), let day = day(String(text.prefix(8))),
      let hour = digits(bytes[9...]), hour < 24
    else { return nil }
    return day + hour * 3600
  }

  /// Parses a day, such as `20131001`.
  static func day(_ text: String) -> Int? {
    let bytes = Array(text.utf8)
    guard bytes.count == 8, let year = digits(bytes[..<4]), let month = digits(bytes[4..<6]),
      let day = digits(bytes[6...])
    else { return nil }
    return CivilTime.seconds(year, month, day)
  }

  private static func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for byte in bytes {
      guard (48...57).contains(byte) else { return nil }
      value = value * 10 + Int(byte - 48)
    }
    return value
  }
}

/// The seven metrics of the four services.
enum ServiceMetric: String, CaseIterable {
  case temp, hum, rain, cloud
  case windSpeed = "wind_vel"
  case windDirection = "wind_dir"
  case pressure = "atm_press"

  /// The number of decimals in responses.
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

  /// Returns the value at a time: the temperature in °C, the humidity in %, the rain of the
  /// following time, usually an hour, in mm, the cloud cover in %, the wind speed in m/s, the wind direction in
  /// degrees from north, or the pressure at sea level in mbar.
  func value(_ forecast: PointForecast, at moment: Int, over span: Int = 3600) -> Double? {
    guard let quantity else { return forecast.rain(from: moment, to: moment + span) }
    return forecast.value(quantity, at: moment)
  }

  /// Formats a value, which for 360° is written as 0°.
  func written(_ value: Double?) -> JSONValue {
    if self == .windDirection, let value, value >= 359.5 { return .integer(0) }
    return .rounded(value, decimals)
  }
}
