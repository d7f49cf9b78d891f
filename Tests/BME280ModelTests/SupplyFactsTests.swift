import BME280
import BME280Model
import Environment
import I2C
import Quantities
import Testing
import VirtualI2C

/// Tests of supply, current, aging and self-heating.
struct SupplyFactsTests {
  @Test("a loss of the supply during another one does not restore the supply earlier")
  func overlappingLosses() throws {
    let probe = try Probe()
    let start = probe.clock.nanoseconds
    for (from, until) in [(0, 1_000), (100, 500), (200, 1_200)] as [(UInt64, UInt64)] {
      probe.sensor.setSupply(false, at: start + from * 1_000_000)
      probe.sensor.setSupply(true, at: start + until * 1_000_000)
    }
    probe.wait(milliseconds: 1300)
    #expect(try probe.read(0xD0) == 0x60)
  }

  @Test("without VDD the part does not respond; when VDD returns, the part restarts")
  func vdd() throws {
    let probe = try Probe()
    try probe.write(0xF5, 0x10)
    try probe.force(.x1, .x1)
    probe.sensor.setSupply(false, at: probe.clock.nanoseconds)
    #expect(throws: I2CError(.addressNack, errno: .enxio)) { try probe.read(0xD0) }
    probe.sensor.setSupply(true, at: probe.clock.nanoseconds)
    #expect(try probe.read(0xF3) == 0x01)
    #expect(try probe.read(0xF5) == 0x00)
    probe.wait(milliseconds: 2)
    #expect(try probe.raw() == RawMeasurement())
    #expect(try probe.read(0x88) == 0x10)
  }

  @Test("without VDDIO the part does not respond, but keeps its state")
  func vddio() throws {
    let probe = try Probe()
    try probe.write(0xF5, 0x10)
    probe.sensor.setInterfaceSupply(false, at: probe.clock.nanoseconds)
    #expect(throws: I2CError(.addressNack, errno: .enxio)) { try probe.read(0xD0) }
    probe.sensor.setInterfaceSupply(true, at: probe.clock.nanoseconds)
    #expect(try probe.read(0xF5) == 0x10)
  }

  @Test("SDO may change at run time: the part then responds at the other address")
  func sdo() throws {
    let probe = try Probe()
    probe.sensor.address = 0x77
    #expect(throws: I2CError.self) { try probe.read(0xD0) }
    #expect(try probe.adapter.readRegister(0xD0, at: 0x77) == 0x60)
  }

  @Test("the part never stretches the clock")
  func noStretching() throws {
    let probe = try Probe(frequency: 100_000)
    let start = probe.clock.nanoseconds
    try probe.write(0xF4, 0x25)
    #expect(probe.clock.nanoseconds - start == 290_000)
  }

  @Test(
    "forced mode once a second draws the current of the datasheet's tables",
    arguments: [
      (.x1, .skipped, .skipped, 1.0), (.x1, .skipped, .x1, 1.8), (.x1, .skipped, .x2, 2.5),
      (.x1, .skipped, .x4, 3.8), (.x1, .skipped, .x8, 6.5), (.x1, .skipped, .x16, 11.7),
      (.x1, .x1, .skipped, 2.8), (.x1, .x2, .skipped, 4.2), (.x1, .x4, .skipped, 7.1),
      (.x1, .x8, .skipped, 12.8), (.x2, .x16, .skipped, 24.9), (.x1, .x1, .x1, 3.6),
    ] as [(Oversampling, Oversampling, Oversampling, Double)])
  func currentTables(
    _ temperature: Oversampling, _ pressure: Oversampling, _ humidity: Oversampling,
    _ microamperes: Double
  ) throws {
    let probe = try Probe()
    let begin = probe.clock.nanoseconds
    let before = probe.sensor.charge(at: begin).total
    for second in 1...10 {
      try probe.force(temperature, pressure, humidity: humidity)
      let end = begin + UInt64(second) * 1_000_000_000
      probe.clock.wait(nanoseconds: end - probe.clock.nanoseconds)
    }
    let drawn = probe.sensor.charge(at: probe.clock.nanoseconds).total - before
    // The tables have one decimal; the row P x16 is specified with T x2.
    #expect(abs(drawn / 10 - microamperes) < 0.055)
  }

  @Test("the datasheet's example: 94.4 uA at 13.51 Hz with T x1, P x4 in normal mode of 62.5 ms")
  func currentExample() throws {
    let probe = try Probe()
    try probe.write(0xF5, 0x20)
    let begin = probe.clock.nanoseconds
    try probe.write(0xF4, 0x2F)
    probe.clock.wait(nanoseconds: 100_000_000_000)
    let charge = probe.sensor.charge(at: probe.clock.nanoseconds)
    let seconds = Double(probe.clock.nanoseconds - begin) / 1e9
    #expect(abs(charge.total / seconds - 94.4) < 0.3)
  }

  @Test("sleep draws 0.1 uA, standby 0.2 uA")
  func idle() throws {
    let asleep = try Probe()
    let start = asleep.sensor.charge(at: 2_000_000).sleep
    #expect(abs(asleep.sensor.charge(at: 1_002_000_000).sleep - start - 0.1) < 1e-9)
    let idle = try Probe()
    try idle.write(0xF5, 0xA0)
    try idle.write(0xF4, 0x27)
    idle.clock.wait(nanoseconds: 100_000_000_000)
    let standby = idle.sensor.charge(at: idle.clock.nanoseconds).standby
    #expect(abs(standby / 100 - 0.2 * 1000 / 1005.5) < 0.001)
  }

  @Test("an offset applies from the start, drift grows over the years")
  func deviations() throws {
    var options = SensorOptions()
    options.offset = .init(temperature: -0.5, pressure: 100, humidity: 3)
    options.driftPerYear = .init(temperature: 1, pressure: 100, humidity: -0.5)
    let probe = try Probe(
      Air(pressure: 100_000, temperature: 20, humidity: 50), options: options)
    func reading() throws -> CompensatedMeasurement {
      try probe.force(.x16, .x16)
      return probe.sensor.calibration.compensateSI(try probe.raw())
    }
    let fresh = try reading()
    #expect(abs(fresh.pressure - 100_100) < 0.5)
    #expect(abs(fresh.temperature - 19.5) < 0.015)
    #expect(abs(fresh.humidity - 53) < 0.02)
    probe.clock.wait(nanoseconds: 2 * 365 * 86_400_000_000_000)
    let old = try reading()
    #expect(abs(old.pressure - 100_300) < 0.5)
    #expect(abs(old.temperature - 21.5) < 0.015)
    #expect(abs(old.humidity - 52) < 0.02)
  }

  @Test("errors beyond the datasheet's limits are reported")
  func beyondAccuracy() {
    var options = SensorOptions()
    options.offset = .init(temperature: 1.5, pressure: -170, humidity: -3)
    options.driftPerYear = .init(temperature: 5, pressure: 100, humidity: 0.5)
    #expect(options.beyondAccuracy.isEmpty)
    options.offset = .init(temperature: -1.6, pressure: 171, humidity: 3.1)
    options.driftPerYear = .init(pressure: -101, humidity: -0.6)
    #expect(
      options.beyondAccuracy.map { "\($0.key) \($0.quantity)" } == [
        "offset pressure", "offset temperature", "offset humidity", "drift_per_year pressure",
        "drift_per_year humidity",
      ])
  }

  @Test("a part that measures continuously heats up, and cools down afterwards")
  func selfHeating() throws {
    var options = SensorOptions()
    options.selfHeating = .init(rise: 2, timeConstant: 10_000_000_000)
    let probe = try Probe(Air(pressure: 100_000, temperature: 20, humidity: 50), options: options)
    func temperature() throws -> Double {
      probe.sensor.calibration.compensateSI(try probe.raw()).temperature
    }
    try probe.force(.x16, .x16)
    #expect(abs(try temperature() - 20) < 0.02)
    try probe.write(0xF4, 0xB7)  // x16, x16, normal; standby 0.5 ms
    probe.clock.wait(nanoseconds: 100_000_000_000)
    #expect(abs(try temperature() - 22) < 0.05)
    try probe.write(0xF4, 0xB4)
    probe.clock.wait(nanoseconds: 1_000_000_000_000)
    try probe.force(.x16, .x16)
    #expect(abs(try temperature() - 20) < 0.05)
  }

  @Test("a part warmer than the air senses less relative humidity: the vapour pressure is the same")
  func warmHumidity() throws {
    // Saturation over water by the steam tables (IAPWS): 2.3393 kPa at 20 C, 3.1699 kPa at 25 C.
    var options = SensorOptions()
    options.selfHeating = .init(rise: 5, timeConstant: 1_000_000_000)
    let probe = try Probe(Air(pressure: 100_000, temperature: 20, humidity: 40), options: options)
    try probe.write(0xF2, 0x05)
    try probe.write(0xF4, 0xB7)
    probe.clock.wait(nanoseconds: 60_000_000_000)
    let warm = probe.sensor.calibration.compensateSI(try probe.raw())
    #expect(abs(warm.temperature - 25) < 0.05)
    #expect(abs(warm.humidity - 40 * 2.3393 / 3.1699) < 0.15)
  }

  @Test(
    "standby times are nominal, at most 25 % longer, or off by the error of the part's oscillator")
  func standbyTolerance() throws {
    func pauses(_ timing: PartTiming, seed: UInt64 = 1) throws -> [UInt64] {
      let probe = try Probe(options: SensorOptions(timing: timing), seed: seed)
      try probe.write(0xF5, 0x20)
      try probe.write(0xF4, 0x27)
      var pauses: [UInt64] = []
      for _ in 0..<20 {
        // Advance to the end of the conversion, then read the end of the standby time.
        let end = try #require(probe.sensor.nextChange)
        probe.clock.wait(nanoseconds: end - probe.clock.nanoseconds)
        _ = probe.sensor.charge(at: end)
        let next = try #require(probe.sensor.nextChange)
        pauses.append(next - end)
        probe.clock.wait(nanoseconds: next - probe.clock.nanoseconds)
        _ = probe.sensor.charge(at: next)
      }
      return pauses
    }
    #expect(Set(try pauses(.typical)) == [62_500_000])
    #expect(Set(try pauses(.maximum)) == [78_125_000])
    var parts: [UInt64] = []
    for seed in 1...300 as ClosedRange<UInt64> {
      let pauses = Set(try pauses(.drawn, seed: seed))
      #expect(pauses.count == 1, "a part has one oscillator")
      parts += pauses
    }
    let errors = parts.map { Double($0) / 62_500_000 - 1 }
    #expect(errors.allSatisfy { abs($0) <= 0.25 })
    let mean = errors.reduce(0, +) / Double(errors.count)
    let deviation = (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
    #expect(abs(mean) < 0.01 && abs(deviation - 0.05) < 0.01)
    #expect(errors.contains { $0 < -0.07 } && errors.contains { $0 > 0.07 })
  }
}
