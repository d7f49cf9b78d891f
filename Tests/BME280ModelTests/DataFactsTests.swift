import BME280
import BME280Model
import Environment
import I2C
import Quantities
import Testing
import VirtualI2C

/// Tests of the data registers (DS 3.4, 4).
struct DataFactsTests {
  @Test("a skipped channel reads its skip code")
  func skipped() throws {
    let probe = try Probe()
    try probe.force(.x1, .skipped, humidity: .skipped)
    var raw = try probe.raw()
    #expect(raw.pressure == 0x80000)
    #expect(raw.humidity == 0x8000)
    #expect(raw.temperature != 0x80000)
    try probe.force(.skipped, .x1)
    raw = try probe.raw()
    #expect(raw.temperature == 0x80000)
    #expect(raw.pressure != 0x80000)
    #expect(raw.humidity != 0x8000)
  }

  @Test(
    "without the filter the resolution is 16 bits and one more for each doubling",
    arguments: [(.x1, 4), (.x2, 3), (.x4, 2), (.x8, 1), (.x16, 0)] as [(Oversampling, Int)],
    Chip.allCases)
  func resolution(_ unused: (Oversampling, Int), _ chip: Chip) throws {
    let (oversampling, bits) = unused
    var populated: Int32 = 0
    for step in 0..<40 {
      let air = Air(pressure: 95_000 + 123.4 * Double(step), temperature: 20.01, humidity: 50)
      let probe = try Probe(chip: chip, air)
      try probe.force(oversampling, oversampling)
      let raw = try probe.raw()
      #expect(raw.pressure & ((1 << Int32(bits)) - 1) == 0)
      #expect(raw.temperature & ((1 << Int32(bits)) - 1) == 0)
      populated |= raw.pressure
    }
    #expect(populated & (1 << Int32(bits)) != 0)
  }

  @Test("with the filter a BME280 has 20 bits, a BMP280 the resolution of its oversampling")
  func filterResolution() throws {
    func lowBits(_ chip: Chip) throws -> Int32 {
      var populated: Int32 = 0
      for step in 0..<40 {
        let probe = try Probe(
          chip: chip, Air(pressure: 95_000 + 77.7 * Double(step), temperature: 20, humidity: 50))
        try probe.write(0xF5, 0x04)
        try probe.force(.x1, .x1)
        populated |= try probe.raw().pressure
      }
      return populated & 0xF
    }
    #expect(try lowBits(.bme280) == 0xF)
    #expect(try lowBits(.bmp280) == 0x0)
  }

  @Test(
    "the filter reaches 75 % of a step after 1, 2, 5, 11 and 22 samples (DS table 28)",
    arguments: [(0, 1), (1, 2), (2, 5), (3, 11), (4, 22)] as [(UInt8, Int)])
  func filterStep(_ bits: UInt8, _ samples: Int) throws {
    let air = ScriptedAir(
      pressure: Profile(
        [.init(time: 0, value: 90_000), .init(time: 100_000_000, value: 100_000)],
        interpolation: .held),
      temperature: Profile(constant: 20), humidity: Profile(constant: 50))
    let probe = try Probe(air: air)
    try probe.write(0xF5, bits << 2)
    try probe.force(.x1, .x1)
    let low = try probe.raw().pressure
    probe.clock.wait(nanoseconds: 100_000_000)
    var values: [Int32] = []
    for _ in 0..<200 {
      try probe.force(.x1, .x1)
      values.append(try probe.raw().pressure)
    }
    let high = try #require(values.last)
    let reached = values.firstIndex { Double($0 - low) / Double(high - low) >= 0.75 }
    #expect(reached.map { $0 + 1 } == samples)
  }

  @Test("the first value after a write to config passes the filter unchanged")
  func filterPriming() throws {
    let air = ScriptedAir(
      pressure: Profile(
        [.init(time: 0, value: 90_000), .init(time: 300_000_000, value: 100_000)],
        interpolation: .held),
      temperature: Profile(constant: 20), humidity: Profile(constant: 50))
    let probe = try Probe(air: air)
    try probe.write(0xF5, 0x10)
    try probe.force(.x16, .x16)
    probe.clock.wait(nanoseconds: 300_000_000)
    // The filter keeps its memory of earlier air until config is written.
    try probe.write(0xF5, 0x10)
    try probe.force(.x16, .x16)
    let result = probe.sensor.calibration.compensateSI(try probe.raw())
    #expect(abs(result.pressure - 100_000) < 1)
  }

  @Test("skipping a channel keeps its filter memory")
  func filterMemory() throws {
    let air = ScriptedAir(
      pressure: Profile(
        [.init(time: 0, value: 90_000), .init(time: 50_000_000, value: 100_000)],
        interpolation: .held),
      temperature: Profile(constant: 20), humidity: Profile(constant: 50))
    let probe = try Probe(air: air)
    try probe.write(0xF5, 0x10)
    try probe.force(.x1, .x1)
    let before = try probe.raw().pressure
    probe.clock.wait(nanoseconds: 50_000_000)
    try probe.force(.x1, .skipped)
    #expect(try probe.raw().pressure == 0x80000)
    try probe.force(.x1, .x1)
    let after = try probe.raw().pressure
    #expect(before - after > 0)
    #expect(before - after < 10_000)  // a sixteenth of the step, not all of it
  }

  @Test("a burst read is not torn by a measurement that finishes during it")
  func shadowing() throws {
    let air = ScriptedAir(
      pressure: Profile(
        [.init(time: 0, value: 90_000), .init(time: 25_000_000, value: 100_000)],
        interpolation: .held),
      temperature: Profile(
        [.init(time: 0, value: 0), .init(time: 25_000_000, value: 40)], interpolation: .held),
      humidity: Profile(constant: 50))
    let probe = try Probe(air: air, frequency: 10_000)
    try probe.force(.x1, .x1)
    let before = try probe.raw()
    try probe.write(0xF4, 0x25)
    // The burst takes 9 ms; the measurement ends during it.
    #expect(try probe.raw() == before)
    let after = try probe.raw()
    #expect(after.pressure != before.pressure)
    #expect(after.temperature != before.temperature)
  }

  @Test("noise has the datasheet's figure, by seed, and none when off")
  func noise() throws {
    func pressures(_ noise: PartNoise, _ seed: UInt64) throws -> [Double] {
      let probe = try Probe(
        Air(pressure: 100_000, temperature: 25, humidity: 50),
        options: SensorOptions(noise: noise), seed: seed)
      return try (0..<1000).map { _ in
        try probe.force(.x2, .x16)
        return probe.sensor.calibration.compensateSI(try probe.raw()).pressure
      }
    }
    func deviation(_ values: [Double]) -> Double {
      let mean = values.reduce(0, +) / Double(values.count)
      return (values.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(values.count))
        .squareRoot()
    }
    #expect(try deviation(pressures(.off, 1)) == 0)
    #expect(abs(try deviation(pressures(.datasheet, 1)) - 1.3) < 0.15)
    #expect(abs(try deviation(pressures(.scaled(10), 1)) - 13) < 1.5)
    #expect(try pressures(.datasheet, 1) == pressures(.datasheet, 1))
    #expect(try pressures(.datasheet, 1) != pressures(.datasheet, 2))
  }

  /// Pressure noise in Pa as the datasheet prints it (DS 3.6): rows by oversampling, columns by filter.
  static let pressureTable: [(Oversampling, [Double])] = [
    (.x1, [3.3, 1.9, 1.2, 0.9, 0.4]), (.x2, [2.6, 1.5, 1.0, 0.6, 0.4]),
    (.x4, [2.1, 1.2, 0.8, 0.5, 0.3]), (.x8, [1.6, 1.0, 0.6, 0.4, 0.2]),
    (.x16, [1.3, 0.8, 0.5, 0.4, 0.2]),
  ]

  @Test(
    "filtered pressure has the table's noise, as the standard deviation of 32 samples",
    arguments: 0..<5, 0..<5)
  func filteredNoise(_ row: Int, _ column: Int) throws {
    let (oversampling, figures) = Self.pressureTable[row]
    let probe = try Probe(
      Air(pressure: 100_000, temperature: 25, humidity: 50),
      options: SensorOptions(noise: .datasheet), seed: 7)
    try probe.write(0xF5, UInt8(column) << 2)
    for _ in 0..<64 { try probe.force(.x16, oversampling, humidity: .skipped) }
    let groups = 40
    var sum = 0.0
    for _ in 0..<groups {
      let values = try (0..<32).map { _ in
        try probe.force(.x16, oversampling, humidity: .skipped)
        return probe.sensor.calibration.compensateSI(try probe.raw()).pressure
      }
      let mean = values.reduce(0, +) / 32
      sum += values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 31
    }
    let deviation = (sum / Double(groups)).squareRoot()
    #expect(abs(deviation - figures[column]) < 0.12 * figures[column] + 0.03)
  }

  @Test(
    "temperature and humidity have the table's noise",
    arguments: [
      (.x1, 0.005, 0.07), (.x2, 0.004, 0.05), (.x4, 0.003, 0.04), (.x8, 0.003, 0.03),
      (.x16, 0.002, 0.02),
    ] as [(Oversampling, Double, Double)])
  func otherNoise(_ oversampling: Oversampling, _ celsius: Double, _ percent: Double) throws {
    // Thirty times the figures, so that the resolution is negligible.
    let probe = try Probe(
      Air(pressure: 100_000, temperature: 25, humidity: 50),
      options: SensorOptions(noise: .scaled(30)), seed: 3)
    let values = try (0..<600).map { _ in
      try probe.force(oversampling, .x1, humidity: oversampling)
      return probe.sensor.calibration.compensateSI(try probe.raw(), variant: .datasheetDouble)
    }
    func deviation(_ quantity: KeyPath<CompensatedMeasurement, Double>) -> Double {
      let mean = values.reduce(0) { $0 + $1[keyPath: quantity] } / 600
      let sum = values.reduce(0) {
        $0 + ($1[keyPath: quantity] - mean) * ($1[keyPath: quantity] - mean)
      }
      return (sum / 600).squareRoot() / 30
    }
    #expect(abs(deviation(\.temperature) - celsius) < 0.1 * celsius)
    #expect(abs(deviation(\.humidity) - percent) < 0.1 * percent)
  }

  @Test(
    "pressure noise is 25 % larger at -10 C and 5 % smaller at 75 C",
    arguments: [(-10.0, 1.25), (25.0, 1.0), (75.0, 0.95)])
  func noiseOverTemperature(_ celsius: Double, _ factor: Double) throws {
    let probe = try Probe(
      Air(pressure: 100_000, temperature: celsius, humidity: 50),
      options: SensorOptions(noise: .datasheet), seed: 5)
    let values = try (0..<20_000).map { _ in
      try probe.force(.x16, .x16, humidity: .skipped)
      return probe.sensor.calibration.compensateSI(try probe.raw()).pressure
    }
    let mean = values.reduce(0, +) / 20_000
    let deviation = (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / 20_000).squareRoot()
    #expect(abs(deviation - 1.3 * factor) < 0.025 * 1.3)
  }

  @Test("coarse steps do not bias a filtered and noisy BMP280")
  func unbiased() throws {
    let probe = try Probe(
      chip: .bmp280, Air(pressure: 100_000, temperature: 25, humidity: 0),
      options: SensorOptions(noise: .datasheet), seed: 11)
    try probe.write(0xF5, 0x08)
    let mean =
      try (0..<2000).reduce(0.0) { sum, _ in
        try probe.force(.x1, .x1)
        return sum + probe.sensor.calibration.compensateSI(try probe.raw()).pressure
      } / 2000
    #expect(abs(mean - 100_000) < 0.4)
  }

  /// Returns the result of the formula of DS 8.1 without its clamp at 20 C, for the words of periph-i2c (H1 75, H2
  /// 366, H4 309).
  static func unclamped(_ code: Int32) -> Double {
    let (warmth, span) = (20.0 * 5120 - 76_800, Double(code) - 309 * 64)
    let linear = span * 366 / 65_536 * (1 + 30 / 67_108_864 * warmth)
    return linear * (1 - 75 * linear / 524_288)
  }

  @Test(
    "humidity below 0 and above 100 % is represented in the code, although the formula clamps it")
  func humidityBeyond() throws {
    func reading(_ humidity: Double, offset: Double) throws -> (code: Int32, clamped: Double) {
      var options = SensorOptions()
      options.offset.humidity = offset
      let probe = try Probe(
        Air(pressure: 100_000, temperature: 20, humidity: humidity), options: options)
      try probe.force(.x1, .x1)
      let raw = try probe.raw()
      return (raw.humidity, probe.sensor.calibration.compensateSI(raw).humidity)
    }
    for (humidity, offset) in [(0.0, 0.0), (100, 0), (0, -4), (100, 5), (50, -60)] {
      let (code, clamped) = try reading(humidity, offset: offset)
      #expect(
        abs(Self.unclamped(code) - (humidity + offset)) < 0.02, "\(humidity) \(offset): \(code)")
      #expect(abs(clamped - min(max(humidity + offset, 0), 100)) < 0.02)
    }
  }

  @Test("near 0 % noise changes the code of humidity slightly")
  func humidityNoiseNearZero() throws {
    let probe = try Probe(
      Air(pressure: 100_000, temperature: 20, humidity: 0.03),
      options: SensorOptions(noise: .datasheet), seed: 2)
    let codes = try (0..<300).map { _ in
      try probe.force(.x1, .x1)
      return try probe.raw().humidity
    }
    let (low, high) = (try #require(codes.min()), try #require(codes.max()))
    #expect((-0.4 ... -0.1).contains(Self.unclamped(low)))
    #expect((0.1...0.4).contains(Self.unclamped(high)))
  }
}
