import Barometry
import Testing

/// Spans of time in the unit of all clocks.
struct TimeSpanTests {
  @Test("spans of time")
  func spans() {
    #expect(TimeSpan.hour == 3_600_000_000_000)
    #expect(TimeSpan.hours(90 * TimeSpan.minute) == 1.5)
  }
}
