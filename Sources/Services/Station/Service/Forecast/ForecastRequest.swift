import Forecasts

/// The parameters of a request to `/v1/forecast`.
struct ForecastRequest {
  let location: GeoPoint
  let hourly: [HourlyVariable]
  let daily: [DailyVariable]
  let current: [HourlyVariable]
  let units: ChosenUnits
  let zone: Zone
  let isUnixTime: Bool
  let isCorrected: Bool
  /// The start of the first requested day in local time, and the number of days.
  let days: (first: Int, count: Int)
  /// `true` if days before today are requested.
  var hasPast = false

  /// The accepted parameters; any others are rejected, so typing errors are detected.
  static let names = [
    "latitude", "longitude", "hourly", "daily", "current", "timezone", "timeformat",
    "temperature_unit", "wind_speed_unit", "precipitation_unit", "forecast_days", "past_days",
    "corrected",
  ]

  /// Parses a request.
  ///
  /// - Parameters:
  ///   - query: The request.
  ///   - now: The current time in seconds since 1970.
  /// - Throws: `HTTPError` with a message that names the parameter.
  init(_ query: APIRequest, now: Int) throws(HTTPError) {
    for parameter in query.parameters where !Self.names.contains(parameter.name) {
      throw Self.rejection(
        "unknown parameter \(HTTPError.quoted(parameter.name)); accepted are "
          + Self.names.joined(separator: ", "))
    }
    guard let latitude = query.value("latitude").flatMap(APIRequest.decimal),
      let longitude = query.value("longitude").flatMap(APIRequest.decimal),
      let location = GeoPoint(latitude: latitude, longitude: longitude)
    else {
      throw Self.rejection(
        "latitude (-90 to 90) and longitude (-180 to 360) must be given, in degrees with decimals")
    }
    self.location = location
    hourly = try Self.variables("hourly", query)
    daily = try Self.variables("daily", query)
    current = try Self.variables("current", query)
    units = ChosenUnits(
      temperature: try Self.choice("temperature_unit", query, ["celsius", "fahrenheit"]),
      wind: try Self.choice("wind_speed_unit", query, ["kmh", "ms", "mph", "kn"]),
      rain: try Self.choice("precipitation_unit", query, ["mm", "inch"]))
    isUnixTime = try Self.choice("timeformat", query, ["iso8601", "unixtime"]) == "unixtime"
    isCorrected = try Self.choice("corrected", query, ["true", "false"]) == "true"
    let asked = query.value("timezone") ?? "UTC"
    let zones = TimeZones.system
    guard let zone = asked == "auto" ? zones.zone(of: location) : zones.zone(named: asked) else {
      throw Self.rejection(
        "unknown timezone \(HTTPError.quoted(asked)); accepted are auto and "
          + (zones.isWhole
            ? "the names of the IANA time zone database, such as Europe/Lisbon"
            : "few zones of Portugal and Spain, because this system has no time zone database"))
    }
    self.zone = zone
    let count = try Self.number("forecast_days", query, 7, 1...8)
    let past = try Self.number("past_days", query, 0, 0...7)
    let today = CivilTime.startOfDay(now + zone.offset(at: now))
    days = (today - past * 86400, count + past)
    hasPast = past > 0
  }

  private static func rejection(_ message: String) -> HTTPError {
    HTTPError(status: 400, code: "bad_request", message: message)
  }

  private static func variables<Variable: RawRepresentable & CaseIterable>(
    _ name: String, _ query: APIRequest
  ) throws(HTTPError) -> [Variable] where Variable.RawValue == String {
    var found: [Variable] = []
    for word in query.words(name) {
      guard let variable = Variable(rawValue: word) else {
        throw rejection(
          "\(name) has no variable \(HTTPError.quoted(word)); accepted are "
            + Variable.allCases.map(\.rawValue).joined(separator: ", "))
      }
      if !found.contains(where: { $0.rawValue == word }) { found.append(variable) }
    }
    return found
  }

  private static func choice(_ name: String, _ query: APIRequest, _ choices: [String])
    throws(HTTPError) -> String
  {
    guard let text = query.value(name) else { return choices[0] }
    guard choices.contains(text) else {
      throw rejection(
        "\(name) must be one of \(choices.joined(separator: ", ")), not \(HTTPError.quoted(text))")
    }
    return text
  }

  private static func number(
    _ name: String, _ query: APIRequest, _ usual: Int, _ range: ClosedRange<Int>
  ) throws(HTTPError) -> Int {
    guard let text = query.value(name) else { return usual }
    guard let number = APIRequest.whole(text), range.contains(number) else {
      throw rejection(
        "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), not "
          + HTTPError.quoted(text))
    }
    return number
  }
}
