import Machines
import TestSupport
import Testing

struct TimeTests {
  @Test("a time converts to the first cycle at or after it, for all frequencies")
  func cycles() {
    for frequency: UInt64 in [16_000_000, 64_000_000, 96_000_000, 32_768, 100_000_007] {
      let clock = MachineClock(frequency: frequency) { 0 }
      for time: UInt64 in [0, 1, 15, 16, 999_999_999, 1_000_000_001, 31_536_000_000_000_001] {
        let cycle = clock.cycle(at: time)
        #expect(clock.nanoseconds(at: cycle) >= time)
        if cycle > 0 { #expect(clock.nanoseconds(at: cycle - 1) < time) }
      }
    }
  }

  @Test("the time of a cycle is exact, from short times to a century")
  func exact() {
    for frequency: UInt64 in [1, 32_768, 8_000_000, 16_000_000, 84_000_000, 100_000_007] {
      let clock = MachineClock(frequency: frequency) { 0 }
      for exponent in 0..<51 {
        let cycle = (1 << UInt64(exponent)) + UInt64(exponent) * 7 - 1
        let (high, low) = cycle.multipliedFullWidth(by: 1_000_000_000)
        guard high < frequency else { continue }
        let time = frequency.dividingFullWidth((high, low)).quotient
        #expect(clock.nanoseconds(at: cycle) == time)
      }
    }
  }

  @Test("time is continuous when the frequency changes")
  func frequency() {
    final class Count { var cycles: UInt64 = 0 }
    let count = Count()
    let clock = MachineClock(frequency: 16_000_000) { count.cycles }
    count.cycles = 16_000_000
    clock.setFrequency(96_000_000)
    #expect(clock.nanoseconds == 1_000_000_000)
    count.cycles += 96_000
    #expect(clock.nanoseconds == 1_001_000_000)
    #expect(clock.cycle(at: 1_001_000_000) == count.cycles)
  }

  @Test("the core catches up with a bus whose time is ahead")
  func ahead() {
    final class Count { var cycles: UInt64 = 0 }
    let count = Count()
    let clock = MachineClock(frequency: 1_000_000) { count.cycles }
    clock.wait(nanoseconds: 5_000)
    #expect(clock.nanoseconds == 5_000)
    count.cycles = 3
    #expect(clock.nanoseconds == 5_000)
    count.cycles = 8
    #expect(clock.nanoseconds == 8_000)
  }

  @Test("events fire in order, and may schedule further events")
  func schedule() {
    let schedule = EventSchedule()
    final class Log { var text: [String] = [] }
    let log = Log()
    var nearer: [UInt64] = []
    schedule.didMoveEarlier = { nearer.append($0) }
    let first = schedule.slot { log.text.append("first \($0)") }
    let second = schedule.slot { cycle in
      log.text.append("second \(cycle)")
      if cycle < 30 { schedule.set(first, at: cycle + 5) }
    }
    schedule.set(first, at: 20)
    schedule.set(second, at: 10)
    #expect(nearer == [20, 10])
    schedule.fire(upTo: 9)
    #expect(log.text == [])
    schedule.fire(upTo: 40)
    // The first slot was due at 20; the second, at 10, rescheduled it to 15.
    #expect(log.text == ["second 10", "first 15"])
    #expect(schedule.next == .max)
    schedule.set(second, at: 50)
    schedule.set(first, at: 50)
    schedule.set(second, at: 60)
    #expect(schedule.next == 50)
    schedule.clear(first)
    #expect(schedule.next == 60)
    #expect(schedule.cycle(of: first) == nil)
  }
}
