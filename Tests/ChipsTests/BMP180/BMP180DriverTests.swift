import Chips
import I2C
import Testing
import VirtualI2C

/// Tests of the BMP180's driver with a working part, a faulty part and a faulty bus.
struct BMP180DriverTests {
  func driver(_ bench: BMP180Bench) -> BMP180Driver {
    BMP180Driver(adapter: bench.adapter, clock: bench.clock)
  }

  @Test(
    "the driver measures the simulated air correctly at every oversampling",
    arguments: BMP180Oversampling.allCases)
  func measures(_ oversampling: BMP180Oversampling) throws {
    for timing in [PartTiming.typical, .maximum, .drawn] {
      let bench = try BMP180Bench(
        celsius: -11.5, pascals: 98_765, isStarted: false, options: BMP180Options(timing: timing))
      let driver = driver(bench)
      for _ in 0..<2 {
        let measurement = try driver.measure(oversampling)
        #expect(abs(measurement.celsius - -11.5) < 0.051)
        #expect(abs(measurement.pascals - 98_765) <= 3)
      }
      #expect(driver.calibration == .example)
    }
  }

  @Test("an unexpected device is reported with its chip id")
  func stranger() throws {
    let bench = try BMP180Bench(
      isStarted: false,
      faults: [
        PlannedFault(kind: .otherTarget(reads: 0x00), start: 0, count: PlannedFault.unlimited)
      ])
    #expect(throws: BMP180DriverError(.identify, .unexpectedDevice(id: 0))) {
      try driver(bench).start()
    }
    #expect(
      "\(BMP180DriverError(.identify, .unexpectedDevice(id: 0)))"
        == "identifying the chip: the chip id is 0x00, not that of a BMP180 (0x55)"
    )
  }

  @Test("an invalid calibration is rejected")
  func unsound() throws {
    let bench = try BMP180Bench()
    bench.sensor.impair(.partialMemory(kept: 8), of: 0, count: 1, at: bench.clock.nanoseconds)
    #expect(throws: BMP180DriverError(.calibrate, .unsoundCalibration)) {
      try driver(bench).start()
    }
    #expect(bench.sensor.effects(of: 0) == 1)
  }

  @Test("a conversion that never ends times out, and the driver works again after a reset")
  func endless() throws {
    let bench = try BMP180Bench()
    let driver = driver(bench)
    try driver.start()
    let stuck = BMP180Driver(
      adapter: StuckConversion(bench.adapter), clock: bench.clock)
    let error = #expect(throws: BMP180DriverError.self) { try stuck.convert(.temperature) }
    guard case .stillConverting(let waited) = error?.cause else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect((50_000_000...100_000_000).contains(waited))
    try driver.reset()
    #expect(abs(try driver.measure().celsius - 21) < 0.051)
  }

  @Test("the error of a failed transfer names the step of the BMP180's driver")
  func bus() throws {
    let bench = try BMP180Bench()
    let driver = driver(bench)
    try driver.start()
    bench.sensor.setSupply(false, at: bench.clock.nanoseconds)
    let addressNack = BMP180DriverError.Cause.bus(BMP180RegisterTests.addressNack)
    #expect(throws: BMP180DriverError(.trigger, addressNack)) { try driver.measure() }
    #expect(throws: BMP180DriverError(.identify, addressNack)) { try driver.identify() }
    #expect(throws: BMP180DriverError(.reset, addressNack)) { try driver.reset() }
    #expect(throws: BMP180DriverError(.calibrate, addressNack)) { try driver.readCalibration() }
  }
}

/// An adapter through which the bit SCO of the control register always reads 1.
private final class StuckConversion: I2CAdapter {
  private let adapter: any I2CAdapter

  init(_ adapter: any I2CAdapter) { self.adapter = adapter }

  var functionality: I2CFunctionality { adapter.functionality }
  var quirks: I2CQuirks { adapter.quirks }

  func transfer(
    _ segments: Span<I2CSegment>, writing: Span<UInt8>, reading: inout MutableSpan<UInt8>
  ) throws(I2CError) {
    try adapter.transfer(segments, writing: writing, reading: &reading)
    if !reading.isEmpty { reading[0] |= 0x20 }
  }
}
