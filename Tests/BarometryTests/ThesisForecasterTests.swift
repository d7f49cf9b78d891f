import Barometry
import Testing

/// The forecast of the thesis, and the errors it throws.
struct ThesisForecasterTests {
  @Test(
    "rates of exactly +-0.5 hPa/h are stable, and +-2.5 hPa/h belong to the outermost classes",
    arguments: [
      (2.5, .notStable), (10, .notStable), (2.499, .goodWeather), (0.501, .goodWeather),
      (0.5, .stable), (0, .stable), (-0.5, .stable), (-0.501, .rainy), (-2.499, .rainy),
      (-2.5, .thunderStorm), (-10, .thunderStorm),
    ] as [(Double, PressureTrend)])
  func classes(_ rate: Double, _ trend: PressureTrend) {
    #expect(PressureTrend(rate: rate) == trend)
  }

  /// Returns a history of pressures half an hour apart, from time 0 on.
  static func history(
    _ pressures: [Double], every step: Int64 = 30 * TimeSpan.minute
  ) throws -> PressureHistory {
    var history = PressureHistory()
    for (index, pressure) in pressures.enumerated() {
      try history.append(PressurePoint(time: Int64(index) * step, pascals: pressure))
    }
    return history
  }

  @Test("the rate is the slope between the first and the last point")
  func rate() throws {
    let history = try Self.history([101_000, 99_000, 101_100])
    let forecast = try ThesisForecaster().forecast(from: history, at: 60 * TimeSpan.minute)
    #expect(forecast.rate == 1)
    #expect(forecast.trend == .goodWeather)
  }

  @Test("a history of exactly half an hour is sufficient for a forecast")
  func exactlyHalfAnHour() throws {
    let history = try Self.history([101_000, 100_870])
    let forecast = try ThesisForecaster().forecast(from: history, at: 30 * TimeSpan.minute)
    #expect(forecast.trend == .thunderStorm)  // eleven metres climbed: -2.6 hPa/h
  }

  @Test("without data, with a single point or with a short history an error is thrown")
  func tooLittle() throws {
    let forecaster = ThesisForecaster()
    #expect(throws: ThesisForecaster.ForecastError.noData) {
      try forecaster.forecast(from: PressureHistory(), at: 0)
    }
    let half = 30 * TimeSpan.minute
    #expect(throws: ThesisForecaster.ForecastError.tooShort(span: 0, needed: half)) {
      try forecaster.forecast(from: Self.history([101_000]), at: 0)
    }
    let short = try Self.history([101_000, 101_100], every: half - 1)
    #expect(throws: ThesisForecaster.ForecastError.tooShort(span: half - 1, needed: half)) {
      try forecaster.forecast(from: short, at: half)
    }
  }

  @Test("data that are too old cause an error instead of a forecast")
  func tooOld() throws {
    let history = try Self.history([101_000, 101_100])
    let now = 61 * TimeSpan.minute
    #expect(
      throws: ThesisForecaster.ForecastError.tooOld(
        age: 31 * TimeSpan.minute, allowed: 30 * TimeSpan.minute)
    ) {
      try ThesisForecaster().forecast(from: history, at: now)
    }
  }

  @Test("data before a gap in the history are not used")
  func gap() throws {
    var history = try Self.history([101_000, 101_000])
    let late = 30 * TimeSpan.minute + 61 * TimeSpan.minute
    try history.append(PressurePoint(time: late, pascals: 90_000))
    #expect(
      throws: ThesisForecaster.ForecastError.gap(
        length: 61 * TimeSpan.minute, span: 0, needed: 30 * TimeSpan.minute)
    ) {
      try ThesisForecaster().forecast(from: history, at: late)
    }
    try history.append(PressurePoint(time: late + 30 * TimeSpan.minute, pascals: 90_000))
    let forecast = try ThesisForecaster().forecast(
      from: history, at: late + 30 * TimeSpan.minute)
    #expect(forecast.trend == .stable)
  }
}
