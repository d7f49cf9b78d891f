import Chips
import Quantities
import Testing
import VirtualI2C

/// Tests of the measurements of the virtual BMP180 and their times.
struct BMP180MeasuringTests {
  /// Commands with their typical and maximum times in ns (DS table 1).
  static let times: [(command: UInt8, typical: UInt64, longest: UInt64)] = [
    (0x2E, 3_000_000, 4_500_000), (0x34, 3_000_000, 4_500_000), (0x74, 5_000_000, 7_500_000),
    (0xB4, 9_000_000, 13_500_000), (0xF4, 17_000_000, 25_500_000),
  ]

  /// Returns the duration of a command.
  static func time(_ command: UInt8, _ bench: BMP180Bench) throws -> UInt64 {
    try bench.write(0xF4, command)
    // The conversion starts with the last bit of the command, one STOP bit before the end of the transfer.
    return try #require(bench.sensor.nextChange) - (bench.clock.nanoseconds - 2_500)
  }

  @Test("conversions take the times of the data sheet")
  func durations() throws {
    for (command, typical, longest) in Self.times {
      #expect(try Self.time(command, BMP180Bench()) == typical)
      let slow = try BMP180Bench(options: BMP180Options(timing: .maximum))
      #expect(try Self.time(command, slow) == longest)
    }
  }

  @Test("SCO is set only during a conversion")
  func startBit() throws {
    let bench = try BMP180Bench()
    for (command, _, _) in Self.times {
      try bench.write(0xF4, command)
      let end = try #require(bench.sensor.nextChange)
      #expect(try bench.read(0xF4) == [command])
      #expect(try bench.read(0xF6, 3) != [0, 0, 0])
      bench.clock.wait(nanoseconds: end - bench.clock.nanoseconds)
      #expect(try bench.read(0xF4) == [command & ~0x20])
    }
  }

  @Test(
    "the formulas of the data sheet reproduce the air",
    arguments: [false, true])
  func air(_ isOther: Bool) throws {
    for (celsius, pascals) in [(-40.0, 100_000.0), (-3.2, 65_000), (21.5, 101_325), (84.9, 95_000)]
    {
      var options = BMP180Options()
      if isOther { options.calibration = BMP180DatasheetTests.other }
      let bench = try BMP180Bench(celsius: celsius, pascals: pascals, options: options)
      for (oss, step) in [(0, 3.0), (1, 2), (2, 1.5), (3, 1.2)] as [(UInt8, Double)] {
        let found = try bench.values(oss)
        #expect(abs(found.celsius - celsius) < 0.01, "\(oss)")
        #expect(abs(found.pascals - pascals) <= step, "\(oss)")
      }
      #expect(try bench.convert(0x34)[2] == 0, "16 bits")
      #expect(try bench.convert(0xF4)[2] & 0x1F == 0, "19 bits")
    }
  }

  @Test("air outside the range of the codes gives the lowest or highest code")
  func beyond() throws {
    #expect(try BMP180Bench(pascals: -50_000).convert(0x34) == [0, 0, 0])
    #expect(try BMP180Bench(pascals: 1e6).convert(0x34) == [0xFF, 0xFF, 0])
    #expect(try BMP180Bench(celsius: 1e4).convert(0x2E) == [0xFF, 0xFF, 0])
  }

  @Test("drawn times are specific to a BMP180 and never exceed the maximum")
  func drawnTimes() throws {
    var times: [UInt64] = []
    for seed in 1...100 as ClosedRange<UInt64> {
      let bench = try BMP180Bench(options: BMP180Options(timing: .drawn), seed: seed)
      var own: Set<UInt64> = []
      for _ in 0..<3 {
        own.insert(try Self.time(0xF4, bench))
        bench.wait(milliseconds: 26)
      }
      #expect(own.count == 1, "a part has one clock")
      times += own
    }
    #expect(Set(times).count > 90)
    #expect(times.allSatisfy { (8_500_000...25_500_000).contains($0) })
  }

  @Test("the noise of a pressure depends on its oversampling")
  func noise() throws {
    func readings(_ noise: PartNoise, _ oss: UInt8, seed: UInt64) throws -> [Double] {
      let bench = try BMP180Bench(options: BMP180Options(noise: noise), seed: seed)
      return try (0..<300).map { _ in try bench.values(oss).pascals }
    }
    func deviation(_ values: [Double]) -> Double {
      let mean = values.reduce(0, +) / 300
      return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 299).squareRoot()
    }
    for (oss, pascals) in [(0, 6.0), (1, 5), (2, 4), (3, 3)] as [(UInt8, Double)] {
      let found = try deviation(readings(.scaled(10), oss, seed: 5))
      #expect((8.8 * pascals...11.2 * pascals).contains(found), "\(oss): \(found)")
    }
    #expect(try readings(.datasheet, 0, seed: 5) == readings(.datasheet, 0, seed: 5))
    #expect(try readings(.datasheet, 0, seed: 5) != readings(.datasheet, 0, seed: 6))
    #expect(try Set(readings(.off, 0, seed: 5)).count == 1)
  }

  @Test("an error and a drift shift the results of a BMP180")
  func error() throws {
    var options = BMP180Options()
    options.offset = PartDeviation(temperature: 0.5, pressure: 200)
    options.driftPerYear = PartDeviation(temperature: 0.1, pressure: -100)
    let bench = try BMP180Bench(options: options)
    let young = try bench.values(3)
    #expect(abs(young.celsius - 21.5) < 0.01)
    #expect(abs(young.pascals - 101_525) < 1.5)
    bench.clock.wait(nanoseconds: 2 * 365 * 86_400_000_000_000)
    let old = try bench.values(3)
    #expect(abs(old.celsius - 21.7) < 0.01)
    #expect(abs(old.pascals - 101_325) < 1.5)
  }
}
