import BME280Model
import Environment
import Foundation
import Rigs
import Support
import TestSupport
import Testing

/// Weather tables: accepted values, and errors with their line.
struct WeatherSeriesTests {
  static let table = """
    time,p,t,h
    2020-01-01T00:00:00Z,1000,32,50
    2020-01-01T01:00:00Z,1002,50,60
    2020-01-01T02:00:00Z,NA,50,60
    2020-01-01T03:00:00Z,1006,50,60
    2020-01-01T04:00:00Z,1008,50,60
    """

  /// A rig with a table.
  static func rig(
    _ table: String, gaps: String = "\n    gaps: {interpolate: 2h}", duration: String = "4h",
    start: String = "2020-01-01T00:00:00Z"
  ) throws -> Rig {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "weather-\(UUID().uuidString).csv").path
    try table.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = SampleRig.changed(
      "  constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}",
      to: """
          series:
            file: \(path)
            time: time
            start: \(start)
            columns:
              pressure: {name: p, unit: hPa}
              temperature: {name: t, unit: F}
              humidity: {name: h, unit: "%"}
            missing: NA\(gaps)
        """
    ).replacingOccurrences(of: "duration: 2h", with: "duration: \(duration)")
    return try Rig(text: text, file: SampleRig.file)
  }

  @Test("values are converted, and gaps up to the limit are interpolated linearly")
  func values() throws {
    let air = try Self.rig(Self.table).environment.source()
    let hour: UInt64 = 3_600_000_000_000
    #expect(air.air(at: 0).pressure == 100_000)
    #expect(air.air(at: 0).temperature == 0)
    #expect(air.air(at: hour).temperature == 10)
    #expect(air.air(at: hour / 2).pressure == 100_100)
    #expect(air.air(at: 2 * hour).pressure == 100_400)
    #expect(air.air(at: 100 * hour).pressure == 100_800)
  }

  @Test(
    "errors are reported with the line, and the column of a field",
    arguments: [
      ("time,p,t,h", "time,q,t,h", ":1: error: no column 'p'"),
      ("time,p,t,h", "when,p,t,h", ":1: error: no column 'time'"),
      ("T01:00:00Z", " 1 pm", ":3:1: error: '2020-01-01 1 pm' is not a valid time"),
      ("1002,50,60", "1002,50", ":3: error: 3 fields, but the header has 4"),
      ("1002", "lots", ":3:22: error: 'lots' in the column 'p' is not a number"),
      ("1002", "nan", ":3:22: error: 'nan' in the column 'p' is not a number"),
      ("1002", "99999", ":3:22: error: 99999 hPa in the column 'p' is out of range"),
      (
        "50,60\n2020-01-01T02", "50,101\n2020-01-01T02",
        ":3:30: error: 101 % in the column 'h' is out of range"
      ),
      (
        "T03:00:00Z", "T01:30:00Z",
        ":5:1: error: 2020-01-01T01:30:00Z is not after the previous row"
      ),
      (
        "1006", "NA",
        ":6: error: the column 'p' has a gap of 3 h after line 3; only gaps of up to 2 h"
      ),
      ("1008", "NA", ":5: error: the column 'p' has no value after the end of the run"),
      ("1000,", "NA,", ":3: error: the column 'p' has no value before the start of the run"),
      ("1002", "\"1002", ": a quote is not closed"),
    ])
  func refused(_ old: String, _ new: String, _ message: String) {
    let table = Self.table.replacingOccurrences(of: old, with: new)
    let failure = #expect(throws: Failure.self) { try Self.rig(table) }
    #expect(failure?.kind == .badContent)
    #expect(failure?.messages.first?.contains(message) == true, "\(failure?.messages ?? [])")
    #expect(failure?.messages.last?.contains("the rig references this file") == true)
  }

  @Test("without the key 'gaps', a missing row is an error, and so is a missing value")
  func noGaps() {
    let missingRow = Self.table.replacingOccurrences(
      of: "2020-01-01T02:00:00Z,NA,50,60\n", with: "")
    for table in [Self.table, missingRow] {
      let failure = #expect(throws: Failure.self) { try Self.rig(table, gaps: "") }
      #expect(failure?.messages.first?.contains("gaps are not allowed") == true)
    }
  }

  @Test("a run longer than the table, or outside it, is rejected")
  func outside() {
    for (duration, start) in [
      ("5h", "2020-01-01T00:00:00Z"), ("2h", "2019-12-31T23:00:00Z"),
      ("2h", "2021-01-01T00:00:00Z"),
    ] {
      let failure = #expect(throws: Failure.self) {
        try Self.rig(Self.table, duration: duration, start: start)
      }
      #expect(failure?.kind == .badContent)
    }
  }

  @Test("quotes, carriage returns, a byte order mark and empty lines are accepted")
  func dialects() throws {
    let table =
      "\u{FEFF}\"time\",p,\"t\",h\r\n\r\n2020-01-01T00:00:00Z,\"1000\",32,50\r\n"
      + "2020-01-01T05:00:00Z,1010,32,50\r\n"
    let air = try Self.rig(table, gaps: "\n    gaps: {interpolate: 5h}").environment.source()
    #expect(air.air(at: 0).pressure == 100_000)
  }

  /// A rig with a table with the given columns.
  static func ownRig(_ table: String, _ columns: String, more: String = "") throws -> Rig {
    let path = FileManager.default.temporaryDirectory
      .appending(path: "own-\(UUID().uuidString).csv").path
    try table.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    let text = SampleRig.changed(
      "  constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}",
      to: "  series:\n    file: \(path)\n    time: time\n    columns: {\(columns)}\(more)"
    ).replacing("duration: 2h", with: "duration: 1h")
    return try Rig(text: text, file: SampleRig.file)
  }

  static let temperature = "temperature: {name: t, unit: C}"

  @Test("a quantity without a column has the value of standard air; one column is enough")
  func fewColumns() throws {
    let table = "time,t\n2020-01-01T00:00:00Z,-5\n2020-01-01T02:00:00Z,5\n"
    let air = try Self.ownRig(table, Self.temperature).environment.source().air(at: 0)
    #expect(air.temperature == -5 && air.pressure == 101_325 && air.humidity == 50)
    let none = #expect(throws: Failure.self) { try Self.ownRig(table, "") }
    #expect(none?.messages.first?.contains("at least one of 'pressure'") == true)
  }

  @Test(
    "times may have a zone, be Unix seconds, or be seconds from the start of the table",
    arguments: [
      ("2020-01-01T01:00:00+01:00", "2020-01-01T01:00:00Z", 1_577_836_800.0),
      ("2020-01-01 00:30:00-0030", "2020-01-01 04:00:00.500+01", 1_577_840_400),
      ("1577836800", "1577840400.5", 1_577_836_800), ("0", "3600", 0), ("12.5", "3612.5", 0),
    ])
  func times(_ first: String, _ last: String, _ start: Double) throws {
    let rig = try Self.ownRig(
      "time,t\n\(first),0\n\(last),36\n", Self.temperature)
    #expect(rig.environment.start == Int64(start * 1e9))
    #expect(rig.environment.source().air(at: 0).temperature == 0)
  }

  @Test("in a table with semicolons as separators, a comma is the decimal sign")
  func semicolons() throws {
    let table = "time;t;note\n0;-5,5;a,b\n7200;6;\n"
    let air = try Self.ownRig(table, Self.temperature).environment.source()
    #expect(air.air(at: 0).temperature == -5.5)
  }

  @Test(
    "the error for an empty cell suggests the key 'missing' and gives the line of the rig"
  )
  func emptyCell() throws {
    let table = "time,t\n0,1\n3600,\n7200,3\n"
    let failure = #expect(throws: Failure.self) { try Self.ownRig(table, Self.temperature) }
    let first = failure?.messages.first ?? ""
    #expect(first.contains(":3:6: error: a cell in the column 't' is empty"), "\(first)")
    #expect(first.contains("set 'missing: \"\"' in the rig"), "\(first)")
    #expect(failure?.messages.last?.contains("\(SampleRig.file):") == true)
    #expect(failure?.messages.last?.contains("the rig references this file") == true)
    let line = try #require(failure?.findings.last?.location?.line)
    #expect(SampleRig.text.split(separator: "\n").count > line && line > 5)
    let air = try Self.ownRig(
      table, Self.temperature, more: "\n    missing: \"\"\n    gaps: {interpolate: 3h}")
    #expect(air.environment.source().air(at: 3_600_000_000_000).temperature == 2)
    let word = #expect(throws: Failure.self) {
      try Self.ownRig(table.replacing("3600,", with: "3600,NA"), Self.temperature)
    }
    #expect(word?.messages.first?.contains("set 'missing: NA' in the rig") == true)
  }
}
