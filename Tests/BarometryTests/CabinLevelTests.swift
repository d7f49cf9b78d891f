import Barometry
import Testing
import VirtualI2C

/// An unlivable pressure is reported whatever its rate, and a sudden fall is reported at its first
/// sample.
struct CabinLevelTests {
  static let millimetre = SafeHavenTests.millimetre

  /// Returns an analysis of pressures in mmHg, one sample a second.
  static func analysis(
    _ pressures: [Double], limit: Double = 490, filter: Double = 1,
    specified: ClosedRange<Double>? = 30_000...110_000
  ) -> LeakAnalysis {
    var analysis = LeakAnalysis(filter: filter)
    analysis.limit = limit * millimetre
    analysis.specified = specified
    var smoothed: Double?
    for (second, pressure) in pressures.enumerated() {
      let last = smoothed ?? pressure
      let now = last + (pressure - last) / filter
      smoothed = now
      analysis.take(now * millimetre, celsius: 22, at: Double(second))
    }
    return analysis
  }

  @Test(
    "a stable pressure below or above the limits is reported from the first sample on",
    arguments: [
      (489.0, 490.0, CabinLevel.low), (491, 490, .usual), (760, 490, .usual), (784, 490, .usual),
      (786, 490, .high), (1500, 490, .high), (0, 490, .low), (409, 300, .low), (415, 300, .usual),
      (200, 490, .low),
    ])
  func still(_ pressure: Double, _ limit: Double, _ level: CabinLevel) throws {
    for count in [1, 60, 400] {
      let analysis = Self.analysis(Array(repeating: pressure, count: count), limit: limit)
      let found = try #require(analysis.assessment(at: Double(count - 1)))
      #expect(found.level == level)
      switch level {
      case .low: #expect(found.status == .low)
      case .high: #expect(found.status == .high)
      case .usual: #expect([.settling, .stable, .outside].contains(found.status))
      }
      var haven = SafeHaven()
      #expect((haven.take(found) == .called) == (level == .low))
    }
  }

  @Test("a noisy pressure at a limit causes a single alarm, which persists if the sensor fails")
  func hysteresis() throws {
    var chance = SeededGenerator(seed: 4)
    for (limit, level) in [(490.0, CabinLevel.low), (785, .high)] {
      var changes = 0
      var last = CabinLevel.usual
      var analysis = LeakAnalysis()
      for second in 0..<600 {
        analysis.take(
          limit * Self.millimetre + 5 * chance.gaussian(), celsius: 22, at: Double(second))
        let found = try #require(analysis.assessment(at: Double(second)))
        if found.level != last { changes += 1 }
        last = found.level
      }
      #expect(changes == 1 && last == level)
      let silent = try #require(analysis.assessment(at: 700))
      #expect(silent.status == .stale && silent.level == level)
    }
  }

  @Test(
    "a fall of more than 3 mmHg is declared a leak at the first sample, even with a filter",
    arguments: [1, 3, 5, 60], [1.0, 4, 16])
  func sudden(_ quiet: Int, _ filter: Double) throws {
    for fallen in [755.0, 500, 100, 0.1, 0] {
      let pressures = Array(repeating: 760.0, count: quiet) + [fallen]
      let analysis = Self.analysis(pressures, filter: filter)
      let found = try #require(analysis.assessment(at: Double(quiet)))
      #expect(found.status == .leak, "\(fallen) mmHg after \(quiet) s, filter \(filter)")
      var haven = SafeHaven()
      #expect(haven.take(found) == .called, "\(fallen) mmHg after \(quiet) s, filter \(filter)")
    }
    let small = Self.analysis(Array(repeating: 760.0, count: quiet) + [757.5], filter: filter)
    #expect(!small.isLeaking, "a step that a hatch may make")
  }

  @Test(
    "a loss of all air within a second is reported as a leak, and never as stable afterwards")
  func gone() throws {
    var haven = SafeHaven()
    var chance = SeededGenerator(seed: 9)
    var analysis = Self.analysis(Array(repeating: 760.0, count: 60))
    for second in 60..<1000 {
      analysis.take(abs(chance.gaussian()) * 3, celsius: 22, at: Double(second))
      let found = try #require(analysis.assessment(at: Double(second)))
      _ = haven.take(found)
      #expect(haven.isCalled && found.status == .leak && found.level == .low)
      #expect(found.rate.map { abs($0.value) < 1e5 } ?? true)
      #expect(found.reserve?.bound ?? 0 == 0)
    }
  }

  @Test("the alarm of a single wrong sample ends again, and warming the sensor by hand causes none")
  func glitch() throws {
    var haven = SafeHaven()
    var pressures = Array(repeating: 760.0, count: 60) + [700.0]
    let struck = try #require(Self.analysis(pressures).assessment(at: 60))
    #expect(struck.status == .leak && haven.take(struck) == .called)
    pressures += Array(repeating: 760.0, count: 40)
    let calm = try #require(Self.analysis(pressures).assessment(at: 100))
    #expect(calm.status == .stable && haven.take(calm) == .over)
    var warm = Self.analysis(Array(repeating: 760.0, count: 60))
    warm.take(760 * Self.millimetre, celsius: 32, at: 60)
    #expect(!warm.isLeaking)
  }

  @Test(
    "a sudden fall has an upper bound of the reserve time at once, and a reserve time after 2 s"
  )
  func reserve() throws {
    var analysis = Self.analysis(Array(repeating: 760.0, count: 60))
    var known: Int?
    for second in 60..<80 {
      // 4.4 mmHg in the first second, as through a hole of 200 mm in 916 m3.
      let pressure = 760 * Self.decay(Double(second - 59) / 172)
      analysis.take(pressure * Self.millimetre, celsius: 22, at: Double(second))
      let found = try #require(analysis.assessment(at: Double(second)))
      #expect(found.status == .leak)
      let truth = 172 * 0.43893 - Double(second - 59)
      #expect((found.most == nil) == (found.reserve != nil), "one of both is always known")
      // The fall may slow down as the remaining air cools: 3.2 % from 760 to 490 mmHg.
      if let most = found.most { #expect(most >= truth && most < 1.04 * truth + 1) }
      if let reserve = found.reserve {
        known = known ?? second
        #expect(reserve.bound <= truth && reserve.bound > truth / 2, "at \(second) s")
      }
    }
    #expect(known == 62)
  }

  /// Returns e to the power of minus a number, computed by its series.
  static func decay(_ number: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for index in 1..<20 {
      term *= -number / Double(index)
      sum += term
    }
    return sum
  }

  @Test(
    "the upper bound of the reserve time counts down and is valid with adiabatic cooling")
  func most() throws {
    // P = P0 (1 + t / 5 tau)^-7 is the slowest fall to the limit.
    var analysis = Self.analysis(Array(repeating: 760.0, count: 60))
    func pressure(_ seconds: Double) -> Double {
      var share = 1.0
      for _ in 0..<7 { share /= 1 + seconds / 5 / 172 }
      return 760 * share
    }
    analysis.take(pressure(1) * Self.millimetre, celsius: 22, at: 60)
    var end = 1.0
    while pressure(end) > 490 { end += 0.01 }
    let first = try #require(analysis.assessment(at: 60)?.most)
    let later = try #require(analysis.assessment(at: 61.5)?.most)
    #expect(first >= end - 1.02 && first < 1.01 * end, "\(first) \(end - 1)")
    #expect(abs(first - later - 1.5) < 1e-9)
  }

  @Test("a sudden fall that has ended neither affects a later slow leak nor calls the crew again")
  func past() throws {
    var haven = SafeHaven()
    var pressures = Array(repeating: 760.0, count: 60)
    for second in 0..<4 { pressures.append(750 - 10 * Double(second)) }
    pressures += Array(repeating: 720.0, count: 400)
    pressures += (0..<200).map { 720 - 0.02 * Double($0) }
    var calls = 0
    for count in 60..<pressures.count where count < 66 || count > 440 {
      let found = try #require(
        Self.analysis(Array(pressures[...count])).assessment(at: Double(count)))
      if haven.take(found) == .called { calls += 1 }
      if count > 440 { #expect(found.most == nil && !haven.isCalled) }
    }
    #expect(calls == 1)
  }
}
