import Environment
import Foundation
import Rigs
import Schema
import Support
import TestSupport
import Testing
import VirtualI2C

/// Common errors of new users in rigs and tables, and their messages.
struct RigFrictionTests {
  @Test(
    "a duration may have several parts",
    arguments: [
      ("2h10min", 7800.0), ("1d 2h", 93600), ("1min30s", 90), ("10s", 10), ("1.5h", 5400),
    ])
  func durations(_ text: String, _ seconds: Double) throws {
    #expect(try QuantityKind.duration.parse(text) == seconds * 1e9)
  }

  @Test("an invalid duration is rejected", arguments: ["2h10", "h", "2h-10min", "10"])
  func wrongDurations(_ text: String) {
    #expect(throws: QuantityKind.FormatError.self) { try QuantityKind.duration.parse(text) }
  }

  @Test(
    "the error for a spelled-out unit suggests the symbol",
    arguments: [("2hours", "'h'"), ("3seconds", "'s'"), ("5minutes", "'min'"), ("2days", "'d'")])
  func units(_ text: String, _ meant: String) {
    let problem = #expect(throws: QuantityKind.FormatError.self) {
      try QuantityKind.duration.parse(text)
    }
    #expect(
      problem?.message.contains("; did you mean \(meant)?") == true, "\(problem?.message ?? "")")
  }

  @Test("a message names the accepted value with the correct article and range")
  func words() {
    #expect(Shape.quantity(.altitude).noun == "an altitude such as 35m")
    #expect(Shape.quantity(.duration).noun == "a duration such as 10s")
    #expect(Shape.integer(0...Int.max).noun == "a whole number from 0")
  }

  @Test("the personality 'raspberry-pi-4' is another name of 'raspberry-pi'")
  func personality() throws {
    let four = try #require(Personality(named: "raspberry-pi-4"))
    #expect(four.name == "raspberry-pi")
    let text = SampleRig.changed(
      "{frequency: 400kHz}", to: "{frequency: 400kHz, personality: raspberry-pi-4}")
    #expect(
      try Rig(text: text, file: SampleRig.file).buses[0].adapter.errnoPolicy == four.errnoPolicy)
    for (name, of) in Personality.aliases { #expect(Personality(named: name)?.name == of) }
  }

  @Test(
    "the common date formats of tables are accepted",
    arguments: ["2024-05-01 00:00", "2024-05-01T00:00", "2024-05-01 00:00:00", "2024-05-01T00:00Z"])
  func moments(_ text: String) {
    #expect(UTCTime.parseLoosely(text) == UTCTime.parse("2024-05-01T00:00:00Z"))
    #expect(UTCTime.parseLoosely("2024-05-01 24:00") == nil)
    #expect(UTCTime.parseLoosely("2024-05-01") == nil)
  }

  @Test("a quantity that is omitted at the end of a ramp keeps its value")
  func rampEnd() throws {
    let text = SampleRig.changed(
      "constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}",
      to: "ramp: {from: {temperature: 8C, humidity: 60%}, to: {pressure: 990hPa}, over: 1h}")
    let air = try Rig(text: text, file: SampleRig.file).environment.source()
    let end = air.air(at: 7_200_000_000_000)
    #expect(end == Air(pressure: 99_000, temperature: 8, humidity: 60))
    #expect(air.air(at: 0).pressure == Air.standard.pressure)
  }

  @Test("a table that ends too early is reported at its last line")
  func endOfTable() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let table = "t,p,c,h\n2024-05-01 00:00,1000,20,50\n2024-05-01 01:00,1001,20,50\n"
    try table.write(
      to: folder.appending(path: "w.csv"), atomically: true, encoding: .utf8)
    let air = """
      series:
          file: w.csv
          time: t
          columns:
            pressure: {name: p, unit: hPa}
            temperature: {name: c, unit: C}
            humidity: {name: h, unit: "%"}
      """
    let text = SampleRig.changed(
      "constant: {pressure: 1005hPa, temperature: 21.3C, humidity: 45%}", to: air
    ).replacingOccurrences(of: "../fixtures/calibrations/periph-i2c.yaml", with: "periph-i2c")
    let failure = #expect(throws: Failure.self) {
      try Rig(text: text, file: folder.appending(path: "rig.yaml").path)
    }
    #expect(failure?.messages.first?.contains("w.csv:3: error: the table ends at") == true)
  }
}
