import Barometry
import Testing

/// Durations in the unit of all clocks.
struct TimeSpanTests {
  @Test("an hour is 3.6e12 ns, and 90 minutes are converted to 1.5 hours")
  func spans() {
    #expect(TimeSpan.hour == 3_600_000_000_000)
    #expect(TimeSpan.hours(90 * TimeSpan.minute) == 1.5)
  }
}
