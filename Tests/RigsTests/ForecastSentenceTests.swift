import Barometry
import Runs
import Testing

/// The reason why there is no forecast, in words.
struct ForecastSentenceTests {
  @Test("the age of a pressure that is too old is never rounded down to the limit")
  func age() {
    let limit = 10 * TimeSpan.minute
    let late = ThesisForecaster.ForecastError.tooOld(
      age: limit + 850 * TimeSpan.second / 1000, allowed: limit)
    #expect(late.sentence == "the latest pressure is 600.850 s old, at most 10 min are allowed")
    let later = ThesisForecaster.ForecastError.tooOld(age: 3 * limit, allowed: limit)
    #expect(later.sentence == "the latest pressure is 30 min old, at most 10 min are allowed")
  }
}
