import Chips
import Glibc
import I2C
import Parts
import Quantities
import Rigs
import Runs
import Support
import TestSupport
import Testing
import VirtualI2C

/// Tests of the BMP180 as a part: keys, driver, identification and decoding of transfers.
struct BMP180PartTests {
  /// Returns a rig with a BMP180, and some keys of its device and pipeline.
  static func rig(device: String = "", pipeline: String = "") throws -> Rig {
    let text = """
      name: part
      seed: 3
      duration: 2h
      buses:
        - number: 1
          devices:
            - address: 0x77
              model: bmp180
              \(device)
      environment:
        constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}
      pipeline:
        samples: 2
        cycle: 30min
        \(pipeline)
      expect:
        - {that: temperature, within: 0.06C, of: environment}
        - {that: pressure, within: 3Pa, of: environment}
      """
    return try Rig(text: text, file: Fixtures.rootPath + "/rigs/part.yaml")
  }

  static func options(_ keys: String) throws -> BMP180Options {
    let part = try rig(device: keys).buses.first?.devices.first?.part
    return try #require(part as? ConfiguredBMP180).options
  }

  @Test("a rig runs a BMP180 at every oversampling", arguments: [0, 1, 2, 4, 8])
  func runs(_ number: Int) throws {
    let keys = number == 0 ? "" : "oversampling: {pressure: \(number)}"
    for finding in try PartCheck.findings(Self.rig(pipeline: keys)) {
      #expect(finding.passed, "\(finding.text)")
    }
  }

  @Test("a rig with a BMP180 produces a forecast")
  func forecasts() throws {
    var forecasts: [RunEvent.ForecastResult] = []
    let rig = try Self.rig(pipeline: "forecast: thesis")
    _ = try RigRun(rig).run { if case .forecast(let result) = $0 { forecasts.append(result) } }
    let last = try #require(forecasts.last)
    #expect(throws: Never.self) { _ = try last.result.get() }
  }

  @Test("every rig key of a BMP180 sets its option")
  func keys() throws {
    #expect(try Self.options("noise: datasheet") == BMP180Options(noise: .datasheet))
    #expect(try Self.options("timing: maximum") == BMP180Options(timing: .maximum))
    let other = BMP180DatasheetTests.other
    let digits = (0..<22).map { String(256 + Int(other.byte($0)), radix: 16).dropFirst() }
    let options = try Self.options(
      """
      offset: {temperature: 0.2C, pressure: -1hPa}
              drift_per_year: {pressure: 0.5hPa}
              calibration: \(digits.joined())
      """)
    #expect(options.offset == PartDeviation(temperature: 0.2, pressure: -100))
    #expect(options.driftPerYear == PartDeviation(pressure: 50))
    #expect(options.calibration == other)
  }

  @Test("every undocumented behavior of the BMP180 can be selected by its own rig key")
  func unknown() throws {
    let keys = PartCheck.unknownKeys(of: BMP180Part())
    #expect(keys == BMP180Fidelity.ledger.assumptions.map(\.key))
    let answers = [
      "reset_time: 2ms", "access_during_start: taken", "data_while_converting: reset",
      "command_while_converting: followed", "low_byte: last", "further_bytes: pairs",
      "read_only_write: nack", "reserved_registers: ones",
    ]
    #expect(answers.count == keys.count)
    var expected = BMP180UndocumentedBehavior()
    expected.resetTime = 2_000_000
    expected.accessDuringStart = .taken
    expected.dataWhileConverting = .reset
    expected.commandWhileConverting = .followed
    expected.lowByte = .last
    expected.furtherBytes = .pairs
    expected.readOnlyWrite = .nack
    expected.reservedRegisters = .ones
    let found = try Self.options("unknown: {\(answers.joined(separator: ", "))}").unknown
    #expect(found == expected)
  }

  @Test(
    "invalid values of a BMP180's rig keys are rejected",
    arguments: [
      "calibration: 0102", "calibration: 0000ffb8c7d17fe57ff55a71182e00048000ddf90b34",
      "address: 0x76",
    ])
  func mistakes(_ keys: String) {
    #expect(throws: Failure.self) { try Self.rig(device: keys) }
    #expect(throws: Failure.self) { try Self.rig(pipeline: "oversampling: {pressure: 16}") }
  }

  @Test("a drift beyond the data sheet's limit is reported")
  func excess() throws {
    let part = try Self.rig(device: "drift_per_year: {pressure: 2hPa}").buses[0].devices[0].part
    #expect(part.excesses.map(\.quantity) == ["pressure"])
    #expect(try Self.rig().buses[0].devices[0].part.excesses == [])
  }

  @Test("at 0x77 a BMP180 is distinguished from the BME280 family by its id")
  func identity() throws {
    let bench = try BMP180Bench()
    #expect(try BMP180Part().identify(bench.adapter, at: 0x77) == .itself)
    #expect(Catalogue.model(at: 0x77, on: bench.adapter)?.name == "bmp180")
    let usual = try #require(Catalogue.models.first)
    #expect(try usual.identify(bench.adapter, at: 0x77) != .itself)
    let emptyBus = VirtualAdapter(clock: bench.clock)
    #expect(
      Catalogue.model(at: 0x77, on: emptyBus)?.name == usual.name, "its driver reports the error")
  }

  @Test("transfers to a BMP180 are decoded in the data sheet's terms, even if the model is unknown")
  func text() throws {
    let bench = try BMP180Bench(celsius: 15, pascals: 69_964)
    let work: (any I2CAdapter) throws -> Void = { adapter in
      let driver = BMP180Driver(adapter: adapter, clock: bench.clock)
      try driver.start()
      try driver.reset()
      _ = try driver.measure(.x8)
      try adapter.write([0xF4, 0x2E].span, to: 0x77)
      _ = try adapter.readRegister(0xF4, at: 0x77)
      bench.wait(milliseconds: 5)
      _ = try adapter.readRegister(0xF6, at: 0x77)
    }
    let transfers = try PartCheck.transfers(bench.adapter, bench.clock, work)
    var text = BMP180Part().text
    let meanings = transfers.map { text.meaning(of: $0) ?? "" }
    #expect(meanings.prefix(3) == ["id; -> 0x55", "calibration; -> 22 bytes", "reset"])
    #expect(meanings[3] == "convert temperature")
    #expect(meanings[4].wholeMatch(of: /control; -> idle, UT 2789[789]/) != nil, "\(meanings[4])")
    #expect(meanings[5] == "convert pressure, x8")
    #expect(meanings[6].hasPrefix("control; -> idle, UP 1907"), "\(meanings[6])")
    #expect(meanings[7...8] == ["convert temperature", "control; -> converting"])
    #expect(meanings[9] == "result; -> 0x6c")
    for (decoded, own) in SharedAddressTests.decoded(BMP180Part(), transfers) {
      #expect(decoded == own)
    }
  }
}
