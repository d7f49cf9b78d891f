import Forecasts
import Quantities
import Readings
import Support

/// Serves `/v1/forecast`, which returns the forecast in the format of Open-Meteo, corrected by the
/// station.
struct ForecastService {
  let source: ForecastSource
  let core: StationCore

  func response(_ query: APIRequest, now: Int) -> APIResponse {
    let clock = ContinuousClock()
    let begin = clock.now
    do throws(HTTPError) {
      let request = try ForecastRequest(query, now: now)
      let forecast = try FourServices.forecast(source, request.location)
      try require(request, forecast, now)
      var members = content(request, forecast, now)
      let spent = Double((clock.now - begin).components.attoseconds) / 1e15
      members.insert(("generationtime_ms", .rounded(spent, 3)), at: 3)
      return .json(.object(members))
    } catch {
      return error.openMeteo
    }
  }

  /// Returns `true` if the station now applies to a location, that is, if it is near and its last
  /// reading is valid.
  private func stationApplies(for location: GeoPoint) -> Bool {
    location.distance(to: core.site.location) <= core.site.radius
      && core.quality().status == "good"
  }

  /// Throws an error if all runs have ended, unless the station provides the current values or past
  /// days are requested.
  private func require(_ request: ForecastRequest, _ forecast: PointForecast, _ now: Int)
    throws(HTTPError)
  {
    guard let ended = forecast.ended(by: now), let last = forecast.lastColumn else { return }
    let asked = stride(
      from: request.days.first, to: request.days.first + request.days.count * 86400, by: 3600)
    let includesPast = request.hasPast && asked.contains { forecast.column(at: $0) != nil }
    guard !includesPast, !stationApplies(for: request.location) else { return }
    throw HTTPError(
      status: 404, code: "no_forecast",
      message:
        "there is no forecast for this time: the last run, of \(CivilTime.stamp(last.reference)), "
        + "ended \(CivilTime.stamp(ended))",
      more: [
        ("forecast_ended", .string(CivilTime.stamp(ended))),
        ("timezone", .string(request.zone.name)),
        ("utc_offset_seconds", .integer(request.zone.offset(at: ended))),
      ])
  }

  private func content(_ request: ForecastRequest, _ forecast: PointForecast, _ now: Int) -> [(
    String, JSONValue
  )] {
    let snapshot = core.snapshot()
    let stationApplies = stationApplies(for: request.location)
    let offset = stationApplies && request.isCorrected ? snapshot.offset : nil
    let shift = request.zone.offset(at: now)
    // If the station applies, all values refer to the station's elevation.
    var weather = Weather(
      forecast: forecast, offset: offset, site: stationApplies ? core.site : nil)
    // After all runs have ended, the hourly values are missing and the current values are the
    // station's.
    if stationApplies, request.isCorrected, forecast.ended(by: now) == nil {
      weather.measured = core.measured(from: request.days.first - shift, to: now)
    }
    let column = forecast.column(at: now) ?? forecast.lastColumn
    let encoder = ForecastEncoder(request: request, weather: weather)
    var members: [(key: String, value: JSONValue)] = [
      ("latitude", .rounded(forecast.location.latitude, 4)),
      ("longitude", .rounded(forecast.location.longitude, 4)),
      ("elevation", .rounded(weather.site?.elevation ?? column?.elevation, 1)),
      ("utc_offset_seconds", .integer(shift)),
      ("timezone", .string(request.zone.name)),
      (
        "timezone_abbreviation",
        .string(
          request.zone.name == "UTC" || request.zone.name == "GMT"
            ? request.zone.name : ForecastEncoder.abbreviation(shift))
      ),
    ]
    if !request.current.isEmpty {
      members += encoder.current(now, stationApplies ? snapshot : nil)
    }
    if !request.hourly.isEmpty { members += encoder.hourly() }
    if !request.daily.isEmpty { members += encoder.daily() }
    members.append(
      ("aneroid", .object(extras(request, weather, column, now))))
    return members
  }

  /// Returns the reason why the forecast is not corrected.
  private func obstacle(_ request: ForecastRequest, _ weather: Weather) -> String {
    if !request.isCorrected { return "not_asked_for" }
    if request.location.distance(to: core.site.location) > core.site.radius { return "too_far" }
    let snapshot = core.snapshot()
    let status = core.quality().status
    guard status == "good", let reading = snapshot.state.reading else { return status }
    return weather.forecast.column(at: reading.time) == nil ? "no_run" : "too_few_readings"
  }

  /// Returns the members that are not part of Open-Meteo's format.
  private func extras(
    _ request: ForecastRequest, _ weather: Weather, _ column: Column?, _ now: Int
  ) -> [(key: String, value: JSONValue)] {
    let offset = weather.offset
    var values: [(key: String, value: JSONValue)] = []
    if let value = offset?.temperature { values.append(("temperature_2m", .rounded(value, 2))) }
    if let value = offset?.humidity { values.append(("relative_humidity_2m", .rounded(value, 2))) }
    if let value = offset?.seaLevelPressure { values.append(("pressure_msl", .rounded(value, 2))) }
    let isSynthetic = column?.isSynthetic == true
    return [
      ("current_from", .string(weather.site == nil ? "model" : "station")),
      ("model_run", .text(column.map { CivilTime.stamp($0.reference) })),
      ("forecast_ended", .text(weather.forecast.ended(by: now).map { CivilTime.stamp($0) })),
      ("model_spacing_km", .rounded(column?.size, 1)),
      ("model_elevation", .rounded(column?.elevation, 1)),
      ("corrected", .bool(offset != nil)), ("offset", .object(values)),
      ("uncorrected_because", .text(offset == nil ? obstacle(request, weather) : nil)),
      ("fading_hours", .rounded(StationOffset.fading, 1)),
      ("labels", .array(isSynthetic ? [.string("synthetic")] : [])),
      ("warnings", .array(Warnings.find(weather, from: now).map(\.json))),
    ]
  }
}

/// Encodes the parts of a forecast response as JSON.
struct ForecastEncoder {
  let request: ForecastRequest
  let weather: Weather

  /// Returns the abbreviation of a time zone, such as `GMT+1` or `GMT-3:30`.
  static func abbreviation(_ shift: Int) -> String {
    guard shift != 0 else { return "GMT" }
    let minutes = abs(shift) / 60 % 60
    return "GMT\(shift > 0 ? "+" : "-")\(abs(shift) / 3600)"
      + (minutes == 0 ? "" : ":\(minutes < 10 ? "0" : "")\(minutes)")
  }

  /// Encodes a time, either in local time or as a number.
  private func time(_ moment: Int) -> JSONValue {
    if request.isUnixTime { return .integer(moment) }
    return .string(CivilTime.text(moment + request.zone.offset(at: moment)))
  }

  private func day(_ local: Int) -> JSONValue {
    request.isUnixTime ? .integer(utc(local)) : .string(CivilTime.dateText(of: local))
  }

  private var timeUnit: JSONValue { .string(request.isUnixTime ? "unixtime" : "iso8601") }

  /// Returns the UTC time of a local midnight.
  private func utc(_ local: Int) -> Int {
    let guess = local - request.zone.offset(at: local)
    return local - request.zone.offset(at: guess)
  }

  /// Returns the current values, which are the station's if the station applies to the location.
  func current(_ now: Int, _ snapshot: StationSnapshot?) -> [(key: String, value: JSONValue)] {
    let moment = now - CivilTime.modulo(now, 900)
    var units: [(key: String, value: JSONValue)] = [
      ("time", timeUnit), ("interval", .string("seconds")),
    ]
    var values: [(key: String, value: JSONValue)] = [
      ("time", time(moment)), ("interval", .integer(900)),
    ]
    for variable in request.current {
      units.append((variable.rawValue, .string(variable.unit(request.units))))
      let value: Double?
      switch variable {
      case .temperature:
        value = snapshot?.state.reading?.celsius.map { request.units.temperature($0) ?? $0 }
      case .humidity: value = snapshot?.state.reading?.humidity
      case .seaLevelPressure: value = snapshot?.state.seaLevel
      case .isDay: value = Sun.isUp(weather.forecast.location, at: moment) ? 1 : 0
      case .surfacePressure: value = snapshot?.state.reading?.pascals.map(Quantity.pressure.shown)
      case .precipitation:
        value = variable.value(
          weather, moment - CivilTime.modulo(moment, 3600) + 3600, request.units)
      default: value = nil
      }
      values.append(
        (
          variable.rawValue,
          .rounded(
            value ?? variable.value(weather, moment, request.units),
            variable.decimals(request.units))
        ))
    }
    return [("current_units", .object(units)), ("current", .object(values))]
  }

  /// Returns the hourly values of all requested days.
  func hourly() -> [(key: String, value: JSONValue)] {
    let first = utc(request.days.first)
    let end = utc(request.days.first + request.days.count * 86400)
    let moments = Array(stride(from: first, to: end, by: 3600))
    var units: [(key: String, value: JSONValue)] = [("time", timeUnit)]
    var values: [(key: String, value: JSONValue)] = [("time", .array(moments.map(time)))]
    for variable in request.hourly {
      units.append((variable.rawValue, .string(variable.unit(request.units))))
      let decimals = variable.decimals(request.units)
      values.append(
        (
          variable.rawValue,
          .array(moments.map { .rounded(variable.value(weather, $0, request.units), decimals) })
        ))
    }
    return [("hourly_units", .object(units)), ("hourly", .object(values))]
  }

  /// Returns the daily values of all requested days.
  func daily() -> [(key: String, value: JSONValue)] {
    let days = (0..<request.days.count).map { request.days.first + $0 * 86400 }
    var units: [(key: String, value: JSONValue)] = [("time", timeUnit)]
    var values: [(key: String, value: JSONValue)] = [("time", .array(days.map(day)))]
    for variable in request.daily {
      units.append(
        (variable.rawValue, variable.hourly.map { .string($0.unit(request.units)) } ?? timeUnit))
      values.append((variable.rawValue, .array(days.map { value(variable, $0) })))
    }
    return [("daily_units", .object(units)), ("daily", .object(values))]
  }

  private func value(_ variable: DailyVariable, _ local: Int) -> JSONValue {
    let (first, end) = (utc(local), utc(local + 86400))
    guard let hourly = variable.hourly else {
      let crossing = Sun.crossing(
        weather.forecast.location, from: first, to: end, rising: variable == .sunrise)
      return crossing.map { time($0 - CivilTime.modulo($0, 60)) } ?? .null
    }
    let hours = Array(stride(from: first, to: end, by: 3600))
    return .rounded(
      variable.value(weather, hours, request.units), hourly.decimals(request.units))
  }
}

/// The weather warnings for the next two days.
struct Warnings {
  /// The kind of warning: `frost` or `storm`.
  let kind: String
  /// The start and the end of the warning, in seconds since 1970.
  let from, to: Int
  /// The minimum temperature in °C for frost, or the maximum wind speed in m/s for a storm.
  let value: Double

  /// The wind speed in m/s from which a storm warning is given: a gale, 8 on the Beaufort scale.
  static let storm = 17.2

  var json: JSONValue {
    .object([
      ("kind", .string(kind)), ("from", .string(CivilTime.stamp(from))),
      ("to", .string(CivilTime.stamp(to))),
      ("metric", .string(kind == "frost" ? "temperature_2m" : "wind_speed_10m")),
      ("value", .rounded(value, 1)), ("unit", .string(kind == "frost" ? "°C" : "m/s")),
    ])
  }

  /// Returns the periods of frost and storm, examined hour by hour.
  static func find(_ weather: Weather, from now: Int) -> [Warnings] {
    let first = now - CivilTime.modulo(now, 3600)
    let hours = (0...48).map { first + $0 * 3600 }
    return spells("frost", hours, { weather.temperature($0) }, { $0 <= 0 }, min)
      + spells("storm", hours, { weather.forecast.value(.windSpeed, at: $0) }, { $0 >= storm }, max)
  }

  private static func spells(
    _ kind: String, _ hours: [Int], _ value: (Int) -> Double?, _ isBad: (Double) -> Bool,
    _ worse: (Double, Double) -> Double
  ) -> [Warnings] {
    var found: [Warnings] = []
    var open: Warnings?
    for hour in hours {
      guard let now = value(hour), isBad(now) else {
        if let spell = open { found.append(spell) }
        open = nil
        continue
      }
      open = Warnings(
        kind: kind, from: open?.from ?? hour, to: hour,
        value: open.map { worse($0.value, now) } ?? now)
    }
    if let spell = open { found.append(spell) }
    return found
  }
}
