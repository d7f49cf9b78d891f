import BusServers
import Testing

/// Tests of the filter for messages about clients.
struct RepeatedNoticesTests {
  /// A filter with a clock that the test sets, and what it has passed on.
  private final class Log {
    var time: UInt64 = 0
    var lines: [String] = []
    private(set) lazy var notices = RepeatedNotices(now: { [unowned self] in time }) {
      [unowned self] in lines.append($0)
    }
  }

  @Test("a few messages of a kind are passed on at once")
  func fewPass() {
    let log = Log()
    for number in 1...RepeatedNotices.burst { log.notices.take("packet of \(number) bytes") }
    log.notices.take("a client connected")
    #expect(log.lines.count == RepeatedNotices.burst + 1)
    #expect(log.lines.first == "packet of 1 bytes" && log.lines.last == "a client connected")
  }

  @Test("further messages of a kind are counted in one line at the end of the period")
  func furtherAreCounted() {
    let log = Log()
    for number in 1...1000 { log.notices.take("packet of \(number) bytes") }
    #expect(log.lines.count == RepeatedNotices.burst)
    log.time = RepeatedNotices.period - 1
    log.notices.report()
    #expect(log.lines.count == RepeatedNotices.burst)
    log.time += 1
    log.notices.report()
    #expect(log.lines.last == "packet of 1000 bytes (995 times in 10 s)")
    log.notices.report()
    log.notices.take("packet of 7 bytes")
    #expect(log.lines.dropFirst(RepeatedNotices.burst + 1) == ["packet of 7 bytes"])
  }

  @Test("a message in the next period reports the count of the last one first")
  func nextPeriod() {
    let log = Log()
    for _ in 0..<7 { log.notices.take("refused") }
    log.time = RepeatedNotices.period
    log.notices.take("refused")
    #expect(log.lines.suffix(2) == ["refused (2 times in 10 s)", "refused"])
  }

  @Test("counts that are left are reported at the end")
  func end() {
    let log = Log()
    for _ in 0...RepeatedNotices.burst { log.notices.take("refused") }
    log.notices.report(isLast: true)
    #expect(log.lines == Array(repeating: "refused", count: RepeatedNotices.burst + 1))
  }
}
