import Chips
import Environment
import I2C
import Testing
import VirtualI2C

/// Tests of the HDC1000's driver with a working part, a faulty part and a faulty bus.
struct HDC1000DriverTests {
  func driver(_ bench: HDC1000Bench) -> HDC1000Driver {
    HDC1000Driver(adapter: bench.adapter, clock: bench.clock)
  }

  @Test(
    "the driver measures temperature and humidity together, or one of them alone",
    arguments: HDC1000Resolution.allCases)
  func measures(_ resolution: HDC1000Resolution) throws {
    for timing in [PartTiming.typical, .maximum, .drawn] {
      for trigger in HDC1000UndocumentedBehavior.Trigger.allCases {
        let bench = try HDC1000Bench(
          celsius: -11.5, humidity: 33.3, isStarted: false, options: HDC1000Options(timing: timing)
        ) { $0.trigger = trigger }
        let driver = driver(bench)
        try driver.start(HDC1000Configuration(temperature: resolution, humidity: resolution))
        #expect(driver.device == 0x1000)
        for _ in 0..<2 {
          let measurement = try driver.measure()
          #expect(abs(measurement.celsius - -11.5) < 0.01)
          #expect(abs(measurement.relativeHumidity - 33.3) < 0.01)
          for quantity in HDC1000Quantity.allCases {
            let expected = quantity == .temperature ? -11.5 : 33.3
            #expect(
              abs(quantity.scale.value(of: try driver.measureRaw(quantity)) - expected) < 0.01)
          }
        }
      }
    }
  }

  @Test("the driver waits for an HDC1000 that takes twice the typical time")
  func slow() throws {
    let bench = try HDC1000Bench(isStarted: false, options: HDC1000Options(timing: .maximum)) {
      $0.longestTimeFactor = 2
    }
    let driver = driver(bench)
    try driver.start()
    #expect(abs(try driver.measure().celsius - 21) < 0.01)
  }

  @Test("the driver's writes change single configuration fields and preserve the others")
  func settings() throws {
    let bench = try HDC1000Bench(isStarted: false)
    let driver = driver(bench)
    try driver.start(HDC1000Configuration(temperature: .bits11, humidity: .bits8))
    #expect(try bench.words(0x02) == [0x1600])
    try driver.setHeater(true)
    #expect(try bench.words(0x02) == [0x3600])
    _ = try driver.measureRaw(.humidity)
    #expect(try bench.words(0x02) == [0x2600])
    try driver.setHeater(false)
    #expect(try bench.words(0x02) == [0x0600])
    #expect(try driver.isBatteryLow() == false)
  }

  @Test("the driver reads the low-battery bit of an HDC1000")
  func battery() throws {
    var options = HDC1000Options()
    options.supply = 2.7
    let bench = try HDC1000Bench(options: options)
    #expect(try driver(bench).isBatteryLow())
  }

  @Test("the driver reads the serial number of an HDC1000")
  func serial() throws {
    for seed in 0..<20 as Range<UInt64> {
      let bench = try HDC1000Bench(seed: seed)
      #expect(try driver(bench).readSerialNumber() == bench.sensor.serialNumber)
    }
  }

  @Test("the HDC1000 driver rejects an SHT21 at its address without resetting the SHT21")
  func stranger() throws {
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock)
    try adapter.attach(VirtualSHT21(air: ScriptedAir(constant: .standard)))
    let driver = HDC1000Driver(adapter: adapter, clock: clock)
    #expect(
      throws: HDC1000DriverError(.identify, .bus(I2CError(.dataNack, errno: .eio)))
    ) { try driver.start() }
    let register = try SHT21Driver(adapter: adapter, clock: clock).readUserRegister()
    #expect(register.rawValue & ~SHT21UserRegister.reservedMask == 0x02)
    let ones = VirtualAdapter(
      clock: clock,
      faults: FaultPlan([
        PlannedFault(kind: .otherTarget(reads: 0xFF), start: 0, count: PlannedFault.unlimited)
      ]))
    let other = HDC1000Driver(adapter: ones, clock: clock)
    let error = #expect(throws: HDC1000DriverError.self) { try other.start() }
    #expect(error?.cause == .unexpectedDevice(manufacturer: 0xFFFF, device: 0xFFFF))
    #expect("\(error as Any)".contains("0xffff"))
  }

  @Test("a missing HDC1000 is reported as an address NACK")
  func absent() throws {
    let clock = VirtualClock()
    let driver = HDC1000Driver(adapter: VirtualAdapter(clock: clock), clock: clock)
    #expect(throws: HDC1000DriverError(.identify, .bus(addressNack))) { try driver.start() }
  }

  @Test("a measurement of an HDC1000 that never ends times out within 100 ms")
  func endless() throws {
    let chip = EndlessSHT21()
    let clock = VirtualClock()
    let adapter = VirtualAdapter(clock: clock, frequency: 400_000)
    try adapter.attach(chip)
    let driver = HDC1000Driver(adapter: adapter, clock: clock)
    let error = #expect(throws: HDC1000DriverError.self) { try driver.measure() }
    guard case .stillMeasuring(let waited) = error?.cause else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(clock.nanoseconds < 100_000_000)
    #expect(waited > 12_850_000)
  }

  @Test("a configuration that does not read back as written is reported")
  func refused() throws {
    let bench = try HDC1000Bench(isStarted: false)
    let driver = driver(bench)
    try driver.start()
    let flipping = VirtualAdapter(
      clock: bench.clock,
      faults: FaultPlan([PlannedFault(kind: .bitFlip(byte: 0, mask: 0x04), start: 0)]))
    try flipping.attach(bench.sensor)
    let other = HDC1000Driver(adapter: flipping, clock: bench.clock)
    #expect(
      throws: HDC1000DriverError(.configure, .settingsRefused(expected: 0x1000, found: 0x1400))
    ) { try other.configure(HDC1000Configuration()) }
  }

  @Test("the error of a failed transfer names the step of the HDC1000's driver")
  func failures() throws {
    let bench = try HDC1000Bench(isStarted: false)
    let driver = driver(bench)
    try driver.start()
    bench.sensor.setSupply(false, at: bench.clock.nanoseconds)
    #expect(throws: HDC1000DriverError(.trigger, .bus(addressNack))) { try driver.measure() }
    #expect(throws: HDC1000DriverError(.configure, .bus(addressNack))) {
      try driver.setHeater(true)
    }
    #expect(throws: HDC1000DriverError(.reset, .bus(addressNack))) { try driver.reset() }
    #expect(throws: HDC1000DriverError(.identify, .bus(addressNack))) {
      try driver.readSerialNumber()
    }
  }
}
