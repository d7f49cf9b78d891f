import BME280
import BME280Model
import Environment
import I2C
import Testing
import VirtualI2C

/// Tests of the driver with a working chip.
struct DriverTests {
  static let climates = [
    Air(pressure: 101_325, temperature: 21, humidity: 50),
    Air(pressure: 30_000, temperature: -40, humidity: 20),
    Air(pressure: 110_000, temperature: 85, humidity: 10),
    Air(pressure: 98_700, temperature: 0, humidity: 95),
  ]

  @Test(
    "a forced measurement returns the values of the simulated air", arguments: climates,
    CompensationVariant.allCases)
  func forced(_ air: Air, _ variant: CompensationVariant) throws {
    let bench = try DriverBench(air, variant: variant)
    try bench.driver.start()
    let reading = try bench.driver.measure()
    #expect(abs((reading.celsius ?? .nan) - air.temperature) < 0.03)
    // At the limits of the range the 32-bit formula has an error of a few Pa, and x1 has steps of about 3 Pa.
    #expect(abs((reading.pascals ?? .nan) - air.pressure) < 10)
    #expect(abs((reading.relativeHumidity ?? .nan) - air.humidity) < 0.05)
  }

  @Test(
    "the driver identifies each chip, reads the calibration and measures", arguments: Chip.allCases)
  func chips(_ chip: Chip) throws {
    let bench = try DriverBench(chip: chip)
    try bench.driver.start()
    #expect(bench.driver.chip == chip)
    #expect(bench.driver.calibration == bench.sensor.calibration)
    let reading = try bench.driver.measure()
    #expect(abs((reading.pascals ?? .nan) - 101_325) < 4)
    #expect((reading.relativeHumidity == nil) == (chip == .bmp280))
  }

  @Test(
    "the driver works on an adapter that limits the length of a burst",
    arguments: [1, 2, 7, 8, 18, 25, 26, 32])
  func bursts(_ limit: Int) throws {
    let quirks = I2CQuirks(maxReadLength: limit)
    let bench = try DriverBench(quirks: quirks)
    try bench.driver.start()
    #expect(bench.driver.calibration == bench.sensor.calibration)
    #expect(abs((try bench.driver.measure().pascals ?? .nan) - 101_325) < 4)
  }

  @Test(
    "the driver waits for the maximum measurement time (9.3 ms), whatever the part needs",
    arguments: [PartTiming.typical, .maximum, .drawn])
  func waits(_ timing: PartTiming) throws {
    let bench = try DriverBench(options: SensorOptions(timing: timing))
    try bench.driver.start()
    let start = bench.clock.nanoseconds
    _ = try bench.driver.measure()
    let took = bench.clock.nanoseconds - start
    #expect(took >= 9_300_000)
    #expect(took < 11_000_000)
  }

  @Test("if another program lengthens a conversion, the driver reports the changed setting")
  func longerConversion() throws {
    let bench = try DriverBench(options: SensorOptions(timing: .maximum))
    try bench.driver.start()
    // Oversampling x16, while the driver expects x1.
    try bench.adapter.writeRegister(0xF2, 5, at: 0x76)
    let changed = BME280DriverError(.wait, .settingsLost(register: 0xF2, expected: 1, found: 5))
    #expect(throws: changed) { try bench.driver.measure() }
  }

  @Test(
    "in normal mode the driver reads the latest result, and stopNormalMode() selects sleep mode")
  func normalMode() throws {
    let bench = try DriverBench()
    try bench.driver.start()
    try bench.driver.startNormalMode()
    for _ in 0..<3 {
      let reading = try bench.driver.readMeasurement()
      #expect(abs((reading.pascals ?? .nan) - 101_325) < 4)
      bench.clock.wait(nanoseconds: 50_000_000)
    }
    try bench.driver.stopNormalMode()
    #expect(bench.sensor.mode == .sleep)
    #expect(bench.sensor.nextChange == nil)
  }

  @Test("the driver returns nil for skipped quantities")
  func skipped() throws {
    let bench = try DriverBench()
    try bench.driver.start(MeasurementSettings(pressure: .skipped, humidity: .skipped))
    let reading = try bench.driver.measure()
    #expect(reading.celsius != nil)
    #expect(reading.pascals == nil)
    #expect(reading.relativeHumidity == nil)
    try bench.driver.configure(MeasurementSettings(temperature: .skipped))
    let blind = try bench.driver.measure()
    #expect((blind.celsius, blind.pascals, blind.relativeHumidity) == (nil, nil, nil))
  }

  @Test("start() writes the registers in the order that the chip requires")
  func order() throws {
    let chip = StubChip()
    chip.registers[0xD0] = 0x60
    chip.registers[0x88] = 1
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock, quirks: I2CQuirks(maxReadLength: 18))
    try adapter.attach(chip)
    let driver = BME280Driver(adapter: adapter, clock: clock)
    try driver.start(
      MeasurementSettings(
        temperature: .x2, pressure: .x16, humidity: .x1, filter: .c16,
        standby: Standby(rawValue: 4)))
    // Reset, then ctrl_hum before ctrl_meas, config while asleep.
    #expect(chip.writes == [[0xE0, 0xB6], [0xF2, 1], [0xF5, 0x90], [0xF4, 0x54]])
    #expect(chip.longestRead == 18)
  }
}
