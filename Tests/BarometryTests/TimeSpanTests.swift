import Barometry
import Testing

/// Durations in the unit of all clocks.
struct TimeSpanTests {
  @Test("a second, a minute and an hour are stored in nanoseconds")
  func spans() {
    #expect(TimeSpan.hour == 3_600_000_000_000)
    #expect(TimeSpan.hours(90 * TimeSpan.minute) == 1.5)
  }
}
