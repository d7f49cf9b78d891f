import Readings
import Testing

/// What is said of a change of pressure: one rule for the word and the sentence.
struct TendencyTests {
  /// The tendency after three hours in which pressure went evenly by so many hPa.
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
    "a small change is steady, in one word and in more",
    arguments: [0.07, -0.07, 0.15, -0.15, 0.29, -0.29])
  func steady(change: Double) throws {
    let told = try Self.tendency(change)
    #expect(abs(told.change - change) < 0.01)
    #expect(told.trend == "steady" && told.words == "steady")
  }

  @Test("a larger one has a way and is described", arguments: [0.31, -0.31, 1, -1, 6, -6])
  func moving(change: Double) throws {
    let told = try Self.tendency(change)
    #expect(told.trend == (change > 0 ? "rising" : "falling"))
    #expect(told.words.hasPrefix(told.trend))
  }
}
