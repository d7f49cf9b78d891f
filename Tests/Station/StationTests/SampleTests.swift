import Forecasts
import Readings
import Testing

/// The embedded sample, and the air of the simulated station, at any time.
struct SampleTests {
  @Test(
    "the sample forecast covers the coming seven days on any date, before and after midnight",
    arguments: [0, 1_380_585_600, 1_709_164_800, 1_795_305_600, 4_102_444_800])
  func anyDate(_ start: Int) throws {
    let location = try #require(GeoPoint(latitude: 38.7223, longitude: -9.1393))
    for day in stride(from: 0, to: 366, by: 61) {
      let moment = KeepingTests.TestClock(start + day * 86400 + 86399)
      let source = try ForecastSource(paths: [], now: { moment.now })
      for _ in 0..<2 {
        let forecast = try #require(try source.forecast(at: location))
        #expect(forecast.ended(by: moment.now) == nil)
        for hour in stride(from: 0, through: 7 * 24 - 12, by: 12) {
          #expect(forecast.value(.temperature, at: moment.now + hour * 3600) != nil)
        }
        // At midnight the runs advance by a day.
        moment.now += 2
        #expect(source.reload())
        moment.now += 86400 - 2
        source.reload()
      }
    }
  }

  @Test("after the end of the forecast data, the simulated air continues without a jump")
  func after() throws {
    let site = try ForesightTests.site()
    let now = ForesightTests.noon
    let source = try ForecastSource(paths: [], now: { now })
    let forecast = try #require(try source.forecast(at: site.location))
    let end = try #require(forecast.end)
    #expect(forecast.value(.temperature, at: end + 1) == nil && forecast.ended(by: end + 1) == end)
    var last = LocalAir.air(forecast, site, at: end - 600)
    for moment in stride(from: end, through: end + 3 * 86400, by: 600) {
      let air = LocalAir.air(forecast, site, at: moment)
      #expect(abs(air.pascals - last.pascals) < 60 && abs(air.celsius - last.celsius) < 1)
      #expect((-20...50).contains(air.celsius) && (5...100).contains(air.humidity))
      last = air
    }
    let far = LocalAir.air(nil, site, at: now)
    #expect((95_000...105_000).contains(far.pascals))
  }
}
