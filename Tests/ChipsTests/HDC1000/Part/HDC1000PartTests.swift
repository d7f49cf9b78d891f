import Chips
import Environment
import I2C
import Parts
import Quantities
import Rigs
import Support
import Testing
import VirtualI2C

/// Tests of the HDC1000 as a part: keys, driver, identification and decoding of transfers.
struct HDC1000PartTests {
  static func options(_ keys: String) throws -> HDC1000Options {
    let part = try PartCheck.rig("hdc1000", device: keys).buses.first?.devices.first?.part
    return try #require(part as? ConfiguredHDC1000).options
  }

  @Test("a rig runs an HDC1000 at every resolution")
  func runs() throws {
    for keys in ["", "resolution: {temperature: 11}", "resolution: {temperature: 14, humidity: 8}"]
    {
      for finding in try PartCheck.findings(PartCheck.rig("hdc1000", pipeline: keys)) {
        #expect(finding.passed, "\(finding.text)")
      }
    }
    let coarse = try PartCheck.rig(
      "hdc1000", device: "unknown: {low_bits: zeros}", pipeline: "resolution: {humidity: 8}")
    #expect(try PartCheck.findings(coarse).map(\.passed) == [true, false])
  }

  @Test("every rig key of an HDC1000 sets its option")
  func keys() throws {
    #expect(try Self.options("noise: datasheet") == HDC1000Options(noise: .datasheet))
    #expect(try Self.options("timing: maximum") == HDC1000Options(timing: .maximum))
    let options = try Self.options(
      """
      offset: {temperature: 0.2C, humidity: -1%}
              drift_per_year: {humidity: 0.2%}
              supply: 2.7
              serial: 0123456789ab
      """)
    #expect(options.offset == PartDeviation(temperature: 0.2, humidity: -1))
    #expect(options.driftPerYear == PartDeviation(humidity: 0.2))
    #expect(options.supply == 2.7)
    #expect(options.serialNumber?.rawValue == 0x123_4567_89AB)
  }

  @Test("every undocumented behavior of the HDC1000 can be selected by its own rig key")
  func unknown() throws {
    let keys = PartCheck.unknownKeys(of: HDC1000Part())
    #expect(keys == HDC1000Fidelity.ledger.assumptions.map(\.key))
    let answers = [
      "start_time: 1ms", "reset_time: 2ms", "access_during_start: taken", "trigger: stop",
      "stale_read: last", "write_while_measuring: nack", "humidity_pointer: selects",
      "low_bits: zeros", "read_only_write: nack", "past_end: zeros", "reserved_registers: ones",
      "longest_time_factor: 1.5", "heater_rise: 3C", "heater_time_constant: 3s",
    ]
    #expect(answers.count == keys.count)
    var expected = HDC1000UndocumentedBehavior()
    expected.startTime = 1_000_000
    expected.resetTime = 2_000_000
    expected.accessDuringStart = .taken
    expected.trigger = .stop
    expected.staleRead = .last
    expected.writeWhileMeasuring = .nack
    expected.humidityPointer = .selects
    expected.lowBits = .zeros
    expected.readOnlyWrite = .nack
    expected.pastEnd = .zeros
    expected.reservedRegisters = .ones
    expected.longestTimeFactor = 1.5
    expected.heaterRise = 3
    expected.heaterTimeConstant = 3_000_000_000
    let found = try Self.options("unknown: {\(answers.joined(separator: ", "))}").unknown
    #expect(found == expected)
  }

  @Test("an unsupported resolution and a too long serial number of an HDC1000 are rejected")
  func mistakes() {
    #expect(throws: Failure.self) {
      try PartCheck.rig("hdc1000", pipeline: "resolution: {temperature: 12}")
    }
    #expect(throws: Failure.self) {
      try PartCheck.rig("hdc1000", device: "serial: ff0123456789")
    }
  }

  @Test("at 0x40 an SHT21 and an HDC1000 are distinguished without side effects")
  func identity() throws {
    let humid = try HDC1000Bench()
    #expect(try HDC1000Part().identify(humid.adapter, at: 0x40) == .itself)
    #expect(try SHT21Part().identify(humid.adapter, at: 0x40) != .itself)
    #expect(Catalogue.model(at: 0x40, on: humid.adapter)?.name == "hdc1000")
    let other = try SHT21Bench()
    try other.write(0xE6, 0x03)
    #expect(Catalogue.model(at: 0x40, on: other.adapter)?.name == "sht21")
    #expect(throws: I2CError.self) { try HDC1000Part().identify(other.adapter, at: 0x40) }
    #expect(try other.register() == 0x3B, "it was not reset")
  }

  @Test("transfers to an HDC1000 are decoded in the data sheet's terms")
  func text() throws {
    let bench = try HDC1000Bench(celsius: 25, humidity: 40)
    let meanings = try PartCheck.meanings(HDC1000Part(), bench.adapter, bench.clock) { adapter in
      let driver = HDC1000Driver(adapter: adapter, clock: bench.clock)
      try driver.start()
      _ = try driver.measure()
      _ = try driver.measureRaw(.humidity)
      try adapter.write([0x00].span, to: 0x40)
      var bytes: [UInt8] = [0, 0]
      var span = bytes.mutableSpan
      try? adapter.read(into: &span, from: 0x40)
    }
    #expect(
      meanings == [
        "device; -> 0x1000", "manufacturer; -> 0x5449", "reset",
        "configuration <- 0x1000 both, temperature 14 bits, humidity 14 bits",
        "configuration; -> 0x1000 both, temperature 14 bits, humidity 14 bits",
        "measure temperature and humidity", "-> temperature 25.00 C, humidity 40.00 %",
        "configuration <- 0x0000 one, temperature 14 bits, humidity 14 bits",
        "configuration; -> 0x0000 one, temperature 14 bits, humidity 14 bits",
        "measure humidity", "-> humidity 40.00 %", "measure temperature", "measurement running",
      ], "\(meanings)")
  }
}
