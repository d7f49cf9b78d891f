import Forecasts
import Quantities
import Readings
import Support

/// Serves `/v1/station`, `/v1/history` and `/v1/score`.
struct StationService {
  let core: StationCore

  /// Returns the state of the station; if an earlier reading is given, returns only the values of
  /// that reading.
  func station(now: Int, reading other: Reading? = nil) -> JSONValue {
    let snapshot = core.snapshot()
    let state = snapshot.state
    let reading = other ?? state.reading
    let isLast = other == nil || other?.sequence == state.reading?.sequence
    let quality =
      isLast ? core.quality() : ("stale", ["it is not the last reading"])
    let age = isLast ? core.age() : reading.map { max(0, now - $0.time) }
    let sea = reading.flatMap { reading in
      reading.pascals.map { core.site.seaLevel(pascals: $0, celsius: reading.celsius) }
    }
    return .object([
      ("name", .string(core.site.name)), ("latitude", .rounded(core.site.location.latitude, 4)),
      ("longitude", .rounded(core.site.location.longitude, 4)),
      ("elevation_m", .rounded(core.site.elevation, 1)),
      ("place_radius_m", .rounded(core.site.radius * 1000, 0)),
      ("source", .string(core.source.kind)),
      ("sequence", reading.map { .integer(Int($0.sequence)) } ?? .null),
      ("time", .text(reading.map { CivilTime.stamp($0.time) })),
      ("age_s", age.map { .integer($0) } ?? .null),
      ("stale_after_s", .integer(core.source.staleAfter)),
      ("temperature_c", .rounded(reading?.celsius, 2)),
      ("humidity_percent", .rounded(reading?.humidity, 2)),
      ("pressure_hpa", .rounded(reading?.pascals.map(Quantity.pressure.shown), 2)),
      ("pressure_msl_hpa", .rounded(sea, 2)),
      ("tendency", isLast ? tendency(state) : .null),
      ("forecasts", isLast ? forecasts(state) : .null),
      (
        "quality",
        .object([
          ("status", .string(quality.0)), ("reasons", .array(quality.1.map(JSONValue.string))),
        ])
      ),
    ])
  }

  private func tendency(_ state: StationState) -> JSONValue {
    guard let tendency = state.tendency else { return .null }
    return .object([
      ("change_hpa", .rounded(tendency.change, 2)), ("over_s", .integer(10800)),
      ("trend", .string(tendency.trend)), ("words", .string(tendency.words)),
    ])
  }

  private func forecasts(_ state: StationState) -> JSONValue {
    func trend(_ code: String?) -> JSONValue {
      guard let code else { return .null }
      return .object([("code", .string(code)), ("text", .string(StationState.words(of: code)))])
    }
    let zambretti: JSONValue =
      state.zambretti.map {
        .object([("letter", .string($0.letter)), ("text", .string($0.text))])
      } ?? .null
    return .object([
      ("thesis", trend(state.thesis)), ("an3914", trend(state.an3914)), ("zambretti", zambretti),
    ])
  }

  /// Returns a page of the history.
  func history(_ query: APIRequest, now: Int) throws -> APIResponse {
    var (from, to): (Int?, Int?) = (nil, nil)
    for (name, text) in [("from", query.value("from")), ("to", query.value("to"))] {
      guard let text else { continue }
      guard let moment = Moment.read(text) else {
        return .failure(
          400, "bad_time",
          "\(name) must be a time such as 2026-11-23T06:00:00Z or 2026-11-23T06:00:00+01:00, not \(HTTPError.quoted(text))"
        )
      }
      if name == "from" { from = moment } else { to = moment }
    }
    if let from, let to, from > to {
      return .failure(
        400, "bad_time", "from must be before to")
    }
    let end = to ?? now + 1
    let begin = from ?? (to ?? now) - 86400
    let limit = query.value("limit").map(APIRequest.whole) ?? 500
    guard let limit, (1...2000).contains(limit) else {
      return .failure(400, "bad_limit", "limit must be a whole number from 1 to 2000")
    }
    if let text = query.value("every_s") {
      return try thinned(text, begin, end, limit)
    }
    var (start, after) = (begin, Int64(0))
    if let cursor = query.value("cursor") {
      let parts = cursor.split(separator: ".", omittingEmptySubsequences: false).map {
        APIRequest.whole(String($0))
      }
      guard parts.count == 2, let moment = parts[0], let sequence = parts[1] else {
        return .failure(
          400, "bad_cursor", "cursor must be the value of 'next' in the previous page")
      }
      (start, after) = (moment, Int64(sequence))
    }
    let readings = try core.store.page(from: start, after: after, to: end, limit: limit)
    let last = readings.count == limit ? readings.last : nil
    return .json(
      .object([
        ("readings", .array(readings.map(Self.json))),
        ("next", .text(last.map { "\($0.time).\($0.sequence)" })),
      ]))
  }

  /// Returns the history as means instead of readings, for use in charts.
  private func thinned(_ text: String, _ from: Int, _ to: Int, _ limit: Int) throws -> APIResponse {
    guard let step = APIRequest.whole(text), (10...86400).contains(step) else {
      return .failure(
        400, "bad_every", "every_s must be a whole number of seconds from 10 to 86400")
    }
    let span = max(0, to - from)
    guard span / step <= limit else {
      return .failure(
        400, "bad_every",
        "from 'from' to 'to' are \(span) s (default: one day): more than \(limit) means of \(step) s; "
          + "request a shorter period, every_s=\((span + limit - 1) / limit) or more, or a higher limit"
      )
    }
    let means = try core.store.means(every: step, from: from, to: to)
    return .json(.object([("readings", .array(means.map(Self.json))), ("next", .null)]))
  }

  private static func json(_ reading: Reading) -> JSONValue {
    .object([
      ("sequence", .integer(Int(reading.sequence))),
      ("time", .string(CivilTime.stamp(reading.time))),
      ("temperature_c", .rounded(reading.celsius, 2)),
      ("humidity_percent", .rounded(reading.humidity, 2)),
      ("pressure_hpa", .rounded(reading.pascals.map(Quantity.pressure.shown), 2)),
    ])
  }

  /// Returns the forecast errors of a day.
  func score(_ query: APIRequest, now: Int) throws -> APIResponse {
    var day = CivilTime.startOfDay(now) - 86400
    if let text = query.value("date") {
      guard text.utf8.count == 10, let asked = Moment.read(text) else {
        return .failure(
          400, "bad_date", "date must be a day such as 2026-11-22, not \(HTTPError.quoted(text))")
      }
      day = asked
    }
    let score = try Score(day: day, core.store, core.site)
    func errors(_ errors: Score.Errors) -> JSONValue {
      .object([
        ("mae", .rounded(errors.mae, 3)), ("bias", .rounded(errors.bias, 3)),
        ("n", .integer(errors.count)),
      ])
    }
    return .json(
      .object([
        ("date", .string(CivilTime.dateText(of: day))),
        ("lead_s", .integer(Score.lead)),
        (
          "metrics",
          .object(
            Score.metrics.compactMap { metric in
              score.errors[metric].map {
                (
                  metric,
                  .object([("model", errors($0.model)), ("corrected", errors($0.corrected))])
                )
              }
            })
        ),
        (
          "barometer",
          .object(
            Score.methods.compactMap { method in
              score.barometer[method].map {
                (
                  method,
                  .object([
                    ("hits", .integer($0.hits)), ("n", .integer($0.count)),
                    ("wet", .integer($0.wet)),
                    ("said_wet", .integer($0.saidWet)),
                  ])
                )
              }
            })
        ),
        (
          "barometer_judged_by",
          .string("the model's rain of the six hours, because the station has no rain gauge")
        ),
      ]))
  }
}
