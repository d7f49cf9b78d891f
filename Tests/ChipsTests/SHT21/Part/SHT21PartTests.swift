import Chips
import Environment
import I2C
import Parts
import Quantities
import Rigs
import Support
import Testing
import VirtualI2C

/// Tests of the SHT21 as a part: keys, driver, identification and decoding of transfers.
struct SHT21PartTests {
  static func options(_ keys: String) throws -> SHT21Options {
    let part = try PartCheck.rig("sht21", device: keys).buses.first?.devices.first?.part
    return try #require(part as? ConfiguredSHT21).options
  }

  @Test("a rig runs an SHT21 with and without hold mode, at every resolution")
  func runs() throws {
    for keys in ["", "hold: true", "resolution: {temperature: 14, humidity: 12}"] {
      for finding in try PartCheck.findings(PartCheck.rig("sht21", pipeline: keys)) {
        #expect(finding.passed, "\(finding.text)")
      }
    }
    let coarse = try PartCheck.rig("sht21", pipeline: "resolution: {humidity: 8}")
    #expect(try PartCheck.findings(coarse).map(\.passed) == [true, false])
  }

  @Test("every rig key of an SHT21 sets its option")
  func keys() throws {
    #expect(try Self.options("noise: 2") == SHT21Options(noise: .scaled(2)))
    #expect(try Self.options("timing: drawn") == SHT21Options(timing: .drawn))
    let options = try Self.options(
      """
      offset: {temperature: 0.2C, humidity: -1%}
              drift_per_year: {humidity: 0.2%}
              supply: 2.2
              serial: 0123456789abcdef
      """)
    #expect(options.offset == PartDeviation(temperature: 0.2, humidity: -1))
    #expect(options.driftPerYear == PartDeviation(humidity: 0.2))
    #expect(options.supply == 2.2)
    #expect(options.serialNumber?.rawValue == 0x0123_4567_89AB_CDEF)
  }

  @Test("every undocumented behavior of the SHT21 can be selected by its own rig key")
  func unknown() throws {
    let keys = PartCheck.unknownKeys(of: SHT21Part())
    #expect(keys == SHT21Fidelity.ledger.assumptions.map(\.key))
    let answers = [
      "start_time: 1ms", "reset_time: 2ms", "access_during_start: taken", "unknown_command: ack",
      "read_without_command: ones", "second_read: again", "command_while_measuring: followed",
      "reserved_bits: ones", "reserved_bits_written: taken", "unused_bits: measured",
      "reload_bit: kept", "past_end: zeros", "serial_checksum: running", "heater_rise: 1.5C",
      "heater_time_constant: 3s",
    ]
    #expect(answers.count == keys.count)
    var expected = SHT21UndocumentedBehavior()
    expected.startTime = 1_000_000
    expected.resetTime = 2_000_000
    expected.accessDuringStart = .taken
    expected.unknownCommand = .ack
    expected.idleRead = .ones
    expected.secondRead = .again
    expected.commandWhileMeasuring = .followed
    expected.reservedBits = .ones
    expected.reservedWrite = .taken
    expected.unusedBits = .measured
    expected.reloadBit = .kept
    expected.pastEnd = .zeros
    expected.serialChecksum = .running
    expected.heaterRise = 1.5
    expected.heaterTimeConstant = 3_000_000_000
    let found = try Self.options("unknown: {\(answers.joined(separator: ", "))}").unknown
    #expect(found == expected)
  }

  @Test("an unsupported resolution and a too short serial number of an SHT21 are rejected")
  func mistakes() {
    #expect(throws: Failure.self) {
      try PartCheck.rig("sht21", pipeline: "resolution: {temperature: 14, humidity: 8}")
    }
    #expect(throws: Failure.self) { try PartCheck.rig("sht21", device: "serial: 0123") }
    #expect(throws: Failure.self) {
      try PartCheck.rig("sht21", device: "unknown: {second_read: never}")
    }
  }

  @Test("a drift beyond the data sheet's limit of an SHT21 is reported")
  func excesses() throws {
    let rig = try PartCheck.rig("sht21", device: "drift_per_year: {temperature: 0.1C}")
    let excesses = rig.buses.first?.devices.first?.part.excesses ?? []
    #expect(excesses.map(\.quantity) == ["temperature"])
  }

  @Test("an SHT21 is identified by its serial number")
  func identity() throws {
    let bench = try SHT21Bench()
    #expect(try SHT21Part().identify(bench.adapter, at: 0x40) == .itself)
    #expect(throws: I2CError.self) { try SHT21Part().identify(bench.adapter, at: 0x41) }
    let zeros = VirtualAdapter(
      clock: bench.clock,
      faults: FaultPlan([
        PlannedFault(kind: .otherTarget(reads: 0), start: 0, count: PlannedFault.unlimited)
      ]))
    #expect(try SHT21Part().identify(zeros, at: 0x40) != .itself)
  }

  @Test("transfers to an SHT21 are decoded in the data sheet's terms")
  func text() throws {
    let bench = try SHT21Bench(celsius: 25, humidity: 40)
    let meanings = try PartCheck.meanings(SHT21Part(), bench.adapter, bench.clock) { adapter in
      let driver = SHT21Driver(adapter: adapter, clock: bench.clock)
      try driver.start(.humidity8Temperature12)
      try driver.setHeater(true)
      _ = try driver.measureRaw(.humidity)
      driver.waiting = .hold
      _ = try driver.measureRaw(.temperature)
      _ = try driver.readSerialNumber()
    }
    let settings = "temperature 12 bits, humidity 8 bits"
    #expect(
      meanings == [
        "reset", "user register; -> 0x3a temperature 14 bits, humidity 12 bits",
        "user register <- 0x3b \(settings)", "user register; -> 0x3b \(settings)",
        "user register; -> 0x3b \(settings)", "user register <- 0x3f \(settings), heater on",
        "user register; -> 0x3f \(settings), heater on", "measure humidity",
        "-> humidity 39.90 %", "measure temperature, holding the clock; -> temperature 25.01 C",
        "serial number; -> 8 bytes", "serial number; -> 6 bytes",
      ], "\(meanings)")
  }
}
