import Forecasts
import Support

/// The parameters of a request to `/v1/forecast` for one location.
struct ForecastRequest {
  /// A variable as the client spells it; `nil` if Open-Meteo has it and the station does not.
  struct Asked<Variable> {
    let name: String
    let variable: Variable?
  }

  let location: GeoPoint
  /// The elevation in m that the client states; `nil` for that of the model.
  let elevation: Double?
  let hourly: [Asked<HourlyVariable>]
  let minutely: [Asked<HourlyVariable>]
  let daily: [Asked<DailyVariable>]
  let current: [Asked<HourlyVariable>]
  /// `true` if the response contains the current weather in Open-Meteo's earlier form.
  let hasCurrentWeather: Bool
  let units: ChosenUnits
  let zone: Zone
  /// The offset to UTC in seconds at the time of the request, which clients add to times in the response.
  let shift: Int
  let isUnixTime: Bool
  let isCorrected: Bool
  let format: Format
  /// The start of the first requested day in local time, and the number of days.
  let days: (first: Int, count: Int)
  /// The requested times with hourly and 15-minute values, in seconds since 1970.
  let hours: Range<Int>, quarters: Range<Int>
  /// `true` if times before today are requested.
  let hasPast: Bool

  /// The formats of responses.
  enum Format: String, CaseIterable { case json, flatbuffers }

  /// The accepted parameters; any others are rejected, so typing errors are detected.
  static let names = [
    "latitude", "longitude", "hourly", "daily", "current", "minutely_15", "current_weather",
    "timezone", "timeformat", "temperature_unit", "wind_speed_unit", "windspeed_unit",
    "precipitation_unit", "forecast_days", "past_days", "forecast_hours", "past_hours",
    "forecast_minutely_15", "past_minutely_15", "start_date", "end_date", "start_hour", "end_hour",
    "start_minutely_15", "end_minutely_15", "elevation", "models", "cell_selection",
    "temporal_resolution", "tilt", "azimuth",
    "apikey",
    "format", "corrected",
  ]

  /// The maximum number of locations in a request.
  static let mostLocations = 100

  /// Parses a request for one or several locations.
  ///
  /// - Parameters:
  ///   - query: The request.
  ///   - now: The current time in seconds since 1970.
  /// - Returns: The parameters for each location.
  /// - Throws: `HTTPError` with a message that names the parameter.
  static func read(_ query: APIRequest, now: Int) throws(HTTPError) -> [ForecastRequest] {
    for parameter in query.parameters where !names.contains(parameter.name) {
      throw rejection(
        "unknown parameter \(HTTPError.quoted(parameter.name))"
          + NearestWord.hint(parameter.name, among: names)
          + "; accepted are \(names.joined(separator: ", "))")
    }
    let (latitudes, longitudes) = (query.words("latitude"), query.words("longitude"))
    guard latitudes.count == longitudes.count || latitudes.isEmpty || longitudes.isEmpty else {
      throw rejection(
        "latitude and longitude must have the same number of values, not \(latitudes.count) and "
          + "\(longitudes.count)")
    }
    guard latitudes.count <= mostLocations else {
      throw rejection("a request may have at most \(mostLocations) locations")
    }
    let count = max(1, latitudes.count)
    let (zones, heights) = (query.words("timezone"), query.words("elevation"))
    for (name, list) in [("timezone", zones), ("elevation", heights)]
    where list.count > 1 && list.count != count {
      throw rejection("\(name) must have one value, or one for each location")
    }
    var requests: [ForecastRequest] = []
    for index in 0..<count {
      requests.append(
        try ForecastRequest(
          query, latitudes.isEmpty ? nil : latitudes[index],
          longitudes.isEmpty ? nil : longitudes[index],
          zone: zones.isEmpty ? "GMT" : zones[min(index, zones.count - 1)],
          elevation: heights.isEmpty ? nil : heights[min(index, heights.count - 1)], now: now))
    }
    return requests
  }

  private init(
    _ query: APIRequest, _ latitude: String?, _ longitude: String?, zone asked: String,
    elevation height: String?, now: Int
  ) throws(HTTPError) {
    guard let north = latitude.flatMap(APIRequest.decimal),
      let east = longitude.flatMap(APIRequest.decimal),
      let location = GeoPoint(latitude: north, longitude: east)
    else {
      let words = [("latitude", latitude), ("longitude", longitude)].map { name, word in
        word.map { "\(name) \(HTTPError.quoted($0))" } ?? "no \(name)"
      }
      throw Self.rejection(
        "latitude (-90 to 90) and longitude (-180 to 360) must be given, in degrees with decimals"
          + (latitude == nil && longitude == nil
            ? "" : "; found \(words.joined(separator: " and "))"))
    }
    self.location = location
    elevation = try Self.elevation(height)
    hourly = try Self.variables("hourly", query) { HourlyVariable(rawValue: $0) }
    minutely = try Self.variables("minutely_15", query) { HourlyVariable(rawValue: $0) }
    current = try Self.variables("current", query) { HourlyVariable(rawValue: $0) }
    daily = try Self.variables("daily", query) { DailyVariable($0) }
    hasCurrentWeather = try Self.choice("current_weather", query, ["false", "true"]) == "true"
    if query.value("wind_speed_unit") != nil, query.value("windspeed_unit") != nil {
      throw Self.rejection("wind_speed_unit and windspeed_unit are the same parameter; give one")
    }
    let windName = query.value("windspeed_unit") == nil ? "wind_speed_unit" : "windspeed_unit"
    units = ChosenUnits(
      temperature: try Self.choice("temperature_unit", query, ["celsius", "fahrenheit"]),
      wind: try Self.choice(windName, query, ["kmh", "ms", "mph", "kn"]),
      rain: try Self.choice("precipitation_unit", query, ["mm", "inch"]))
    isUnixTime = try Self.choice("timeformat", query, ["iso8601", "unixtime"]) == "unixtime"
    isCorrected = try Self.choice("corrected", query, ["true", "false"]) == "true"
    _ = try Self.choice("cell_selection", query, ["land", "sea", "nearest"])
    _ = try Self.choice("temporal_resolution", query, ["hourly"])
    let wanted = try Self.choice("format", query, Format.allCases.map(\.rawValue))
    format = Format(rawValue: wanted) ?? .json
    guard query.words("models").count <= 1 else {
      throw Self.rejection("models: this station has one forecast; give at most one name")
    }
    let zones = TimeZones.system
    guard let zone = asked == "auto" ? zones.zone(of: location) : zones.zone(named: asked) else {
      throw Self.rejection(
        "unknown timezone \(HTTPError.quoted(asked)); accepted are auto and "
          + (zones.isWhole
            ? "the names of the IANA time zone database, such as Europe/Lisbon"
            : "few zones of Portugal and Spain, because this system has no time zone database"))
    }
    self.zone = zone
    shift = zone.offset(at: now)
    let span = try ForecastSpan(query, zone, now: now)
    (days, hours, quarters) = (span.days, span.hours, span.quarters)
    let today = zone.utc(CivilTime.startOfDay(now + zone.offset(at: now)))
    hasPast =
      zone.utc(days.first) < today || hours.lowerBound < today || quarters.lowerBound < today
  }

  static func rejection(_ message: String) -> HTTPError {
    HTTPError(status: 400, code: "bad_request", message: message)
  }

  private static func elevation(_ text: String?) throws(HTTPError) -> Double? {
    // `nan` requests values that are not adjusted, as for Open-Meteo.
    guard let text, text != "nan" else { return nil }
    guard let height = APIRequest.decimal(text), (-500...9000).contains(height) else {
      throw rejection("elevation must be a number of metres from -500 to 9000, or nan")
    }
    return height
  }

  private static func variables<Variable>(
    _ name: String, _ query: APIRequest, _ parse: (String) -> Variable?
  ) throws(HTTPError) -> [Asked<Variable>] {
    var found: [Asked<Variable>] = []
    for word in query.words(name) where !found.contains(where: { $0.name == word }) {
      let current = VariableNames.current(word)
      let variable = parse(current)
      let isDaily = name == "daily"
      // Open-Meteo's parameters of hours include some with statistics, but those of days none without.
      let isHourly = isDaily && HourlyVariable(rawValue: current) != nil
      guard variable != nil || !isHourly && VariableNames.isKnown(current, daily: isDaily) else {
        let accepted = isDaily ? DailyVariable.names : HourlyVariable.allCases.map(\.rawValue)
        throw rejection(
          "\(name) has no variable \(HTTPError.quoted(word))"
            + NearestWord.hint(word, among: accepted)
            + "; this station computes \(accepted.joined(separator: ", "))")
      }
      found.append(Asked(name: word, variable: variable))
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
}

/// The days, hours and quarters of an hour that a request asks for.
private struct ForecastSpan {
  var days: (first: Int, count: Int)
  var hours: Range<Int>, quarters: Range<Int>

  /// The maximum numbers of days before and after today.
  private static let mostPast = 92, mostAhead = 16

  init(_ query: APIRequest, _ zone: Zone, now: Int) throws(HTTPError) {
    let today = CivilTime.startOfDay(now + zone.offset(at: now))
    if let dates = try Self.pair(query, "start_date", "end_date", Self.date) {
      for name in ["forecast_days", "past_days"] where query.value(name) != nil {
        throw ForecastRequest.rejection("\(name) cannot be combined with start_date and end_date")
      }
      let allowed = (today - Self.mostPast * 86400)...(today + Self.mostAhead * 86400)
      guard allowed.contains(dates.from), allowed.contains(dates.to) else {
        throw ForecastRequest.rejection(
          "start_date and end_date must be from \(CivilTime.dateText(of: allowed.lowerBound)) to "
            + CivilTime.dateText(of: allowed.upperBound))
      }
      days = (dates.from, (dates.to - dates.from) / 86400 + 1)
    } else {
      let count = try Self.number("forecast_days", query, 0...Self.mostAhead) ?? 7
      let past = try Self.number("past_days", query, 0...Self.mostPast) ?? 0
      days = (today - past * 86400, count + past)
    }
    let whole = zone.utc(days.first)..<zone.utc(days.first + days.count * 86400)
    hours = try Self.range(query, "hour", "hours", zone, whole, step: 3600, now)
    // A start and an end of the hours are also those of the quarters.
    let isGiven = query.value("start_hour") != nil
    quarters = try Self.range(
      query, "minutely_15", "minutely_15", zone, isGiven ? hours : whole, step: 900, now)
  }

  /// Returns the times of a step: those between a start and an end, or a number before and after now, or those of the
  /// days.
  private static func range(
    _ query: APIRequest, _ one: String, _ many: String, _ zone: Zone, _ whole: Range<Int>,
    step: Int,
    _ now: Int
  ) throws(HTTPError) -> Range<Int> {
    let most = (mostPast + mostAhead) * 86400
    // Steps begin at full hours of the local time.
    func start(_ moment: Int) -> Int {
      moment - CivilTime.modulo(moment + zone.offset(at: moment), step)
    }
    let first = start(now)
    let limits = (now - mostPast * 86400 - 86400)..<(now + mostAhead * 86400 + 86400)
    let (startName, endName) = ("start_\(one)", "end_\(one)")
    let ahead = try number("forecast_\(many)", query, 0...most / step)
    let before = try number("past_\(many)", query, 0...most / step)
    if let times = try pair(query, startName, endName, minute) {
      if ahead != nil || before != nil {
        throw ForecastRequest.rejection(
          "forecast_\(many) and past_\(many) cannot be combined with \(startName) and \(endName)")
      }
      let (from, to) = (zone.utc(times.from), zone.utc(times.to))
      guard limits.contains(from), limits.contains(to) else {
        throw ForecastRequest.rejection(
          "\(startName) and \(endName) must be at most \(mostPast) days ago and \(mostAhead) days ahead"
        )
      }
      return start(from)..<(to + 1)
    }
    guard ahead != nil || before != nil else { return whole }
    let last = ahead.map { first + $0 * step } ?? max(whole.upperBound, first)
    return min(first - (before ?? 0) * step, last)..<last
  }

  private static func number(_ name: String, _ query: APIRequest, _ range: ClosedRange<Int>)
    throws(HTTPError) -> Int?
  {
    guard let text = query.value(name) else { return nil }
    guard let number = APIRequest.whole(text), range.contains(number) else {
      throw ForecastRequest.rejection(
        "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), not "
          + HTTPError.quoted(text))
    }
    return number
  }

  /// Returns two times that must be given together, in order.
  private static func pair(
    _ query: APIRequest, _ first: String, _ last: String, _ parse: (String) -> Int?
  ) throws(HTTPError) -> (from: Int, to: Int)? {
    guard query.value(first) != nil || query.value(last) != nil else { return nil }
    func time(_ name: String) throws(HTTPError) -> Int {
      guard let text = query.value(name) else {
        throw ForecastRequest.rejection("\(first) and \(last) must be given together")
      }
      guard let time = parse(text) else {
        let form = name.hasSuffix("date") ? "2026-01-31" : "2026-01-31T18:00"
        throw ForecastRequest.rejection(
          "\(name) must be a local time such as \(form), not \(HTTPError.quoted(text))")
      }
      return time
    }
    let (from, to) = (try time(first), try time(last))
    guard from <= to else { throw ForecastRequest.rejection("\(last) is before \(first)") }
    return (from, to)
  }

  /// Parses a day, such as `2026-01-31`.
  private static func date(_ text: String) -> Int? {
    text.utf8.count == 10 ? Moment.read(text) : nil
  }

  /// Parses a minute, such as `2026-01-31T18:00`.
  private static func minute(_ text: String) -> Int? {
    text.utf8.count == 16 ? Moment.read(text) : nil
  }
}

extension Zone {
  /// Returns the UTC time of a local time.
  func utc(_ local: Int) -> Int {
    let guess = local - offset(at: local)
    return local - offset(at: guess)
  }
}
