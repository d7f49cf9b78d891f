import BME280
import I2C
import Testing
import VirtualI2C
import VirtualSensors

/// What the data registers hold (DS 3.4, 4).
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
    arguments: [Oversampling.x1, .x2, .x4, .x8, .x16], Chip.allCases)
  func resolution(_ oversampling: Oversampling, _ chip: Chip) throws {
    let bits = 20 - oversampling.resolutionBits
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

  @Test("with the filter a BME280 has 20 bits, a BMP280 what oversampling gives")
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
      pressure: Track(
        [.init(time: 0, value: 90_000), .init(time: 100_000_000, value: 100_000)],
        interpolation: .held),
      temperature: Track(constant: 20), humidity: Track(constant: 50))
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
    let probe = try Probe()
    try probe.force(.x16, .x16)
    let plain = try probe.raw()
    try probe.write(0xF5, 0x10)
    try probe.force(.x16, .x16)
    #expect(try probe.raw() == plain)
  }

  @Test("skipping a channel keeps its filter memory")
  func filterMemory() throws {
    let air = ScriptedAir(
      pressure: Track(
        [.init(time: 0, value: 90_000), .init(time: 50_000_000, value: 100_000)],
        interpolation: .held),
      temperature: Track(constant: 20), humidity: Track(constant: 50))
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

  @Test("a burst read is not torn by a measurement that ends in it")
  func shadowing() throws {
    let air = ScriptedAir(
      pressure: Track(
        [.init(time: 0, value: 90_000), .init(time: 25_000_000, value: 100_000)],
        interpolation: .held),
      temperature: Track(
        [.init(time: 0, value: 0), .init(time: 25_000_000, value: 40)], interpolation: .held),
      humidity: Track(constant: 50))
    let probe = try Probe(air: air, frequency: 10_000)
    try probe.force(.x1, .x1)
    let before = try probe.raw()
    try probe.write(0xF4, 0x25)
    // The burst takes 9 ms, the measurement ends in its middle.
    #expect(try probe.raw() == before)
    let after = try probe.raw()
    #expect(after.pressure != before.pressure)
    #expect(after.temperature != before.temperature)
  }

  @Test("noise has the datasheet's figure, by seed, and none when off")
  func noise() throws {
    func pressures(_ noise: SensorOptions.Noise, _ seed: UInt64) throws -> [Double] {
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
}
