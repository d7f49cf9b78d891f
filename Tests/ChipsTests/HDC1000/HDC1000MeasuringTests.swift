import Chips
import Environment
import I2C
import Quantities
import Testing
import VirtualI2C

/// Tests of the measurements of the virtual HDC1000 and their times.
struct HDC1000MeasuringTests {
  /// Configuration, pointer and the time of the measurement in ns (DS 7.5).
  static let times: [(configuration: UInt16, pointer: UInt8, time: UInt64)] = [
    (0x0000, 0x00, 6_350_000), (0x0400, 0x00, 3_650_000), (0x0000, 0x01, 6_500_000),
    (0x0100, 0x01, 3_850_000), (0x0200, 0x01, 2_500_000), (0x1000, 0x00, 12_850_000),
    (0x1500, 0x00, 7_500_000), (0x1600, 0x00, 6_150_000),
  ]

  @Test(
    "writing a result pointer starts a measurement, and reads are not acknowledged until it has finished"
  )
  func times() throws {
    for (configuration, pointer, time) in Self.times {
      let bench = try HDC1000Bench()
      try bench.configure(configuration)
      try bench.write(pointer)
      // The pointer takes effect with its last bit, one STOP bit before the end of the transfer.
      let end = bench.clock.nanoseconds - 2_500 + time
      #expect(bench.sensor.nextChange == end)
      #expect(throws: addressNack) { try bench.read(2) }
      bench.clock.wait(nanoseconds: end - bench.clock.nanoseconds - 25_001)
      #expect(throws: addressNack) { try bench.read(2) }
      #expect(try bench.read(2).count == 2)
    }
  }

  @Test("a read directly after the pointer is not acknowledged, but the measurement runs")
  func impatient() throws {
    let bench = try HDC1000Bench()
    #expect(throws: I2CError(.addressNack, message: 1, errno: .enxio)) { try bench.words(0x00, 2) }
    bench.wait(milliseconds: 13)
    #expect(try bench.read(4).count == 4)
  }

  @Test("one read returns temperature and humidity, most significant bytes first")
  func both() throws {
    let bench = try HDC1000Bench(celsius: 42.5, humidity: 25)
    try bench.write(0x00)
    bench.wait(milliseconds: 13)
    #expect(try bench.read(4) == [0x80, 0x00, 0x40, 0x00])
  }

  @Test("in the mode that measures one quantity, a read returns the one whose pointer was written")
  func single() throws {
    let bench = try HDC1000Bench(celsius: 42.5, humidity: 25)
    try bench.configure(0x0000)
    #expect(try bench.measure(0x00, 1) == [0x8000])
    #expect(try bench.measure(0x01, 1) == [0x4000])
  }

  @Test("the air is reproduced within half a step of 14 bits, and the two lowest bits are 0")
  func air() throws {
    let airs = [(-40.0, 0.0), (-3.21, 12.3), (21.5, 47.11), (60, 99.9), (124.9, 100)]
    for (celsius, humidity) in airs {
      let bench = try HDC1000Bench(celsius: celsius, humidity: humidity)
      let words = try bench.measure()
      #expect(words[0] & 0b11 == 0 && words[1] & 0b11 == 0)
      let values = try bench.values()
      #expect(abs(values.celsius - celsius) <= 165.0 / 32_768 + 1e-9)
      #expect(abs(values.percent - humidity) <= 100.0 / 16_384 + 1e-9)
    }
  }

  @Test("the pin DRDYn is low from the end of a measurement until the result is read")
  func dataReady() throws {
    let bench = try HDC1000Bench()
    #expect(!bench.sensor.isDataReady(at: bench.clock.nanoseconds))
    try bench.write(0x00)
    #expect(!bench.sensor.isDataReady(at: bench.clock.nanoseconds))
    bench.wait(milliseconds: 12.85)
    #expect(bench.sensor.isDataReady(at: bench.clock.nanoseconds))
    _ = try bench.read(4)
    #expect(!bench.sensor.isDataReady(at: bench.clock.nanoseconds))
    try bench.write(0x00)
    bench.wait(milliseconds: 12.85)
    try bench.write(0x00)
    #expect(!bench.sensor.isDataReady(at: bench.clock.nanoseconds))
  }

  @Test("an HDC1000 measures the air at the end of the measurement")
  func moment() throws {
    let ramp = Profile([
      Profile.Point(time: 0, value: 0), Profile.Point(time: 1_000_000_000, value: 100),
    ])
    let bench = try HDC1000Bench(
      ScriptedAir(pressure: Profile(constant: 1e5), temperature: ramp, humidity: ramp))
    try bench.write(0x00)
    let end = try #require(bench.sensor.nextChange)
    bench.wait(milliseconds: 300)
    let bytes = try bench.read(4)
    let word = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    #expect(abs(HDC1000Quantity.temperature.scale.value(of: word) - Double(end) / 1e7) < 0.01)
  }

  @Test("drawn times are specific to an HDC1000 and never exceed the maximum")
  func drawnTimes() throws {
    var times: [UInt64] = []
    for seed in 1...100 as ClosedRange<UInt64> {
      let bench = try HDC1000Bench(options: HDC1000Options(timing: .drawn), seed: seed)
      var own: Set<UInt64> = []
      for _ in 0..<3 {
        try bench.write(0x00)
        own.insert((bench.sensor.nextChange ?? 0) - bench.clock.nanoseconds)
        bench.wait(milliseconds: 20)
      }
      #expect(own.count == 1, "a part has one clock")
      times += own
    }
    #expect(Set(times).count > 90)
    #expect(times.allSatisfy { (10_922_000...14_778_000).contains($0) })
  }

  @Test("the noise of an HDC1000 has a standard deviation of a third of the repeatability")
  func noise() throws {
    func readings(_ noise: PartNoise, seed: UInt64) throws -> [(Double, Double)] {
      let bench = try HDC1000Bench(options: HDC1000Options(noise: noise), seed: seed)
      return try (0..<200).map { _ in try bench.values() }
    }
    func deviation(_ values: [Double]) -> Double {
      let mean = values.reduce(0, +) / 200
      return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 199).squareRoot()
    }
    let noisy = try readings(.scaled(10), seed: 5)
    #expect((0.28...0.39).contains(deviation(noisy.map(\.0))))
    #expect((0.28...0.39).contains(deviation(noisy.map(\.1))))
    #expect(try noisy.map(\.0) == readings(.scaled(10), seed: 5).map(\.0))
    #expect(try noisy.map(\.0) != readings(.scaled(10), seed: 6).map(\.0))
    #expect(try Set(readings(.off, seed: 5).map(\.0)).count == 1)
  }

  @Test("an error and a drift shift the results of an HDC1000")
  func error() throws {
    var options = HDC1000Options()
    options.offset = PartDeviation(temperature: 0.3, humidity: -2)
    options.driftPerYear = PartDeviation(temperature: 0.04, humidity: 0.5)
    let bench = try HDC1000Bench(options: options)
    let young = try bench.values()
    #expect(abs(young.celsius - 21.3) < 0.01)
    #expect(abs(young.percent - 48) < 0.01)
    bench.clock.wait(nanoseconds: 10 * 365 * 86_400_000_000_000)
    let old = try bench.values()
    #expect(abs(old.celsius - 21.7) < 0.01)
    #expect(abs(old.percent - 53) < 0.01)
  }
}
