import Forecasts
import Readings

/// `/v1/forecast`: the forecast in Open-Meteo's shape, met by the station.
struct ForecastService {
  let source: ForecastSource
  let core: StationCore

  func answer(_ question: Question, now: Int) -> Answer {
    let clock = ContinuousClock()
    let begin = clock.now
    do throws(Refusal) {
      let request = try ForecastRequest(question, now: now)
      let forecast = try FourServices.forecast(source, request.place)
      try require(request, forecast, now)
      var members = content(request, forecast, now)
      let spent = Double((clock.now - begin).components.attoseconds) / 1e15
      members.insert(("generationtime_ms", .number(spent, 3)), at: 3)
      return .json(.object(members))
    } catch {
      return error.openMeteo
    }
  }

  /// Whether the station speaks for a place now: it stands near, and its reading is good.
  private func speaks(for place: Place) -> Bool {
    place.distance(to: core.site.place) <= core.site.radius
      && core.quality().status == "good"
  }

  /// Refuses where all runs have ended, unless the station tells what is now, or days of the past are asked for.
  private func require(_ request: ForecastRequest, _ forecast: PointForecast, _ now: Int)
    throws(Refusal)
  {
    guard let ended = forecast.ended(by: now), let last = forecast.lastColumn else { return }
    let asked = stride(
      from: request.days.first, to: request.days.first + request.days.count * 86400, by: 3600)
    let tellsPast = request.hasPast && asked.contains { forecast.column(at: $0) != nil }
    guard !tellsPast, !speaks(for: request.place) else { return }
    throw Refusal(
      status: 404, code: "no_forecast",
      message:
        "there is no forecast for this time: the last run, of \(CivilTime.stamp(last.reference)), "
        + "ended \(CivilTime.stamp(ended))",
      more: [
        ("forecast_ended", .string(CivilTime.stamp(ended))),
        ("timezone", .string(request.zone.name)),
        ("utc_offset_seconds", .int(request.zone.offset(at: ended))),
      ])
  }

  private func content(_ request: ForecastRequest, _ forecast: PointForecast, _ now: Int) -> [(
    String, JSON
  )] {
    let snapshot = core.snapshot()
    let speaks = speaks(for: request.place)
    let offset = speaks && request.isCorrected ? snapshot.offset : nil
    let shift = request.zone.offset(at: now)
    // Where the station speaks, all of it is for the height at which it stands.
    var weather = Weather(forecast: forecast, offset: offset, site: speaks ? core.site : nil)
    // After the end of all runs nothing of an hour is told; now is the station's.
    if speaks, request.isCorrected, forecast.ended(by: now) == nil {
      weather.measured = core.measured(from: request.days.first - shift, to: now)
    }
    let column = forecast.column(at: now) ?? forecast.lastColumn
    let tell = ForecastTelling(request: request, weather: weather)
    var members: [(String, JSON)] = [
      ("latitude", .number(forecast.place.latitude, 4)),
      ("longitude", .number(forecast.place.longitude, 4)),
      ("elevation", .number(weather.site?.elevation ?? column?.elevation, 1)),
      ("utc_offset_seconds", .int(shift)),
      ("timezone", .string(request.zone.name)),
      (
        "timezone_abbreviation",
        .string(
          request.zone.name == "UTC" || request.zone.name == "GMT"
            ? request.zone.name : ForecastTelling.abbreviation(shift))
      ),
    ]
    if !request.current.isEmpty {
      members += tell.current(now, speaks ? snapshot : nil)
    }
    if !request.hourly.isEmpty { members += tell.hourly() }
    if !request.daily.isEmpty { members += tell.daily() }
    members.append(
      ("aneroid", .object(extras(request, weather, column, now))))
    return members
  }

  /// Why nothing is corrected.
  private func obstacle(_ request: ForecastRequest, _ weather: Weather) -> String {
    if !request.isCorrected { return "not_asked_for" }
    if request.place.distance(to: core.site.place) > core.site.radius { return "too_far" }
    let snapshot = core.snapshot()
    let status = core.quality().status
    guard status == "good", let reading = snapshot.state.reading else { return status }
    return weather.forecast.column(at: reading.time) == nil ? "no_run" : "too_few_readings"
  }

  /// What Open-Meteo's shape has no place for.
  private func extras(
    _ request: ForecastRequest, _ weather: Weather, _ column: Column?, _ now: Int
  ) -> [(String, JSON)] {
    let offset = weather.offset
    var values: [(String, JSON)] = []
    if let value = offset?.temperature { values.append(("temperature_2m", .number(value, 2))) }
    if let value = offset?.humidity { values.append(("relative_humidity_2m", .number(value, 2))) }
    if let value = offset?.seaLevelPressure { values.append(("pressure_msl", .number(value, 2))) }
    let isSynthetic = column?.isSynthetic == true
    return [
      ("current_from", .string(weather.site == nil ? "model" : "station")),
      ("model_run", .text(column.map { CivilTime.stamp($0.reference) })),
      ("forecast_ended", .text(weather.forecast.ended(by: now).map { CivilTime.stamp($0) })),
      ("model_spacing_km", .number(column?.size, 1)),
      ("model_elevation", .number(column?.elevation, 1)),
      ("corrected", .bool(offset != nil)), ("offset", .object(values)),
      ("uncorrected_because", .text(offset == nil ? obstacle(request, weather) : nil)),
      ("fading_hours", .number(StationOffset.fading, 1)),
      ("labels", .array(isSynthetic ? [.string("synthetic")] : [])),
      ("warnings", .array(Warnings.find(weather, from: now).map(\.json))),
    ]
  }
}
