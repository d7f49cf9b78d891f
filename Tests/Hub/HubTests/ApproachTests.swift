import HubCore
import Quantities
import Testing
import Warehouse

@Suite("the prediction of a limit")
struct ApproachTests {
  private static let tag = WarehousePolicy.ExpectedTag(
    "A4:DA:32:00:00:01", name: "shelf", zone: "cold room", period: 30_000_000_000)
  private static let rules = [
    AlarmRule(.temperatureHigh, .alarm, limit: 8),
    AlarmRule(.temperatureHigh, .warning, limit: 6.5),
    AlarmRule(.temperatureLow, .alarm, limit: 2),
  ]

  /// Returns the prediction after readings every 30 s, asked for some seconds after the last one.
  private static func approach(
    count: Int = 20, from start: Double, perMinute slope: Double, noise: Double = 0,
    later: Double = 0, rules: [AlarmRule] = rules
  ) -> ApproachWatch.Approach? {
    var watch = ApproachWatch()
    for index in 0..<count {
      var air = AirReading()
      air.temperature =
        start + slope * Double(index) / 2 + (index.isMultiple(of: 2) ? noise : -noise)
      watch.take(air, of: tag.address, boot: Int64(index) * 30_000_000_000)
    }
    let now = Double(count - 1) * 30 + later
    return watch.approach(of: tag, to: rules, boot: Int64(now * 1e9))
  }

  @Test(
    "a constant rate predicts the limit that is reached first, and the time until then",
    arguments: [
      // 19 intervals of 0.1 °C end at 5.9 °C, 0.6 °C below the warning, at 0.2 °C per minute.
      (4.0, 0.2, 0.0, 6.5, 180), (4.0, 0.2, 60.0, 6.5, 120), (6.0, -0.2, 0.0, 2.0, 630),
      (5.9, 0.1, 0.0, 8.0, 690),
    ])
  func rate(start: Double, slope: Double, later: Double, limit: Double, seconds: Int) throws {
    let approach = try #require(Self.approach(from: start, perMinute: slope, later: later))
    #expect(approach.rule.limit == limit)
    #expect(approach.seconds == seconds)
  }

  @Test("noise without a trend, few readings, old readings and distant limits predict nothing")
  func nothing() {
    #expect(Self.approach(from: 5, perMinute: 0, noise: 0.3) == nil)
    #expect(Self.approach(from: 5, perMinute: 0) == nil)
    #expect(Self.approach(count: 4, from: 5, perMinute: 0.2) == nil)
    #expect(Self.approach(from: 4, perMinute: 0.2, later: 100) == nil)
    #expect(Self.approach(from: 4, perMinute: 0.01) == nil)
    // The limit has been passed.
    let high = [AlarmRule(.temperatureHigh, .alarm, limit: 5)]
    #expect(Self.approach(from: 4, perMinute: 0.2, rules: high) == nil)
  }

  @Test(
    "after an excursion, neither the line through it nor the limit on its other side is predicted")
  func excursion() {
    // Twelve minutes of falling values, and the last two readings rise again.
    var watch = ApproachWatch()
    for index in 0..<24 {
      var air = AirReading()
      air.temperature = index < 22 ? 7 - 0.2 * Double(index) : 2.8 + 0.4 * Double(index - 21)
      watch.take(air, of: Self.tag.address, boot: Int64(index) * 30_000_000_000)
    }
    #expect(watch.approach(of: Self.tag, to: Self.rules, boot: 23 * 30_000_000_000) == nil)
    // A value above the high limit, on a falling line.
    let high = AlarmRule(.temperatureHigh, .alarm, limit: 3)
    #expect(Self.approach(from: 9, perMinute: -0.2, rules: Self.rules + [high]) == nil)
    #expect(Self.approach(from: 6, perMinute: -0.2) != nil)
  }

  @Test("a trend larger than its noise predicts about the same time")
  func noisy() throws {
    let approach = try #require(Self.approach(from: 4, perMinute: 0.2, noise: 0.05))
    #expect((150...210).contains(approach.seconds))
  }
}
