import Barometry
import Glibc
import TestSupport
import Testing
import VirtualI2C

/// A cabin without a leak causes no alarm.
struct QuietHoursTests {
  /// The number of hours simulated in one cabin.
  static let length = 50

  /// The number of hours: ten thousand in long runs, otherwise a fraction of that, and fewer in a
  /// debug build.
  static var hours: Int {
    #if DEBUG
      100
    #else
      Repetitions.count(2000, long: 10_000)
    #endif
  }

  /// Returns the number of declared leaks and of safe-haven calls in a random cabin without a leak.
  ///
  /// The cabin's temperature swings with the orbit by up to 1 K to each side, and changes by up to
  /// 2 K in some hours. The sensor's noise is at most that of one sample without oversampling (3.3
  /// Pa, 0.005 K). The sensor misses one sample in a hundred and may use a filter.
  static func alarms(_ seed: UInt64) -> Int {
    var chance = SeededGenerator(seed: seed)
    func one<Choice>(_ choices: [Choice]) -> Choice {
      choices[Int(chance.next() % UInt64(choices.count))]
    }
    let noise = 0.2 + 3.1 * chance.unit()
    let period = one([1.0, 1, 1, 2, 5])
    let filter = one([1.0, 1, 1, 4, 16])
    let pressure = one([101_325, 70_000 + 30_000 * chance.unit()])
    let swing = chance.unit()
    let phase = 2 * Double.pi * chance.unit()
    let rise = 4 * chance.unit() - 2
    let (begin, over) = (40 * 3600 * chance.unit(), 3600 + 10_000 * chance.unit())
    var analysis = LeakAnalysis(period: period, filter: filter)
    var haven = SafeHaven()
    var filtered: (pascals: Double, celsius: Double)?
    var (alarms, wasLeaking) = (0, false)
    for index in 0..<Int(Double(length) * 3600 / period) {
      let time = Double(index) * period
      if chance.next() % 100 == 0 {
        analysis.fail()
        continue
      }
      let celsius =
        22 + swing * sin(time / 5520 * 2 * .pi + phase)
        + rise * min(max((time - begin) / over, 0), 1)
      let seen = (
        pascals: pressure * (celsius + 273.15) / 295.15 + noise * chance.gaussian(),
        celsius: celsius + 0.005 * chance.gaussian()
      )
      let last = filtered ?? seen
      let now = (
        pascals: last.pascals + (seen.pascals - last.pascals) / filter,
        celsius: last.celsius + (seen.celsius - last.celsius) / filter
      )
      filtered = now
      analysis.take(
        (now.pascals * 64).rounded() / 64, celsius: (now.celsius * 100).rounded() / 100, at: time)
      if analysis.isLeaking, !wasLeaking { alarms += 1 }
      wasLeaking = analysis.isLeaking
      if wasLeaking, let found = analysis.assessment(at: time), haven.take(found) == .called {
        alarms += 1
      }
    }
    return alarms
  }

  @Test(
    "hours without a leak cause no alarm, despite temperature swings, noise and missing samples")
  func quiet() {
    var source = Seeded("quiet hours")
    var woken: [UInt64] = []
    for _ in 0..<(Self.hours / Self.length) {
      let seed = source.next()
      if Self.alarms(seed) > 0 { woken.append(seed) }
    }
    print("\(Self.hours) quiet hours, false alarms in \(woken.count) of them (cabins \(woken))")
    #expect(woken.isEmpty, "cabins \(woken)")
  }
}
