import Chips
import Environment
import I2C
import Quantities
import Testing
import VirtualI2C

/// Tests of the measurements of the virtual SHT21, their times and their responses on the bus.
struct SHT21MeasuringTests {
  /// Resolution bits, and the typical and maximum times of temperature and humidity in ms (DS table 7).
  static let times: [(bits: UInt8, temperature: (Double, Double), humidity: (Double, Double))] = [
    (0x00, (66, 85), (22, 29)), (0x01, (17, 22), (3, 4)), (0x80, (33, 43), (7, 9)),
    (0x81, (9, 11), (12, 15)),
  ]

  @Test("a read during a no-hold measurement is not acknowledged", arguments: 0..<4)
  func noHold(_ row: Int) throws {
    let (bits, temperature, humidity) = Self.times[row]
    for (command, time) in [(UInt8(0xF3), temperature), (0xF5, humidity)] {
      for timing in [PartTiming.typical, .maximum] {
        let bench = try SHT21Bench(options: SHT21Options(timing: timing))
        try bench.write(0xE6, bits | 0x02)
        try bench.write(command)
        // The command takes effect with its last bit, one STOP bit before the end of the transfer.
        let start = bench.clock.nanoseconds - 2_500
        let end = start + UInt64((timing == .typical ? time.0 : time.1) * 1e6)
        #expect(bench.sensor.nextChange == end)
        bench.clock.wait(nanoseconds: end - bench.clock.nanoseconds - 25_001)
        #expect(throws: addressNack) { try bench.read(3) }
        #expect(try bench.read(3).count == 3)
      }
    }
  }

  @Test(
    "a measurement with hold stretches the clock, after a repeated START or a STOP",
    arguments: [(0xE3, 66), (0xE5, 22)] as [(UInt8, UInt64)])
  func hold(_ command: UInt8, _ milliseconds: UInt64) throws {
    let bench = try SHT21Bench()
    let start = bench.clock.nanoseconds
    let joined = try bench.exchange([command], 3)
    // START, address, command; then the hold after the second address; three bytes and a STOP.
    let wire: UInt64 = 19 * 2_500
    #expect(bench.clock.nanoseconds == start + wire + milliseconds * 1_000_000 + 28 * 2_500)
    let before = bench.clock.nanoseconds
    try bench.write(command)
    bench.wait(milliseconds: 1)
    #expect(try bench.read(3) == joined)
    #expect(bench.clock.nanoseconds == before + wire + milliseconds * 1_000_000 + 28 * 2_500)
  }

  @Test("an adapter without clock stretching times out, and the part completes its measurement")
  func holdTooLong() throws {
    let bench = try SHT21Bench(stretchLimit: 640_000)
    #expect(throws: I2CError(.timeOut, message: 1, errno: .etimedout)) {
      try bench.exchange([0xE3], 3)
    }
    #expect(throws: I2CError(.timeOut, errno: .etimedout)) { try bench.write(0xFE) }
    bench.wait(milliseconds: 66)
    #expect(try bench.measure(0xF5) & 0b11 == 0b10)
  }

  @Test("a result is two bytes and their checksum; bit 1 is set for humidity")
  func result() throws {
    let bench = try SHT21Bench(celsius: 25, humidity: 40)
    for (command, status) in [(UInt8(0xF3), UInt8(0b00)), (0xF5, 0b10)] {
      try bench.write(command)
      bench.wait(milliseconds: 66)
      let bytes = try bench.read(3)
      #expect(bytes[1] & 0b11 == status)
      #expect(SHT21Checksum(of: UInt16(bytes[0]) << 8 | UInt16(bytes[1])).value == bytes[2])
    }
  }

  @Test("the checksum may be omitted")
  func withoutChecksum() throws {
    let bench = try SHT21Bench()
    try bench.write(0xF5)
    bench.wait(milliseconds: 22)
    let two = try bench.read(2)
    let word = try bench.measure(0xF5)
    #expect(two == [UInt8(word >> 8), UInt8(word & 0xFF)])
    #expect(abs(SHT21Quantity.humidity.value(of: word) - 50) < 0.02)
  }

  @Test("the air is reproduced within half a step of the resolution", arguments: 0..<4)
  func air(_ row: Int) throws {
    let bits = Self.times[row].bits
    let resolution = SHT21UserRegister(rawValue: bits).resolution
    let airs = [(-40.0, 0.0), (-3.21, 12.3), (21.5, 47.11), (60, 99.9), (125, 100)]
    for (celsius, humidity) in airs {
      let bench = try SHT21Bench(celsius: celsius, humidity: humidity)
      try bench.write(0xE6, bits | 0x02)
      let half = 0.5 / Double(1 << resolution.bits(of: .temperature))
      #expect(abs(try bench.celsius() - celsius) <= 175.72 * half + 1e-9)
      let halfHumidity = 0.5 / Double(1 << resolution.bits(of: .humidity))
      #expect(abs(try bench.percent() - humidity) <= 125 * halfHumidity + 1e-9)
    }
  }

  @Test("a code is left-aligned in 16 bits: bits below the resolution are 0", arguments: 0..<4)
  func leftAligned(_ row: Int) throws {
    let bits = Self.times[row].bits
    let resolution = SHT21UserRegister(rawValue: bits).resolution
    var (temperatures, humidities) = (UInt16(0), UInt16(0))
    for step in 0..<40 {
      let bench = try SHT21Bench(
        celsius: 20 + Double(step) * 0.31, humidity: 30 + Double(step) * 0.7)
      try bench.write(0xE6, bits | 0x02)
      temperatures |= try bench.measure(0xF3)
      humidities |= try bench.measure(0xF5) & ~0b10
    }
    #expect(temperatures.trailingZeroBitCount == 16 - resolution.bits(of: .temperature))
    #expect(humidities.trailingZeroBitCount == 16 - resolution.bits(of: .humidity))
  }

  @Test("an SHT21 measures the air at the end of the measurement")
  func moment() throws {
    let ramp = Profile([
      Profile.Point(time: 0, value: 0), Profile.Point(time: 1_000_000_000, value: 100),
    ])
    let bench = try SHT21Bench(
      ScriptedAir(pressure: Profile(constant: 1e5), temperature: ramp, humidity: ramp))
    try bench.write(0xF3)
    let end = try #require(bench.sensor.nextChange)
    bench.wait(milliseconds: 300)
    let bytes = try bench.read(3)
    let word = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    #expect(abs(SHT21Quantity.temperature.value(of: word) - Double(end) / 1e7) < 0.01)
  }

  @Test("drawn times are specific to the part and never exceed the maximum")
  func drawnTimes() throws {
    var times: [UInt64] = []
    for seed in 1...100 as ClosedRange<UInt64> {
      let bench = try SHT21Bench(options: SHT21Options(timing: .drawn), seed: seed)
      var own: Set<UInt64> = []
      for _ in 0..<3 {
        try bench.write(0xF5)
        own.insert((bench.sensor.nextChange ?? 0) - bench.clock.nanoseconds)
        bench.wait(milliseconds: 29)
        _ = try bench.read(3)
      }
      #expect(own.count == 1, "a part has one clock")
      times += own
    }
    #expect(Set(times).count > 90)
    #expect(times.allSatisfy { (15_000_000...29_000_000).contains($0 + 2_500) })
    let mean = Double(times.reduce(0, +)) / 100
    #expect(abs(mean - 22_000_000) < 1_000_000)
  }

  @Test(
    "noise has a standard deviation of a third of the repeatability, and is reproducible by seed")
  func noise() throws {
    func readings(_ noise: PartNoise, seed: UInt64) throws -> [Double] {
      let bench = try SHT21Bench(options: SHT21Options(noise: noise), seed: seed)
      return try (0..<200).map { _ in try bench.celsius() }
    }
    let noisy = try readings(.scaled(10), seed: 5)
    let mean = noisy.reduce(0, +) / 200
    let deviation = (noisy.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 199).squareRoot()
    #expect(abs(mean - 21) < 0.1)
    #expect((0.28...0.39).contains(deviation), "\(deviation)")
    #expect(try noisy == readings(.scaled(10), seed: 5))
    #expect(try noisy != readings(.scaled(10), seed: 6))
    #expect(try Set(readings(.off, seed: 5)).count == 1)
    let percent = try SHT21Bench(options: SHT21Options(noise: .scaled(10)))
    let humid = try (0..<200).map { _ in try percent.percent() }
    #expect(Set(humid).count > 10)
  }

  @Test("an error and a drift shift the results")
  func error() throws {
    var options = SHT21Options()
    options.offset = PartDeviation(temperature: 0.3, humidity: -2)
    options.driftPerYear = PartDeviation(temperature: 0.04, humidity: 0.5)
    let bench = try SHT21Bench(options: options)
    #expect(abs(try bench.celsius() - 21.3) < 0.01)
    #expect(abs(try bench.percent() - 48) < 0.02)
    bench.clock.wait(nanoseconds: 10 * 365 * 86_400_000_000_000)
    #expect(abs(try bench.celsius() - 21.7) < 0.01)
    #expect(abs(try bench.percent() - 53) < 0.02)
  }
}
