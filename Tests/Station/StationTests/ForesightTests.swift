import Forecasts
import Readings
import StationService
import Testing

/// Tests that forecasts depend only on past data.
struct ForesightTests {
  static let noon = 1_795_348_800  // 2026-11-22T12:00:00Z

  static func site() throws -> Site {
    let location = try #require(GeoPoint(latitude: 38.7223, longitude: -9.1393))
    return Site(name: "x", location: location, elevation: 60, radius: 10)
  }

  /// A station with six hours of readings of the sample's air, every five minutes, up to a time.
  static func store(until end: Int, warmer: Double = 0) throws -> (ReadingStore, ForecastSource) {
    let source = try ForecastSource(paths: [], now: { noon + 86400 })
    let forecast = try #require(try source.forecast(at: try site().location))
    let store = try ReadingStore(path: nil)
    let moments = Array(stride(from: noon - 6 * 3600, to: end, by: 300))
    let readings = try moments.map { moment in
      let air = LocalAir.air(forecast, try site(), at: moment)
      return Reading(
        time: moment, celsius: air.celsius + (moment >= noon ? warmer : 0), humidity: air.humidity,
        pascals: air.pascals - (moment >= noon ? 100 * warmer : 0))
    }
    _ = try store.append(readings)
    return (store, source)
  }

  @Test("a forecast does not depend on readings after its time of issue")
  func later() throws {
    let (short, source) = try Self.store(until: Self.noon)
    let (long, _) = try Self.store(until: Self.noon + 12 * 3600, warmer: 30)
    let forecast = try #require(try source.forecast(at: try Self.site().location))
    let one = try ForecastIssue.make(at: Self.noon, forecast, short, try Self.site())
    let other = try ForecastIssue.make(at: Self.noon, forecast, long, try Self.site())
    #expect(one.forecasts == other.forecasts && one.barometer == other.barometer)
    #expect(one.forecasts.count == 3 * ForecastIssue.leads.count + 12 && one.barometer.count == 3)
    let warm = one.forecasts.filter { $0.metric == "temperature_2m" }
    for forecast in warm where forecast.valid <= Self.noon + 12 * 3600 {
      let correction = try #require(forecast.corrected) - forecast.model
      #expect(correction > 0.02 && correction < 2)
    }
    // One hour later these readings are used; this shows that the test can detect their use.
    let next = try ForecastIssue.make(at: Self.noon + 3600, forecast, long, try Self.site())
    let first = try #require(next.forecasts.first { $0.metric == "temperature_2m" })
    #expect(try #require(first.corrected) - first.model > 20)
  }

  @Test("a forecast ignores weather model runs that start after its time of issue")
  func runs() throws {
    let (store, source) = try Self.store(until: Self.noon)
    let forecast = try #require(try source.forecast(at: try Self.site().location))
    let known = forecast.known(at: Self.noon)
    #expect(known.columns.count < forecast.columns.count)
    #expect(known.columns.allSatisfy { $0.reference <= Self.noon })
    let made = try ForecastIssue.make(at: Self.noon, forecast, store, try Self.site())
    let same = try ForecastIssue.make(at: Self.noon, known, store, try Self.site())
    #expect(made.forecasts == same.forecasts)
  }

  @Test(
    "a score is computed from stored forecasts, which are not recomputed")
  func score() throws {
    let (store, source) = try Self.store(until: Self.noon + 6 * 3600)
    let forecast = try #require(try source.forecast(at: try Self.site().location))
    let day = CivilTime.startOfDay(Self.noon)
    for hour in 0...3 {
      let moment = Self.noon + hour * 3600 - 6 * 3600 + 3600
      let made = try ForecastIssue.make(at: moment, forecast, store, try Self.site())
      try store.record(made.forecasts, made.barometer)
    }
    let before = try Score(day: day, store, try Self.site())
    let errors = try #require(before.errors["temperature_2m"])
    #expect(errors.model.count == 4 && errors.corrected.count == 4)
    #expect(try #require(errors.model.mae) > (try #require(errors.corrected.mae)))
    // A second forecast for the same hour, made with later knowledge, is not stored.
    let lie = made(store, day)
    try store.record(lie, [])
    let after = try Score(day: day, store, try Self.site())
    #expect(after.errors["temperature_2m"]?.model == errors.model)
  }

  private func made(_ store: ReadingStore, _ day: Int) -> [IssuedForecast] {
    ((try? store.forecasts(validFrom: day, to: day + 86400, lead: Score.lead)) ?? []).map {
      IssuedForecast(
        metric: $0.metric, issued: $0.issued, valid: $0.valid, model: $0.model + 9,
        corrected: $0.corrected)
    }
  }
}
