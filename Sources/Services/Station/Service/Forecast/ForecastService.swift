import Forecasts
import Quantities
import Readings
import Support

/// Serves `/v1/forecast`, which returns the forecast in the format of Open-Meteo, corrected by the
/// station.
struct ForecastService {
  let source: ForecastSource
  let core: StationCore

  /// Returns the response to a request for one or several locations.
  func response(_ query: APIRequest, now: Int) -> APIResponse {
    do throws(HTTPError) {
      let requests = try ForecastRequest.read(query, now: now)
      var parts: [Part] = []
      for (index, request) in requests.enumerated() {
        do throws(HTTPError) {
          parts.append(try part(request, index, now))
        } catch {
          guard requests.count > 1 else { throw error }
          throw HTTPError(
            status: error.status, code: error.code,
            message: "location \(index + 1): \(error.message)", more: error.more)
        }
      }
      switch requests[0].format {
      case .json:
        let all = parts.map { JSONValue.object($0.members) }
        return .json(all.count == 1 ? all[0] : .array(all))
      case .flatbuffers:
        return APIResponse(
          status: 200, type: "application/octet-stream",
          body: parts.flatMap { ForecastBuffer.bytes($0.head, $0.tables) })
      }
    } catch {
      return error.openMeteo
    }
  }

  /// The response for one location, in any format.
  private struct Part {
    var head: ForecastBuffer.Head
    var tables: [ForecastTable]
    var members: [(key: String, value: JSONValue)]
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
    let days = stride(
      from: request.zone.utc(request.days.first),
      to: request.zone.utc(request.days.first + request.days.count * 86400), by: 3600)
    let asked = [
      days, stride(from: request.hours.lowerBound, to: request.hours.upperBound, by: 3600),
      stride(from: request.quarters.lowerBound, to: request.quarters.upperBound, by: 3600),
    ]
    let includesPast =
      request.hasPast
      && asked.contains { $0.contains { forecast.column(at: $0) != nil } }
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

  private func part(_ request: ForecastRequest, _ index: Int, _ now: Int) throws(HTTPError) -> Part
  {
    let clock = ContinuousClock()
    let begin = clock.now
    let forecast = try FourServices.forecast(source, request.location)
    try require(request, forecast, now)
    let snapshot = core.snapshot()
    let stationApplies = stationApplies(for: request.location)
    let offset = stationApplies && request.isCorrected ? snapshot.offset : nil
    let shift = request.zone.offset(at: now)
    var weather = Weather(
      forecast: forecast, offset: offset, site: site(request, stationApplies))
    // After all runs have ended, the hourly values are missing and the current values are the
    // station's.
    if stationApplies, request.isCorrected, forecast.ended(by: now) == nil {
      let first = min(
        request.days.first - shift, request.hours.lowerBound, request.quarters.lowerBound)
      weather.measured = core.measured(from: first, to: now)
    }
    let column = forecast.column(at: now) ?? forecast.lastColumn
    let tables = tables(request, weather, now, stationApplies ? snapshot : nil)
    let isUTC = ["UTC", "GMT"].contains(request.zone.name)
    let elevation = weather.site?.elevation ?? column?.elevation
    let head = ForecastBuffer.Head(
      latitude: forecast.location.latitude, longitude: forecast.location.longitude,
      elevation: elevation ?? .nan,
      milliseconds: Double((clock.now - begin).components.attoseconds) / 1e15, index: index,
      shift: shift, zone: request.zone.name,
      abbreviation: isUTC ? request.zone.name : ForecastRequest.abbreviation(shift))
    guard request.format == .json else { return Part(head: head, tables: tables, members: []) }
    var members: [(key: String, value: JSONValue)] = [
      ("latitude", .rounded(head.latitude, 4)), ("longitude", .rounded(head.longitude, 4)),
      ("elevation", .rounded(elevation, 1)),
      ("generationtime_ms", .rounded(head.milliseconds, 3)),
      ("utc_offset_seconds", .integer(shift)), ("timezone", .string(head.zone)),
      ("timezone_abbreviation", .string(head.abbreviation)),
    ]
    if index > 0 { members.append(("location_id", .integer(index))) }
    members += tables.flatMap { request.members($0) }
    members.append(
      ("aneroid", .object(extras(request, weather, column, now, stationApplies: stationApplies))))
    return Part(head: head, tables: tables, members: members)
  }

  /// Returns the elevation that all values refer to: the station's if it applies, or the one in the request; `nil` for
  /// the model's.
  private func site(_ request: ForecastRequest, _ stationApplies: Bool) -> Site? {
    if stationApplies { return core.site }
    return request.elevation.map {
      Site(name: "", location: request.location, elevation: $0, radius: 0)
    }
  }

  private func tables(
    _ request: ForecastRequest, _ weather: Weather, _ now: Int, _ snapshot: StationSnapshot?
  ) -> [ForecastTable] {
    let tables = ForecastTables(request: request, weather: weather)
    var chosen: [ForecastTable] = []
    if request.hasCurrentWeather { chosen.append(tables.currentWeather(now, snapshot)) }
    if !request.current.isEmpty { chosen.append(tables.current(now, snapshot)) }
    if !request.minutely.isEmpty { chosen.append(tables.quarters()) }
    if !request.hourly.isEmpty { chosen.append(tables.hourly()) }
    if !request.daily.isEmpty { chosen.append(tables.daily()) }
    return chosen
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
    _ request: ForecastRequest, _ weather: Weather, _ column: Column?, _ now: Int,
    stationApplies: Bool
  ) -> [(key: String, value: JSONValue)] {
    let offset = weather.offset
    var values: [(key: String, value: JSONValue)] = []
    if let value = offset?.temperature { values.append(("temperature_2m", .rounded(value, 2))) }
    if let value = offset?.humidity { values.append(("relative_humidity_2m", .rounded(value, 2))) }
    if let value = offset?.seaLevelPressure { values.append(("pressure_msl", .rounded(value, 2))) }
    let isSynthetic = column?.isSynthetic == true
    return [
      ("current_from", .string(stationApplies ? "station" : "model")),
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
