import Chips
import I2C
import Testing
import VirtualI2C

/// Tests of the SHT21's driver with a working part, a faulty part and a faulty bus.
struct SHT21DriverTests {
  func driver(_ bench: SHT21Bench, _ waiting: SHT21Driver.Waiting = .noHold) -> SHT21Driver {
    SHT21Driver(adapter: bench.adapter, clock: bench.clock, waiting: waiting)
  }

  @Test(
    "the driver measures the simulated air in hold mode and in no-hold mode",
    arguments: SHT21Resolution.allCases)
  func measures(_ resolution: SHT21Resolution) throws {
    for waiting in [SHT21Driver.Waiting.noHold, .hold] {
      for timing in [PartTiming.typical, .maximum, .drawn] {
        let bench = try SHT21Bench(
          celsius: -11.5, humidity: 33.3, isStarted: false, options: SHT21Options(timing: timing))
        let driver = driver(bench, waiting)
        try driver.start(resolution)
        #expect(driver.resolution == resolution)
        let measurement = try driver.measure()
        #expect(abs(measurement.celsius - -11.5) < 0.05)
        #expect(abs(measurement.relativeHumidity - 33.3) < 0.3)
      }
    }
  }

  @Test(
    "the driver clamps humidity to 0...100 %",
    arguments: [(-3, 0), (107, 100)] as [(Double, Double)])
  func cut(_ humidity: Double, _ expected: Double) throws {
    let bench = try SHT21Bench(humidity: humidity, isStarted: false)
    let driver = driver(bench)
    try driver.start()
    #expect(try driver.measure().relativeHumidity == expected)
  }

  @Test("the driver preserves reserved bits and switches the heater off in start()")
  func reserved() throws {
    let bench = try SHT21Bench {
      $0.reservedBits = .ones
      $0.reservedWrite = .taken
    }
    try bench.write(0xE6, 0x3E)
    let driver = driver(bench)
    try driver.start(.humidity8Temperature12)
    #expect(try bench.register() == 0x3B)
    try driver.setHeater(true)
    #expect(try bench.register() == 0x3F)
    try driver.setHeater(false)
    try driver.setResolution(.humidity11Temperature11)
    #expect(try bench.register() == 0xBB)
    #expect(try driver.isBatteryLow() == false)
  }

  @Test("the driver reads the end-of-battery bit")
  func battery() throws {
    var options = SHT21Options()
    options.supply = 2.2
    let bench = try SHT21Bench(options: options)
    let driver = driver(bench)
    try driver.start()
    _ = try driver.measure()
    #expect(try driver.isBatteryLow())
  }

  @Test("the driver reads the serial number with both possible kinds of checksums")
  func serial() throws {
    for kind in SHT21UndocumentedBehavior.SerialChecksum.allCases {
      for seed in 0..<20 as Range<UInt64> {
        let bench = try SHT21Bench(seed: seed) { $0.serialChecksum = kind }
        #expect(try driver(bench).readSerialNumber() == bench.sensor.serialNumber)
      }
    }
  }

  @Test("a corrupted serial number is rejected", arguments: 0..<14)
  func damagedSerial(_ byte: Int) throws {
    let (message, index) = byte < 8 ? (0, byte) : (1, byte - 8)
    var trigger = PlannedFault.Trigger()
    trigger.register = message == 0 ? 0xFA : 0xFC
    let bench = try SHT21Bench(
      faults: [PlannedFault(kind: .bitFlip(byte: index, mask: 0x04), trigger: trigger)])
    let error = #expect(throws: SHT21DriverError.self) { try driver(bench).readSerialNumber() }
    #expect(error?.step == .identify)
    guard case .checksum = error?.cause else {
      Issue.record("\(error as Any)")
      return
    }
  }

  @Test("a missing device is reported as an address NACK")
  func absent() throws {
    let clock = VirtualClock()
    let driver = SHT21Driver(adapter: VirtualAdapter(clock: clock), clock: clock)
    #expect(throws: SHT21DriverError(.reset, .bus(addressNack))) { try driver.start() }
  }

  @Test("a corrupted result is rejected", arguments: [0, 1, 2])
  func damaged(_ byte: Int) throws {
    for waiting in [SHT21Driver.Waiting.noHold, .hold] {
      let bench = try SHT21Bench(isStarted: false)
      let driver = driver(bench, waiting)
      try driver.start()
      let flipping = VirtualAdapter(
        clock: bench.clock,
        faults: FaultPlan([PlannedFault(kind: .bitFlip(byte: byte, mask: 0x10), start: 0)]))
      try flipping.attach(bench.sensor)
      let other = SHT21Driver(adapter: flipping, clock: bench.clock, waiting: waiting)
      let error = #expect(throws: SHT21DriverError.self) { try other.measureRaw(.humidity) }
      #expect(error?.step == .read)
      #expect("\(error as Any)".contains("checksum"))
    }
  }

  @Test("if the adapter limits clock stretching, hold mode throws an error, and no-hold mode works")
  func holdTimedOut() throws {
    let bench = try SHT21Bench(isStarted: false, stretchLimit: 640_000)
    let driver = driver(bench, .hold)
    try driver.start()
    let timeOut = I2CError(.timeOut, message: 1, errno: .etimedout)
    let error = #expect(throws: SHT21DriverError(.wait, .holdTimedOut(timeOut))) {
      try driver.measure()
    }
    #expect("\(error as Any)".contains("without hold"))
    bench.wait(milliseconds: 100)
    driver.waiting = .noHold
    #expect(abs(try driver.measure().celsius - 21) < 0.01)
  }

  @Test("a measurement that never ends times out within 300 ms")
  func endless() throws {
    let chip = EndlessSHT21()
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock, frequency: 400_000)
    try adapter.attach(chip)
    let driver = SHT21Driver(adapter: adapter, clock: clock)
    let error = #expect(throws: SHT21DriverError.self) { try driver.measure() }
    guard case .stillMeasuring(let waited) = error?.cause else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(clock.nanoseconds < 300_000_000)
    #expect(waited > 85_000_000)
  }

  @Test("if another program changes the resolution, the result is late but correct")
  func changed() throws {
    let bench = try SHT21Bench(isStarted: false, options: SHT21Options(timing: .maximum))
    let driver = driver(bench)
    try driver.start(.humidity8Temperature12)
    try bench.write(0xE6, 0x02)
    #expect(abs(try driver.measure().celsius - 21) < 0.01)
  }

  @Test("a user register that does not read back as written is reported")
  func refused() throws {
    let bench = try SHT21Bench(isStarted: false)
    let driver = driver(bench)
    try driver.start()
    let flipping = VirtualAdapter(
      clock: bench.clock,
      faults: FaultPlan([PlannedFault(kind: .bitFlip(byte: 0, mask: 0x80), start: 0, count: 2)]))
    try flipping.attach(bench.sensor)
    let other = SHT21Driver(adapter: flipping, clock: bench.clock)
    #expect(
      throws: SHT21DriverError(.configure, .settingsRefused(expected: 0x3B, found: 0xBB))
    ) { try other.setResolution(.humidity8Temperature12) }
  }

  @Test("the error of a failed transfer names the step of the SHT21's driver")
  func failures() throws {
    let bench = try SHT21Bench(isStarted: false)
    let driver = driver(bench)
    try driver.start()
    bench.sensor.setSupply(false, at: bench.clock.nanoseconds)
    #expect(throws: SHT21DriverError(.trigger, .bus(addressNack))) { try driver.measure() }
    #expect(throws: SHT21DriverError(.configure, .bus(addressNack))) {
      try driver.readUserRegister()
    }
    #expect(throws: SHT21DriverError(.identify, .bus(addressNack))) {
      try driver.readSerialNumber()
    }
    driver.waiting = .hold
    #expect(throws: SHT21DriverError(.wait, .bus(addressNack))) { try driver.measure() }
  }
}

/// A part that accepts commands and never has a result.
final class EndlessSHT21: VirtualI2CDevice {
  let address: I2CAddress = 0x40
  func start(_ direction: I2CSegment.Direction, at time: inout WireTime) -> Bool {
    direction == .write
  }
  func write(_ byte: UInt8, at time: inout WireTime) -> Bool { true }
  func read(at time: inout WireTime) -> UInt8 { 0xFF }
  func stop(at time: inout WireTime) {}
}
