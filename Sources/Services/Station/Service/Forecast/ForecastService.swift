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
    isNear(location) && core.quality().status == "good"
  }

  private func isNear(_ location: GeoPoint) -> Bool {
    location.distance(to: core.site.location) <= core.site.radius
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
    let correction = stationApplies && request.isCorrected ? snapshot.correction : nil
    var weather = Weather(
      forecast: forecast, correction: correction, site: site(request))
    // After all runs have ended, the hourly values are missing and the current values are the
    // station's.
    if stationApplies, request.isCorrected, forecast.ended(by: now) == nil {
      let first = min(
        request.days.first - request.shift, request.hours.lowerBound, request.quarters.lowerBound)
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
      shift: request.shift, zone: request.zone.name,
      abbreviation: isUTC ? request.zone.name : ForecastRequest.abbreviation(request.shift))
    guard request.format == .json else { return Part(head: head, tables: tables, members: []) }
    var members: [(key: String, value: JSONValue)] = [
      ("latitude", .rounded(head.latitude, 4)), ("longitude", .rounded(head.longitude, 4)),
      ("elevation", .rounded(elevation, 1)),
      ("generationtime_ms", .rounded(head.milliseconds, 3)),
      ("utc_offset_seconds", .integer(request.shift)), ("timezone", .string(head.zone)),
      ("timezone_abbreviation", .string(head.abbreviation)),
    ]
    if index > 0 { members.append(("location_id", .integer(index))) }
    members += tables.flatMap { request.members($0) }
    members.append(
      ("aneroid", .object(extras(request, weather, column, now, stationApplies: stationApplies))))
    return Part(head: head, tables: tables, members: members)
  }

  /// Returns the elevation that all values refer to: the station's within its radius, whether it measures or not, or the one in the request; `nil` for
  /// the model's.
  private func site(_ request: ForecastRequest) -> Site? {
    if isNear(request.location) { return core.site }
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
    if !isNear(request.location) { return "too_far" }
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
    let correction = weather.correction
    func each(
      _ value: (CorrectedMetric, StationCorrection) -> JSONValue?
    ) -> JSONValue {
      guard let correction else { return .object([]) }
      return .object(
        CorrectedMetric.allCases.compactMap { metric in
          value(metric, correction).map { (metric.rawValue, $0) }
        })
    }
    let offsets = each { metric, correction in correction.offset[metric].map { .rounded($0, 2) } }
    let learned = each { metric, correction in correction.learned[metric].map(\.json) }
    // Of a synthetic forecast, the simulated sensor needs no mention.
    let labels =
      column?.isSynthetic == true
      ? ["synthetic"] : stationApplies && core.source.kind == "simulated" ? ["simulated"] : []
    return [
      ("current_from", .string(stationApplies ? "station" : "model")),
      ("model_run", .text(column.map { CivilTime.stamp($0.reference) })),
      ("forecast_ended", .text(weather.forecast.ended(by: now).map { CivilTime.stamp($0) })),
      ("model_spacing_km", .rounded(column?.size, 1)),
      ("model_elevation", .rounded(column?.elevation, 1)),
      ("corrected", .bool(correction != nil)), ("offset", offsets),
      ("uncorrected_because", .text(correction == nil ? obstacle(request, weather) : nil)),
      ("fading_hours", .rounded(StationOffset.fading, 1)), ("learned", learned),
      ("labels", .array(labels.map(JSONValue.string))),
      ("warnings", .array(Warnings.find(weather, from: now, core.warnings).map(\.json))),
    ]
  }
}

extension LearnedCorrection {
  /// The state, and the results as one array per column.
  fileprivate var json: JSONValue {
    func column(_ value: (Lead) -> JSONValue) -> JSONValue { .array(leads.map(value)) }
    func errors(_ method: CorrectionMethod) -> JSONValue {
      column { .rounded($0.errors?[method], 3) }
    }
    return .object([
      ("state", .string(isUsed ? "used" : isLearning ? "learning" : "unused")),
      ("needed", .integer(CorrectionLearner.least)),
      ("lead_hours", column { .integer($0.hours) }),
      ("method", column { .string($0.method.rawValue) }),
      ("n", column { .integer($0.count) }),
      ("low", column { .rounded($0.band?.lowerBound, 3) }),
      ("high", column { .rounded($0.band?.upperBound, 3) }),
      ("mae_model", errors(.model)), ("mae_offset", errors(.offset)),
      ("mae_learned", errors(.learned)),
    ])
  }
}

/// The limits at which the station warns of the weather; `nil` for no warning.
package struct WarningLimits: Sendable, Equatable {
  /// The temperatures in °C: at or below `frost`, and at or above `heat`.
  package var frost: Double? = 0, heat: Double? = 35
  /// The wind speed in m/s; default: a gale, 8 on the Beaufort scale.
  package var storm: Double? = 17.2
  /// The precipitation of six hours in mm; default: the yellow level of Portugal's weather service (IPMA).
  package var rain: Double? = 30

  /// Creates the default limits.
  package init() {}

  /// Returns the limit of a kind of warning.
  subscript(kind: Warnings.Kind) -> Double? {
    self[keyPath: Self.key(of: kind).path]
  }

  /// The reason why a text is no limit.
  package struct FormatError: Error, CustomStringConvertible {
    package let description: String
  }

  /// Sets a limit from a text such as `frost=2C`, `storm=75km/h`, `rain=20mm` or `heat=off`.
  ///
  /// - Throws: `FormatError` for another text.
  package mutating func set(_ text: String) throws(FormatError) {
    let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, let kind = Warnings.Kind(rawValue: String(sides[0])) else {
      let forms = Warnings.Kind.allCases.map { "\($0.rawValue)=VALUE" }
      throw FormatError(
        description: "'\(text.clipped)' is none of \(forms.joined(separator: ", "))")
    }
    let limit = Self.key(of: kind)
    guard sides[1] != "off" else {
      self[keyPath: limit.path] = nil
      return
    }
    for (unit, factor) in limit.units where sides[1].hasSuffix(unit) {
      guard let number = Double(sides[1].dropLast(unit.count)), number.isFinite,
        limit.range.contains(number * factor)
      else { continue }
      self[keyPath: limit.path] = number * factor
      return
    }
    let ranges = limit.units.map { unit, factor in
      let ends = [limit.range.lowerBound, limit.range.upperBound].map {
        Decimal.rounded($0 / factor, 1)
      }
      return "\(ends[0])\(unit) to \(ends[1])\(unit)"
    }
    throw FormatError(
      description:
        "'\(sides[1].clipped)' is no limit of \(sides[0]): \(ranges.joined(separator: " or ")) is required, or off"
    )
  }

  /// A limit, its units with their factors, and its range.
  private struct LimitKey {
    let path: WritableKeyPath<WarningLimits, Double?>
    let units: [(unit: String, factor: Double)]
    let range: ClosedRange<Double>
  }

  private static func key(of kind: Warnings.Kind) -> LimitKey {
    let degrees = [(unit: "C", factor: 1.0)]
    return switch kind {
    case .frost: LimitKey(path: \.frost, units: degrees, range: -60...30)
    case .heat: LimitKey(path: \.heat, units: degrees, range: 0...60)
    case .storm:
      LimitKey(path: \.storm, units: [("km/h", 1 / 3.6), ("m/s", 1)], range: 1...100)
    case .rain: LimitKey(path: \.rain, units: [("mm", 1)], range: 1...1000)
    }
  }
}

/// The weather warnings for the next two days.
struct Warnings {
  /// The kinds of warnings.
  enum Kind: String, CaseIterable {
    case frost, heat, storm, rain

    /// The metric that causes the warning, and its unit.
    var metric: (name: String, unit: String) {
      switch self {
      case .frost, .heat: ("temperature_2m", "°C")
      case .storm: ("wind_speed_10m", "m/s")
      case .rain: ("precipitation", "mm")
      }
    }
  }

  let kind: Kind
  /// The start and the end of the warning, in seconds since 1970.
  var from: Int
  let to: Int
  /// The minimum or maximum temperature in °C, the maximum wind speed in m/s, or the maximum precipitation of six hours
  /// in mm.
  let value: Double

  /// The time in seconds over which precipitation is summed.
  static let rainSpan = 6 * 3600

  var json: JSONValue {
    .object([
      ("kind", .string(kind.rawValue)), ("from", .string(CivilTime.stamp(from))),
      ("to", .string(CivilTime.stamp(to))), ("metric", .string(kind.metric.name)),
      ("value", .rounded(value, 1)), ("unit", .string(kind.metric.unit)),
    ])
  }

  /// Returns the periods beyond the limits, examined hour by hour.
  static func find(_ weather: Weather, from now: Int, _ limits: WarningLimits) -> [Warnings] {
    let first = now - CivilTime.modulo(now, 3600)
    let hours = (0...48).map { first + $0 * 3600 }
    func found(
      _ kind: Kind, _ limit: Double?, isHigh: Bool = true, _ value: (Int) -> Double?
    ) -> [Warnings] {
      limit.map { spells(kind, $0, isHigh, hours, value) } ?? []
    }
    return found(.frost, limits[.frost], isHigh: false) { weather.temperature($0) }
      + found(.heat, limits[.heat]) { weather.temperature($0) }
      + found(.storm, limits[.storm]) { weather.forecast.value(.windSpeed, at: $0) }
      + found(.rain, limits[.rain]) { weather.rain($0, over: rainSpan) }.map { spell in
        // The sum is above its limit for hours after the rain began.
        var spell = spell
        let starts = stride(from: spell.from - rainSpan, to: spell.from, by: 3600)
        spell.from = starts.first { (weather.rain($0 + 3600) ?? 0) >= 0.1 } ?? spell.from
        return spell
      }
  }

  private static func spells(
    _ kind: Kind, _ limit: Double, _ isHigh: Bool, _ hours: [Int], _ value: (Int) -> Double?
  ) -> [Warnings] {
    var found: [Warnings] = []
    var open: Warnings?
    for hour in hours {
      // A value between grid points may miss the limit by a rounding error.
      guard let now = value(hour), isHigh ? now >= limit - 1e-6 : now <= limit + 1e-6 else {
        if let spell = open { found.append(spell) }
        open = nil
        continue
      }
      let worst = open.map { isHigh ? max($0.value, now) : min($0.value, now) } ?? now
      open = Warnings(kind: kind, from: open?.from ?? hour, to: hour, value: worst)
    }
    if let spell = open { found.append(spell) }
    return found
  }
}
