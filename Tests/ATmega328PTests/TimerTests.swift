import ATmega328P
import TestSupport
import Testing

/// Tests that compare the calculated counts of a timer with a timer that counts every tick.
struct TimerTests {
  /// A timer that counts tick by tick as in the data sheet.
  private struct Ticking {
    var wave: TimerWave
    var count: UInt32
    var isDown = false
    var overflowed = false
    var left: Set<UInt32> = []

    mutating func tick() {
      left.insert(count)
      guard wave.isDual else {
        let wraps = count == wave.top || count == wave.max
        if wraps, count == wave.max || wave.overflowsAtTop { overflowed = true }
        count = wraps ? 0 : count + 1
        return
      }
      if count >= wave.top { isDown = true }
      if count == 0 { isDown = false }
      count = isDown ? count - 1 : count + 1
      if count == 0 { overflowed = true }
    }
  }

  @Test("a timer advanced by many ticks at once has the same count and events as with single ticks")
  func alike() {
    var random = Seeded("timer waves")
    for round in 0..<Repetitions.count(400, long: 20_000) {
      var wave = TimerWave(top: UInt32.random(in: 1...255, using: &random), max: 255)
      wave.isDual = round % 3 == 0
      wave.overflowsAtTop = round % 3 == 1
      var count = TimerCount(
        wave: wave, count: UInt32.random(in: 0...(wave.isDual ? wave.top : 255), using: &random))
      var ticking = Ticking(wave: wave, count: count.count)
      for _ in 0..<6 {
        let value = UInt32.random(in: 0...255, using: &random)
        let ticks = UInt64.random(in: 0...700, using: &random)
        let overflows = count.ticksToOverflow.map { $0 <= ticks } ?? false
        let matches = count.ticks(toLeave: value).map { $0 <= ticks } ?? false
        (ticking.overflowed, ticking.left) = (false, [])
        for _ in 0..<ticks { ticking.tick() }
        count.advance(ticks)
        #expect(count.count == ticking.count, "\(wave) after \(ticks)")
        #expect(overflows == ticking.overflowed, "\(wave) overflow in \(ticks)")
        #expect(matches == ticking.left.contains(value), "\(wave) \(value) in \(ticks)")
      }
    }
  }

  @Test("an asynchronous clock tick takes effect at the first CPU cycle at or after the tick")
  func crystal() {
    let base = TickBase(origin: 100, factor: 32768, divisor: 16_000_000)
    for tick in [1, 2, 327, 32768, 3_000_000_000] as [UInt64] {
      let cycle = base.cycle(of: tick)
      #expect(base.ticks(at: cycle) == tick)
      #expect(base.ticks(at: cycle - 1) == tick - 1)
    }
    #expect(base.cycle(of: 32768) == 16_000_100)
  }
}
