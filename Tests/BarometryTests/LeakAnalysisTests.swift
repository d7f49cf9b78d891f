import Barometry
import Glibc
import Quantities
import Testing
import VirtualI2C

/// A cabin's status, leak rate and remaining time are computed from its pressure.
struct LeakAnalysisTests {
  static let millimetre = PressureUnit.millimetreOfMercury.pascals

  /// A sensor with the data sheet's noise (x1: 3.3 Pa and 0.005 C), one sample a second.
  struct Sensor {
    var chance: SeededGenerator
    var analysis = LeakAnalysis()

    init(seed: UInt64) { chance = SeededGenerator(seed: seed) }

    mutating func sample(_ pascals: Double, _ celsius: Double, at second: Double) {
      analysis.take(
        pascals + 3.3 * chance.gaussian(), celsius: celsius + 0.005 * chance.gaussian(), at: second)
    }
  }

  @Test(
    "the minutes to 490 mmHg equal the crew's chart (T1mm in s, pressure in mmHg)",
    arguments: [
      (60.0, 760.0, 333.4), (60.0, 700.0, 249.5), (5.0, 745.0, 26.0), (120.0, 650.0, 367.1),
      (10.0, 520.0, 5.1), (30.0, 600.0, 60.7),
    ])
  func reserve(_ seconds: Double, _ millimetres: Double, _ minutes: Double) throws {
    // The chart uses the time of the next whole mmHg; the current rate is slightly higher.
    var analysis = LeakAnalysis()
    let decay = millimetres / (millimetres - 1)
    for second in 0...40 {
      let share = pow(decay, -(Double(second) - 40) / seconds)
      analysis.take(millimetres * Self.millimetre * share, celsius: 22, at: Double(second))
    }
    let found = try #require(analysis.assessment(at: 40))
    #expect(found.status == .leak)
    let reserve = try #require(found.reserve)
    #expect(abs(reserve.expected / 60 - minutes) < 0.012 * minutes + 0.1)
    #expect(reserve.bound < reserve.expected)
    #expect(try #require(found.lowerReserve).expected > reserve.expected)
  }

  @Test(
    "before the reserve time of a leak is known, the expected wait for it is reported",
    arguments: [1.0, 0.1, 0.02])
  func settles(_ rate: Double) throws {
    var ratios: [Double] = []
    for seed in 1...10 {
      var sensor = Sensor(seed: UInt64(seed))
      var expected: (at: Double, for: Double)?
      var known: Double?
      for second in 0..<9000 where known == nil {
        let time = Double(second)
        let fall = max(time - 2000, 0) * rate / 60 * Self.millimetre
        sensor.sample(101_325 - fall, 22, at: time)
        guard let found = sensor.analysis.assessment(at: time), found.status == .leak else {
          continue
        }
        if found.reserve != nil {
          known = time
          #expect(found.settled == nil)
        } else if expected == nil {
          expected = (time, try #require(found.settled))
        }
      }
      let (first, last) = (try #require(expected), try #require(known))
      ratios.append((last - first.at) / first.for)
    }
    // A window that has just begun to fall underestimates the leak, so the rate is known earlier.
    #expect(ratios.allSatisfy { $0 > 0.1 && $0 < 1.25 }, "\(rate): \(ratios)")
  }

  @Test("without a leak there is no reserve time, and a silent or failed sensor is reported")
  func honesty() throws {
    var sensor = Sensor(seed: 1)
    for second in 0..<400 { sensor.sample(101_325, 22, at: Double(second)) }
    let quiet = try #require(sensor.analysis.assessment(at: 399))
    #expect(quiet.status == .stable)
    #expect(quiet.reserve == nil && quiet.secondsPerMillimetre == nil)
    #expect(try #require(sensor.analysis.assessment(at: 402)).status == .stale)
    sensor.analysis.fail()
    #expect(try #require(sensor.analysis.assessment(at: 400)).status == .fault)
    sensor.analysis.take(.nan, celsius: 22, at: 401)
    #expect(try #require(sensor.analysis.assessment(at: 401)).status == .fault)
    #expect(LeakAnalysis().assessment(at: 0) == nil)
  }

  @Test("the rate's uncertainty is that of least squares: 0.030 mmHg/min for 3.3 Pa over 30 s")
  func uncertainty() throws {
    var sum = 0.0
    for seed in 1...200 {
      var sensor = Sensor(seed: UInt64(seed))
      for second in 0..<30 { sensor.sample(101_325, 22, at: Double(second)) }
      let rates = try #require(sensor.analysis.assessment(at: 29)).rates
      sum += try #require(rates.first { $0.window == 30 }).uncertainty
    }
    let millimetresPerMinute = sum / 200 * 60 / Self.millimetre
    // The noise of the temperature adds to that of the pressure.
    #expect(millimetresPerMinute > 0.030 && millimetresPerMinute < 0.038)
  }

  @Test(
    "a leak of 1 mmHg/min is declared within 60 s, and one of 0.01 mmHg/min within 30 min",
    arguments: 1...20)
  func delay(_ seed: Int) throws {
    for (rate, allowed) in [(1.0, 60.0), (0.01, 1800.0)] {
      var sensor = Sensor(seed: UInt64(seed))
      for second in 0..<2000 { sensor.sample(101_325, 22, at: Double(second)) }
      #expect(!sensor.analysis.isLeaking)
      var delay: Double?
      for second in 0..<Int(allowed) where delay == nil {
        let fallen = rate * Self.millimetre / 60 * Double(second)
        sensor.sample(101_325 - fallen, 22, at: 2000 + Double(second))
        if sensor.analysis.isLeaking { delay = Double(second) }
      }
      #expect(delay != nil, "\(rate) mmHg/min, seed \(seed)")
      if let delay { print("leak of \(rate) mmHg/min, seed \(seed): declared after \(delay) s") }
    }
  }

  @Test("neither a warming nor a cooling cabin is reported as a leak")
  func temperature() throws {
    for slope in [0.1, -0.1] {
      var analysis = LeakAnalysis()
      for second in 0..<1200 {
        let celsius = 22 + slope / 60 * Double(second)
        analysis.take(101_325 * (celsius + 273.15) / 295.15, celsius: celsius, at: Double(second))
      }
      #expect(try #require(analysis.assessment(at: 1199)).status == .stable)
    }
  }

  @Test(
    "a moved hatch or a backward clock step restarts the slopes but keeps the initial pressure")
  func restart() throws {
    var analysis = LeakAnalysis()
    for second in 0..<60 {
      analysis.take(101_325 - Double(second) * 3, celsius: 22, at: Double(second))
    }
    #expect(analysis.isLeaking)
    analysis.restart()
    #expect(!analysis.isLeaking)
    for second in 60..<120 { analysis.take(101_145, celsius: 22, at: Double(second)) }
    #expect(try #require(analysis.assessment(at: 119)).status == .stable)
    #expect(analysis.initial == 101_325)
    analysis.take(101_145, celsius: 22, at: 30)
    #expect(try #require(analysis.assessment(at: 30)).status == .settling)
  }
}
