import Testing

@testable import Runs

/// The schedule of cycles.
struct CycleScheduleTests {
  @Test(
    "a request starts a cycle; further requests before the end of this cycle start none"
  )
  func requests() {
    var schedule = CycleSchedule(every: 100, requests: [5, 50, 55, 60, 61, 250], from: 0)
    var starts: [(start: Int64, isRequested: Bool)] = []
    var end: Int64?
    for _ in 0..<6 {
      let cycle = schedule.next(after: end)
      starts.append((cycle.start, cycle.isRequested))
      end = cycle.start + 10
    }
    #expect(starts.map(\.start) == [0, 50, 61, 100, 200, 250])
    #expect(starts.map(\.isRequested) == [false, true, true, false, false, true])
  }

  @Test(
    "the first regular cycle at or after a time is found, and cycles in a long pause are skipped")
  func planned() {
    var schedule = CycleSchedule(every: 100, requests: [120], from: 7)
    _ = schedule.next(after: nil)
    #expect(schedule.firstPlanned(atOrAfter: 0) == 107)
    #expect(schedule.firstPlanned(atOrAfter: 107) == 107)
    #expect(schedule.firstPlanned(atOrAfter: 108) == 207)
    schedule.skip(to: 1_000_000_000, length: 10)
    let next = schedule.next(after: 20)
    #expect(next.start <= 1_000_000_000 && next.start > 1_000_000_000 - 200 && !next.isRequested)
  }
}
