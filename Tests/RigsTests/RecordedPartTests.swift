import BME280
import Bench
import Foundation
import I2C
import I2CTrace
import Runs
import Support
import TestSupport
import Testing
import TraceTools

/// Traces of real parts, compared with the values that their owners' programs displayed.
struct RecordedPartTests {
  /// A value that an owner's program displayed.
  struct Report: CustomTestStringConvertible {
    let trace: String
    let reading: Int
    let quantity: String
    let value: Double
    let tolerance: Double
    let isCredible: Bool
    var testDescription: String { "\(trace) \(reading) \(quantity) \(value)" }

    static let all: [Report] = {
      let text = (try? Fixtures.text("fixtures/traces/reported.csv")) ?? ""
      return text.split(separator: "\n").dropFirst().compactMap { line in
        let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard cells.count == 7, let reading = Int(cells[1]), let value = Double(cells[3]),
          let tolerance = Double(cells[4])
        else { return nil }
        return Report(
          trace: cells[0], reading: reading, quantity: cells[2], value: value,
          tolerance: tolerance, isCredible: cells[5] == "yes")
      }
    }()
  }

  static let traces =
    (try? FileManager.default.contentsOfDirectory(
      atPath: Fixtures.root.appending(path: "fixtures/traces").path))?
    .filter { $0.hasSuffix(".i2ctrace") }.sorted() ?? []

  static func path(_ trace: String) -> String {
    Fixtures.root.appending(path: "fixtures/traces/\(trace)").path
  }

  /// The readings of a trace, as lines of the table of `aneroid read`.
  static func rows(
    _ trace: String, count: Int, _ mode: ReplayMode = .strict
  ) throws -> [[String: Double]] {
    let reading = try SensorReading(
      .trace(file: path(trace), number: nil), address: nil, replay: ReplayOptions(mode))
    var text = ""
    try reading.run(count: count, every: 10_000_000_000, format: .csv) {
      text += $0
    } notice: { _ in
    }
    let lines = text.split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    return lines.dropFirst().map { row in
      var values: [String: Double] = [:]
      for (name, cell) in zip(lines[0], row) { values[name] = Double(cell) }
      return values
    }
  }

  /// The number of measurements in a trace.
  static func count(_ trace: String) throws -> Int {
    try Fixtures.text("fixtures/traces/\(trace)").split(separator: "\n")
      .count { $0.contains(#"{"w":"f7"}"#) }
  }

  @Test("the repository has at least 15 traces of real parts, with a trace for each reported value")
  func complete() throws {
    #expect(Self.traces.count >= 15)
    #expect(Self.traces.contains { $0.hasPrefix("bmp-") })
    let lines = try Fixtures.text("fixtures/traces/reported.csv").split(separator: "\n")
    #expect(Report.all.count == lines.count - 1)
    #expect(Set(Report.all.map { $0.trace + ".i2ctrace" }).isSubset(of: Self.traces))
  }

  @Test(
    "each plausible value that the owner of a part reported is computed from the part's bytes",
    arguments: Report.all)
  func reported(_ report: Report) throws {
    let key = [
      "temperature": "temperature_c", "pressure": "pressure_pa", "humidity": "humidity_rh",
    ]
    let trace = report.trace + ".i2ctrace"
    let rows = try Self.rows(trace, count: Self.count(trace))
    let value = try #require(rows[report.reading - 1][key[report.quantity] ?? ""])
    #expect((abs(value - report.value) <= report.tolerance) == report.isCredible, "\(value)")
  }

  @Test(
    "each trace replays in strict mode, and a model created from the trace gives the same values",
    arguments: traces)
  func model(_ trace: String) throws {
    let count = try Self.count(trace)
    // The dump of this part is not a recording of a driver.
    guard trace != "fm4dd-getbme280.i2ctrace" else { return }
    let recorded = try Self.rows(trace, count: count)
    let modelled = try Self.rows(trace, count: count, .model)
    #expect(recorded == modelled)
  }

  @Test("Bosch's code gives the same values from the same bytes", arguments: traces)
  func bosch(_ trace: String) throws {
    let name = trace.dropLast(".i2ctrace".count)
    let expected = try Fixtures.text("fixtures/dumps/readings.csv").split(separator: "\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
      .filter { $0[0] == name }
    #expect(!expected.isEmpty)
    let mode: ReplayMode = name == "fm4dd-getbme280" ? .model : .strict
    let rows = try Self.rows(trace, count: expected.count, mode)
    for (row, wanted) in zip(rows, expected) {
      #expect(row["adc_T"] == Double(wanted[3]))
      #expect(row["adc_P"] == Double(wanted[4]))
      #expect(row["temperature_c"] == Double(wanted[7]).map { $0 / 100 })
      #expect(row["pressure_pa"] == Double(wanted[8]).map { $0 / 256 })
    }
  }

  @Test("a trace without the calibration or without a measurement cannot be replayed as a model")
  func incomplete() throws {
    let whole = try Fixtures.text("fixtures/traces/periph-i2c.i2ctrace").split(separator: "\n")
    func failure(without mark: String) throws -> String {
      let text = whole.filter { !$0.contains(mark) }.joined(separator: "\n") + "\n"
      let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).i2ctrace").path
      defer { try? FileManager.default.removeItem(atPath: file) }
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let failure = #expect(throws: Failure.self) {
        try SensorReading(
          .trace(file: file, number: nil), address: nil, replay: ReplayOptions(.model))
      }
      #expect(failure?.kind == .badContent)
      return failure?.messages.first ?? ""
    }
    #expect(try failure(without: #"{"w":"e1"}"#).contains("7 bytes of the calibration of 0x76"))
    #expect(try failure(without: #"{"w":"f7"}"#).contains("no measurement of 0x76"))
    #expect(try failure(without: #"{"t""#).contains("no transfers with a sensor"))
  }
}
