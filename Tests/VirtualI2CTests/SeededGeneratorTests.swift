import Glibc
import Testing
import VirtualI2C

/// Random numbers are reproducible.
struct SeededGeneratorTests {
  @Test(
    "a seed and stream always give the same sequence, and different ones give different sequences")
  func reproducible() {
    func numbers(_ seed: UInt64, _ stream: UInt64) -> [UInt64] {
      var generator = SeededGenerator(seed: seed, stream: stream)
      return (0..<8).map { _ in generator.next() }
    }
    #expect(numbers(1, 2) == numbers(1, 2))
    #expect(numbers(1, 2) != numbers(1, 3))
    #expect(numbers(1, 2) != numbers(2, 2))
  }

  @Test("random numbers between 0 and 1 are uniformly distributed")
  func unit() {
    var generator = SeededGenerator(seed: 7)
    var bins = [Int](repeating: 0, count: 10)
    for _ in 0..<100_000 { bins[Int(generator.unit() * 10)] += 1 }
    // The standard deviation of a bin is 95; allow five standard deviations.
    #expect(bins.allSatisfy { abs($0 - 10_000) < 475 })
  }

  @Test("gaussian numbers have the moments and tails of the normal distribution")
  func gaussian() {
    var generator = SeededGenerator(seed: 8)
    let count = 200_000
    let numbers = (0..<count).map { _ in generator.gaussian() }
    let mean = numbers.reduce(0, +) / Double(count)
    let variance = numbers.map { $0 * $0 }.reduce(0, +) / Double(count)
    let fourth = numbers.map { pow($0, 4) }.reduce(0, +) / Double(count)
    #expect(abs(mean) < 0.012)
    #expect(abs(variance - 1) < 0.016)
    #expect(abs(fourth - 3) < 0.11)
    let beyondThree = numbers.count { abs($0) > 3 }
    #expect((450...630).contains(beyondThree))  // 0.27 % of 200,000 is 540
  }

  @Test(
    "the first numbers equal those of an independent SplitMix64, so seeds always give the same runs"
  )
  func pinned() {
    var generator = SeededGenerator(seed: 42)
    #expect(generator.next() == 13_722_659_997_186_337_293)
    #expect(generator.next() == 7_278_177_053_353_153_621)
    #expect(generator.next() == 711_628_940_223_739_359)
  }
}

/// The clock of a simulated bench.
struct VirtualClockTests {
  @Test("the virtual clock advances only during waits")
  func waits() {
    let clock = VirtualClock()
    #expect(clock.nanoseconds == 0)
    clock.wait(nanoseconds: 5)
    clock.wait(nanoseconds: 7)
    #expect(clock.nanoseconds == 12)
  }
}
