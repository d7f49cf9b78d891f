import BME280
import BME280Model
import I2C
import Testing
import VirtualI2C

/// Tests that the driver reports failures of the chip and the bus, and never blocks.
struct DriverFailureTests {
  /// Returns a driver on a chip with registers set by a test.
  func stub(
    _ chip: StubChip, quirks: I2CQuirks = .none
  ) throws -> (driver: BME280Driver, clock: VirtualClock) {
    chip.registers[0xD0] = chip.registers[0xD0] == 0 ? 0x60 : chip.registers[0xD0]
    chip.registers[0x88] = 1
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock, frequency: 400_000, quirks: quirks)
    try adapter.attach(chip)
    return (BME280Driver(adapter: adapter, clock: clock), clock)
  }

  @Test("a missing device is reported as an address NACK")
  func absent() throws {
    let clock = VirtualClock()
    let driver = BME280Driver(adapter: VirtualAdapter(clock: clock), clock: clock)
    #expect(
      throws: BME280DriverError(.identify, .bus(I2CError(.addressNack, errno: .enxio)))
    ) { try driver.start() }
  }

  @Test(
    "an unexpected device is rejected by its chip id",
    arguments: [0x61, 0x55, 0xFF, 0x01] as [UInt8])
  func stranger(_ identifier: UInt8) throws {
    let chip = StubChip()
    chip.registers[0xD0] = identifier
    let (driver, _) = try stub(chip)
    #expect(throws: BME280DriverError(.identify, .unexpectedDevice(identifier: identifier))) {
      try driver.start()
    }
  }

  @Test("an NVM copy that never ends times out within 200 ms")
  func endlessCopy() throws {
    let chip = StubChip()
    chip.answers[0xF3] = 0x01
    let (driver, clock) = try stub(chip)
    let error = #expect(throws: BME280DriverError.self) { try driver.start() }
    guard case .notReady(let status, _) = error?.cause else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(error?.step == .reset)
    #expect(status == 1)
    #expect(clock.nanoseconds < 200_000_000)
  }

  @Test("a calibration whose bytes are all equal is rejected", arguments: [0x00, 0xFF] as [UInt8])
  func blankCalibration(_ byte: UInt8) throws {
    let chip = StubChip()
    let (driver, _) = try stub(chip)
    for register in 0x88...0xA1 { chip.registers[register] = byte }
    #expect(throws: BME280DriverError(.calibrate, .blankCalibration(byte: byte))) {
      try driver.start()
    }
  }

  @Test(
    "a measurement that never ends times out within 200 ms",
    arguments: [
      (0x08, 0x24), (0x00, 0x25), (0x0C, 0x27),
    ] as [(UInt8, UInt8)])
  func endlessMeasurement(_ status: UInt8, _ control: UInt8) throws {
    let chip = StubChip()
    let (driver, clock) = try stub(chip)
    try driver.start()
    chip.answers = [0xF3: status, 0xF4: control]
    let start = clock.nanoseconds
    let error = #expect(throws: BME280DriverError.self) { try driver.measure() }
    guard case .stillMeasuring(status, control, _) = error?.cause else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(clock.nanoseconds - start < 200_000_000)
  }

  @Test("status bit 2 is ignored")
  func hiddenBit() throws {
    let chip = StubChip()
    let (driver, _) = try stub(chip)
    try driver.start()
    chip.answers = [0xF3: 0x04, 0xF4: 0x24]
    _ = try driver.measure()
  }

  @Test("a chip that lost its settings is detected")
  func settingsLost() throws {
    let chip = StubChip()
    let (driver, _) = try stub(chip)
    try driver.start()
    chip.answers = [0xF3: 0x00, 0xF4: 0x00]
    #expect(
      throws: BME280DriverError(.wait, .settingsLost(register: 0xF4, expected: 0x24, found: 0x00))
    ) {
      try driver.measure()
    }
  }

  @Test(
    "a power loss between two measurements is detected, and the driver works again after start()")
  func powerLoss() throws {
    let bench = try DriverBench()
    try bench.driver.start()
    _ = try bench.driver.measure()
    bench.sensor.setSupply(false, at: bench.clock.nanoseconds)
    bench.sensor.setSupply(true, at: bench.clock.nanoseconds)
    bench.clock.wait(nanoseconds: 2_000_000)
    // The trigger restores ctrl_meas by itself; humidity would silently read its skip code.
    let lost = BME280DriverError(.wait, .settingsLost(register: 0xF2, expected: 1, found: 0))
    #expect(throws: lost) { try bench.driver.measure() }
    try bench.driver.start()
    #expect(try bench.driver.measure().raw.humidity != 0x8000)
  }

  @Test("a filter set by another program is detected")
  func foreignFilter() throws {
    let bench = try DriverBench()
    try bench.driver.start()
    try bench.adapter.writeRegister(0xF5, 0x10, at: 0x76)
    let lost = BME280DriverError(.wait, .settingsLost(register: 0xF5, expected: 0, found: 0x10))
    #expect(throws: lost) { try bench.driver.measure() }
  }

  @Test("normal mode requires an adapter that can read a result in one burst")
  func tearing() throws {
    let bench = try DriverBench(quirks: I2CQuirks(maxReadLength: 7))
    try bench.driver.start()
    #expect(throws: BME280DriverError(.trigger, .burstTooLong(needed: 8, limit: 7))) {
      try bench.driver.startNormalMode()
    }
  }

  @Test("measuring before start() is an error")
  func notStarted() throws {
    let bench = try DriverBench()
    #expect(throws: BME280DriverError(.trigger, .notStarted)) { try bench.driver.measure() }
    #expect(throws: BME280DriverError(.read, .notStarted)) { try bench.driver.readMeasurement() }
    #expect(throws: BME280DriverError(.configure, .notStarted)) {
      try bench.driver.configure(MeasurementSettings())
    }
  }

  @Test("if any transfer of start() or measure() fails, the error is thrown without a retry")
  func failsAnywhere() throws {
    // Counts the transfers of a successful run, then makes each of them fail in turn.
    var steps: Set<BME280DriverError.Step> = []
    for index in 0..<40 {
      let bench = try DriverBench()
      let gate = Gate(bench.adapter, failsAt: index)
      let driver = BME280Driver(adapter: gate, clock: bench.clock)
      do throws(BME280DriverError) {
        try driver.start()
        _ = try driver.measure()
        #expect(index == gate.count, "no failure at \(index) of \(gate.count)")
        break
      } catch {
        #expect(error.cause == .bus(Gate.failure))
        #expect(gate.count == index + 1, "retried after a failure")
        steps.insert(error.step)
      }
    }
    #expect(steps == [.identify, .reset, .calibrate, .configure, .trigger, .wait, .read])
  }

  /// An adapter that makes one transfer of another adapter fail.
  final class Gate: I2CAdapter {
    static let failure = I2CError(.dataNack, message: 0, byte: 1, errno: .eremoteio)
    let adapter: VirtualAdapter
    let failsAt: Int
    private(set) var count = 0

    init(_ adapter: VirtualAdapter, failsAt: Int) {
      self.adapter = adapter
      self.failsAt = failsAt
    }

    var functionality: I2CFunctionality { adapter.functionality }
    var quirks: I2CQuirks { adapter.quirks }

    func transfer(
      _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
    ) throws(I2CError) {
      count += 1
      if count == failsAt + 1 { throw Self.failure }
      try adapter.transfer(segments, writing: writing, reading: &reading)
    }
  }

  @Test("error descriptions name the step and the cause")
  func sentences() {
    let nack = BME280DriverError(.calibrate, .bus(I2CError(.addressNack, errno: .enxio)))
    #expect(
      nack.description
        == "reading the calibration: address not acknowledged (message 0, ENXIO)")
    #expect(
      BME280DriverError(.identify, .unexpectedDevice(identifier: 0x0A)).description
        == "identifying the chip: chip id 0x0a is neither a BME280 (0x60) nor a BMP280 (0x58)"
    )
  }
}
