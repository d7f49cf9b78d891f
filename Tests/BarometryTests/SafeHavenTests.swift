import Barometry
import Testing

/// The call to the safe haven, the crew's chart, and pressures outside the sensor's specification.
struct SafeHavenTests {
  static let millimetre = 133.322387415

  /// Returns an analysis of a pressure that falls at a rate in Pa/s from a time on, with one sample
  /// a second and no noise.
  static func analysis(
    _ fall: Double, from start: Double = 60, seconds: Int, pascals: Double = 101_325
  )
    -> LeakAnalysis
  {
    var analysis = LeakAnalysis()
    for second in 0..<seconds {
      analysis.take(
        pascals - fall * max(Double(second) - start, 0), celsius: 22, at: Double(second))
    }
    return analysis
  }

  @Test(
    "below ten minutes the crew is called once, until the leak ends, even if data are missing"
  )
  func haven() throws {
    var haven = SafeHaven()
    let slow = try #require(Self.analysis(20, seconds: 100).assessment(at: 99))
    let left = try #require(slow.reserve).bound
    #expect(left > 600 && haven.take(slow) == nil && !haven.isCalled)
    var fast = Self.analysis(80, seconds: 120)
    let found = try #require(fast.assessment(at: 119))
    #expect(try #require(found.reserve).bound < 600)
    #expect(haven.take(found) == .called && haven.isCalled)
    #expect(haven.take(found) == nil, "once")
    fast.restart()
    let settling = try #require(fast.assessment(at: 120))
    let stale = try #require(fast.assessment(at: 200))
    #expect(haven.take(settling) == nil && haven.take(stale) == nil)
    #expect(haven.isCalled, "a hatch that was moved and a silent sensor end no call")
    let calm = try #require(Self.analysis(0, seconds: 100).assessment(at: 99))
    #expect(haven.take(calm) == .over && !haven.isCalled)
    #expect(haven.take(calm) == nil && haven.take(found) == .called, "a new breach is a new call")
    #expect(haven.take(slow) == .over, "far more time is left")
  }

  @Test(
    "if a sensor fails during a leak, the reserve time counts down and the crew is called in time"
  )
  func silence() throws {
    var haven = SafeHaven()
    let slow = Self.analysis(20, seconds: 100)
    let seen = try #require(slow.assessment(at: 99))
    let left = try #require(seen.reserve).bound
    #expect(left > 700 && haven.take(seen) == nil && haven.unobservedTime(seen) == nil)
    var time = 110.0
    while haven.take(try #require(slow.assessment(at: time))) == nil { time += 1 }
    #expect(haven.isCalled && haven.isLeakUnobserved)
    #expect(abs(time - 99 - (left - 600)) < 2, "called at \(time) s, \(left) s were left at 99 s")
    let later = try #require(slow.assessment(at: time + 300))
    #expect(haven.take(later) == nil)
    #expect(abs(try #require(haven.unobservedTime(later)).seconds - 300) < 2)
  }

  @Test(
    "the reserve chart equals the reference table (T1mm in s, mmHg, minutes to 490 mmHg)",
    arguments: [
      (5.0, 760.0, 27.8), (60, 760, 333.4), (120, 745, 623.9), (10, 700, 41.6), (30, 650, 91.8),
      (60, 600, 121.4), (120, 550, 126.9), (5, 520, 2.6),
    ])
  func chart(_ seconds: Double, _ pressure: Double, _ minutes: Double) {
    let found = ReserveChart.seconds(
      to: 490 * Self.millimetre, from: pressure * Self.millimetre, t1mm: seconds)
    #expect(abs(found / 60 - minutes) < 0.06)
    #expect(ReserveChart.seconds(to: 1e5, from: 9e4, t1mm: seconds) == 0)
  }

  @Test(
    "the hole diameter is computed from T1mm: 12.3 mm for a fall of 1 mmHg a minute in 916 m3",
    arguments: [(12.3, 60.0), (5, 363), (50, 3.6)])
  func hole(_ millimetres: Double, _ seconds: Double) {
    let found = ReserveChart.hole(at: 760 * Self.millimetre, t1mm: seconds, volume: 916)
    #expect(abs(found * 1000 / millimetres - 1) < 0.01)
  }

  @Test("outside the sensor's range a pressure is never reported as stable, but a leak is reported")
  func outside() throws {
    for (pascals, isOutside) in [(65_900.0, true), (66_100, false), (104_000, true)] {
      var analysis = LeakAnalysis()
      analysis.specified = 66_000...103_000
      for second in 0..<60 { analysis.take(pascals, celsius: 22, at: Double(second)) }
      let found = try #require(analysis.assessment(at: 59))
      #expect(found.isOutside == isOutside)
      #expect(found.status == (isOutside ? .outside : .stable))
    }
    var falling = LeakAnalysis()
    falling.specified = 30_000...110_000
    for second in 0..<120 {
      falling.take(30_500 - 20 * Double(second), celsius: 22, at: Double(second))
    }
    let found = try #require(falling.assessment(at: 119))
    #expect(found.status == .leak && found.isOutside)
  }

  @Test(
    "a few samples after a restart, the slope and its uncertainty are known"
  )
  func sinceRestart() throws {
    var analysis = Self.analysis(2, seconds: 100)
    analysis.restart()
    #expect(analysis.sinceRestart == nil)
    for second in 100..<110 { analysis.take(101_000, celsius: 22, at: Double(second)) }
    let rate = try #require(analysis.sinceRestart)
    #expect(abs(rate.value) < 0.01 && rate.count == 10 && rate.span == 9)
    #expect(rate.uncertainty > 0)
    analysis.resetInitial()
    #expect(analysis.initial == 101_000)
  }
}
