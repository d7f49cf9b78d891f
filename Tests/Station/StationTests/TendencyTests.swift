import Readings
import Testing

/// Pressure tendencies, whose word and text follow the same rule.
struct TendencyTests {
  /// Returns the tendency after three hours of a uniform change of pressure in hPa.
  static func tendency(_ change: Double) throws -> StationState.Tendency {
    let store = try ReadingStore(path: nil)
    let readings = stride(from: 0, through: 180, by: 1).map { minute in
      Reading(
        time: ForesightTests.noon + minute * 60, celsius: 20, humidity: 50,
        pascals: 101_000 + change * 100 * Double(minute) / 180)
    }
    _ = try store.append(readings)
    let end = ForesightTests.noon + 180 * 60 + 1
    return try #require(try StationState(store, try ForesightTests.site(), at: end).tendency)
  }

  @Test(
    "a pressure change below 0.3 hPa in three hours is 'steady' in the trend and in the text",
    arguments: [0.07, -0.07, 0.15, -0.15, 0.29, -0.29])
  func steady(change: Double) throws {
    let told = try Self.tendency(change)
    #expect(abs(told.change - change) < 0.01)
    #expect(told.trend == "steady" && told.words == "steady")
  }

  @Test(
    "a larger pressure change is 'rising' or 'falling' in the trend and in the text",
    arguments: [0.31, -0.31, 1, -1, 6, -6])
  func moving(change: Double) throws {
    let told = try Self.tendency(change)
    #expect(told.trend == (change > 0 ? "rising" : "falling"))
    #expect(told.words.hasPrefix(told.trend))
  }
}
