import Barometry
import Testing

@testable import Runs

/// Why there is no forecast, in words.
struct ForecastSentenceTests {
  @Test("an age beyond the limit is never written as the limit itself")
  func age() {
    let limit = 10 * TimeSpan.minute
    let late = ThesisForecaster.ForecastError.tooOld(
      age: limit + 850 * TimeSpan.second / 1000, allowed: limit)
    #expect(late.sentence == "the youngest pressure is 600.850 s old, 10 min are allowed")
    let later = ThesisForecaster.ForecastError.tooOld(age: 3 * limit, allowed: limit)
    #expect(later.sentence == "the youngest pressure is 30 min old, 10 min are allowed")
  }
}
