import Foundation
import Rigs
import Schema
import Support
import TestSupport
import Testing
import VirtualI2C

/// Every error in a rig is reported with line, column and the closest match.
struct RigMistakeTests {
  struct ErrorCase: CustomTestStringConvertible {
    let old: String
    let new: String
    /// `line:column: error: ` and the start of the message.
    let message: String

    var testDescription: String { new }

    init(_ old: String, _ new: String, _ message: String) {
      (self.old, self.new, self.message) = (old, new, message)
    }
  }

  static let errorCases = [
    ErrorCase(
      "seed: 3", "sed: 3", "3:1: error: unknown key 'sed' in the rig; did you mean 'seed'?"),
    ErrorCase("seed: 3", "seed: three", "3:7: error: seed: 'three' is not a whole number"),
    ErrorCase("seed: 3", "seed: -1", "3:7: error: seed: '-1' is not a whole number from 0"),
    ErrorCase("name: sample\n", "", "2:1: error: the rig lacks 'name': a short name for reports"),
    ErrorCase("2h", "2", "4:11: error: duration: '2' needs a unit; for example 10s"),
    ErrorCase("2h", "2hours", "4:11: error: duration: unknown unit 'hours' for duration"),
    ErrorCase(
      "2h", "30m", "4:11: error: duration: unknown unit 'm' for duration; did you mean 'min'?"),
    ErrorCase(
      "2h", "2hours", "4:11: error: duration: unknown unit 'hours' for duration; did you mean 'h'?"),
    ErrorCase(
      "2h", "2mins", "4:11: error: duration: unknown unit 'mins' for duration; did you mean 'min'?"),
    ErrorCase("2h", "soon", "4:11: error: duration: 'soon' is not a duration; for example 10s"),
    ErrorCase("400kHz", "400", "7:26: error: frequency: '400' needs a unit"),
    ErrorCase(
      "400kHz", "9GHz",
      "7:26: error: frequency: unknown unit 'GHz' for frequency; did you mean 'kHz'?"
    ),
    ErrorCase("400kHz", "0Hz", "7:26: error: frequency: 0Hz is out of range for a frequency"),
    ErrorCase(
      "{frequency: 400kHz}", "fast", "7:14: error: adapter must be a group of keys, not 'fast'"),
    ErrorCase(
      "number: 1", "number: 1048576",
      "6:13: error: number: '1048576' is not a whole number from 0 to 1048575"),
    ErrorCase("0x76", "0x75", "9:18: error: address: '0x75' is not 0x76 or 0x77"),
    ErrorCase(
      "bme280\n", "bme281\n",
      "10:16: error: unknown 'model' 'bme281' in an entry of devices; did you mean 'bme280'?"),
    ErrorCase(
      "model: bme280\n", "model: bmp280\n",
      "11:22: error: the calibration is that of a bme280, the model is a bmp280"),
    ErrorCase(
      "../fixtures/calibrations/periph-i2c.yaml", "{0x88: \"00\"}",
      "11:29: error: 0x88 of a bme280 takes 26 bytes (52 digits), not 2 digits"),
    ErrorCase(
      "../fixtures/calibrations/periph-i2c.yaml", "{0x88: \"0g\"}",
      "11:29: error: 0x88: 'g' at digit 2 is not a hexadecimal digit"),
    ErrorCase(
      "../fixtures/calibrations/periph-i2c.yaml", "{0x88: \"000\"}",
      "11:29: error: 0x88: 3 hexadecimal digits are not a whole number of bytes"),
    ErrorCase(
      "1005hPa", "1005", "13:24: error: pressure: '1005' needs a unit; for example 1005hPa"),
    ErrorCase(
      "1005hPa", "1005hpa",
      "13:24: error: pressure: unknown unit 'hpa' for pressure; did you mean 'hPa'?"),
    ErrorCase("45%", "145%", "13:63: error: humidity: 145% is out of range for a humidity"),
    ErrorCase(
      "constant:", "constants:",
      "13:3: error: unknown key 'constants' in environment; did you mean 'constant'?"),
    ErrorCase(
      "samples: 2", "samples: 0", "15:12: error: samples: '0' is not a whole number from 1"),
    ErrorCase(
      "samples: 2", "samples: 200",
      "15:3: error: 200 samples every 10 s do not fit into a cycle of 30 min"),
    ErrorCase(
      "samples: 2", "samples: 10000\n  sample_every: 3650d",
      "15:3: error: 10000 samples every 87600 h do not fit into a cycle of 30 min"),
    ErrorCase(
      "forecast: thesis", "forecast: zambreti",
      "17:13: error: forecast must be one of thesis, an3914, zambretti, tendency, none or a list"),
    ErrorCase(
      "samples: 2", "bus: 2", "15:8: error: no sensor at this address (accepted: 0x76 on bus 1)"),
    ErrorCase("samples: 2", "address: 0x77", "15:12: error: no sensor at this address"),
    ErrorCase(
      "samples: 2", "sensors: [{bus: 1, address: 0x77}]", "15:31: error: no sensor at this address"),
    ErrorCase(
      "that: pressure", "that: presure",
      "19:12: error: unknown 'that' 'presure' in an entry of expect; did you mean 'pressure'?"),
    ErrorCase("within: 5Pa", "within: 5", "19:30: error: within: '5' needs a unit"),
    ErrorCase(
      "of: environment", "of: enviroment",
      "19:39: error: of must be 'environment' or a pressure such as 1005hPa, not 'enviroment'"),
    ErrorCase(
      "{that: pressure, within: 5Pa, of: environment}", "{that: faults, all: fired}",
      "19:5: error: 'that: faults' needs 'faults' in the rig"),
    ErrorCase(
      "{that: pressure, within: 5Pa, of: environment}", "{that: forecast, at: 3h, is: stable}",
      "19:5: error: the time is after the end of the run"),
    ErrorCase(
      "{that: pressure, within: 5Pa, of: environment}", "{that: forecast}",
      "19:5: error: no condition: set 'at' and 'is', 'reaches' or 'never'"),
    ErrorCase(
      "{that: pressure, within: 5Pa, of: environment}", "{that: transfers, errors: 0, bus: 4}",
      "19:5: error: unknown bus '4'"),
    ErrorCase("seed: 3", "seed: 3\nseed: 4", "4:1: error: duplicate key 'seed'"),
    ErrorCase("name: sample", "name: [", "4:9: error: did not find expected ',' or ']'"),
    ErrorCase("name: sample", "? [x]\n: [", "5:9: error: did not find expected ',' or ']'"),
    ErrorCase("name: sample", "? [x]\n: 1", "2:3: error: a key must be text"),
    ErrorCase("name: sample", "name: *a", "2:7: error: no anchor '&a' before this alias"),
    ErrorCase("name: sample", "name: \"\\q\"", "2:8: error: found unknown escape character"),
    ErrorCase("name: sample", "name: \"sample", "2:7: error: this quote is not closed"),
    ErrorCase("seed: 3", "\tseed: 3", "3:1: error: a tab cannot indent a line in YAML; use spaces"),
    ErrorCase(
      "humidity: 45%", "humidity: %",
      "13:63: error: a value cannot begin with '%'; put it in quotes: \"%\""),
    ErrorCase(
      "frequency: 400kHz", "frequency:400kHz",
      "7:15: error: 'frequency:400kHz' needs a space after the colon: 'frequency: 400kHz'"),
    ErrorCase(
      "expect:", "expectations:",
      "18:1: error: unknown key 'expectations' in the rig; did you mean 'expect'?"),
    ErrorCase(
      "name: sample", "name: a\u{7}b", "1:1: error: control characters are not allowed at byte"),
    ErrorCase("name: sample", "name: \"\"", "2:7: error: name: '' is not a text"),
    ErrorCase(
      "    devices:", "    device:",
      "8:5: error: unknown key 'device' in an entry of buses; did you mean 'devices'?"),
  ]

  /// Faults in the sample, each with the message from the line number on.
  static let faults = [
    ErrorCase(
      "", "{at: 1s, kind: nak}",
      "unknown 'kind' 'nak' in an entry of faults; did you mean 'nack-address' or 'nack-data'?"),
    ErrorCase(
      "", "{at: 1s, kind: stuck-scl, duration: 3s}",
      "unknown key 'duration' in an entry of faults; did you mean 'for'?"),
    ErrorCase(
      "", "{at: 1s, kind: offset}",
      "an entry of faults has no effect: it needs at least one of 'pressure', 'temperature', 'humidity'"
    ),
    ErrorCase(
      "", "{at: 1s, kind: drift}", "an entry of faults has no effect: it needs at least one"),
    ErrorCase(
      "", "{at: 1s, kind:nack-address}",
      "'kind:nack-address' needs a space after the colon: 'kind: nack-address'"),
    ErrorCase("", "{at: 2h, kind: nack-address}", "the time is after the end of the run"),
    ErrorCase("", "{at: 30m, kind: nack-address}", "at: unknown unit 'm' for duration"),
    ErrorCase("", "{at: 2013-01-01T06:00:00Z, kind: nack-address}", "the rig has no dates"),
    ErrorCase("", "{at: 2013-01-01, kind: nack-address}", "at: '2013-01-01' is not a date in UTC"),
  ]

  @Test("an invalid fault is an error that suggests the closest match", arguments: faults)
  func fault(_ errorCase: ErrorCase) {
    let text = SampleRig.text + "\nfaults: [\(errorCase.new)]\n"
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    #expect(failure?.messages.count == 1)
    #expect(
      failure?.messages.first?.contains(": error: " + errorCase.message) == true,
      "\(failure?.messages ?? [])")
  }

  @Test("an error in the buses causes no further error in a fault that needs a bus")
  func noFollowOn() {
    let text =
      SampleRig.changed("model: bme280", to: "modl: bme280")
      + "\nfaults: [{at: 1s, kind: nack-address}]\n"
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    #expect(failure?.messages.count == 1, "\(failure?.messages ?? [])")
  }

  @Test(
    "a fault may have a date if the rig has dates",
    arguments: [("06:00:00", 0), ("07:30:00", 5400)])
  func date(_ time: String, _ seconds: UInt64) throws {
    let text = try Fixtures.text("rigs/weather-station.yaml")
    let start = try #require(text.firstRange(of: /start: \d{4}-\d\d-\d\dT06:00:00Z/))
    let day = text[start].dropFirst(7).prefix(11)
    let keys = "at: \(day)\(time)Z, kind: power-loss"
    let bare = text.replacing(/(?s)\nfaults:.*?\n(?=[a-z])/, with: "\n")
      .replacing(/\n *- \{that: faults[^\n]*/, with: "")
    let file = Fixtures.root.appending(path: "rigs/dated.yaml").path
    let rig = try Rig(text: bare + "\nfaults: [{\(keys)}]\n", file: file)
    #expect(rig.faults.map(\.plan.trigger.start) == [seconds * 1_000_000_000])
  }

  @Test(
    "an error in a fault on the command line is reported with its column in the argument",
    arguments: [
      ("kind: nack-adress, count: 1", "--fault:1:7: error: unknown 'kind' 'nack-adress'"),
      ("{kind: nack-adress, count: 1}", "--fault:1:8: error: unknown 'kind' 'nack-adress'"),
      ("kind: nack-address, cont: 1", "--fault:1:21: error: unknown key 'cont'"),
      ("kind: nack-address, count: [", "--fault:"),
    ])
  func columns(_ text: String, _ message: String) {
    let failure = #expect(throws: Failure.self) { try Fault.planned(text, on: 1) }
    #expect(failure?.messages.first?.hasPrefix(message) == true, "\(failure?.messages ?? [])")
  }

  @Test("an error is reported with file, line, column and what is accepted", arguments: errorCases)
  func told(_ errorCase: ErrorCase) {
    let text = SampleRig.changed(errorCase.old, to: errorCase.new)
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    #expect(failure?.kind == .badRig)
    #expect(
      failure?.messages.contains { $0.hasPrefix(SampleRig.file + ":" + errorCase.message) } == true,
      "\(failure?.messages ?? [])")
  }

  @Test("all errors of a file are reported, in order")
  func all() {
    let text = SampleRig.changed("seed: 3", to: "sed: 3")
      .replacingOccurrences(of: "45%", with: "45")
      .replacingOccurrences(of: "samples: 2", with: "sample: 2")
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    let lines = (failure?.messages ?? []).map { $0.dropFirst(SampleRig.file.count + 1).prefix(2) }
    #expect(lines == ["3:", "13", "15"])
  }

  @Test("semantic errors and missing files are reported together with the other errors")
  func together() {
    let text = SampleRig.changed("seed: 3", to: "sed: 3")
      .replacingOccurrences(of: "periph-i2c.yaml", with: "nowhere.yaml")
      .replacingOccurrences(of: "samples: 2", with: "samples: 200")
      .replacingOccurrences(of: "of: environment", with: "of: environment, bus: 7")
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    #expect(failure?.kind == .badRig)
    let messages = failure?.messages ?? []
    #expect(messages.count == 4)
    #expect(messages.contains { $0.contains("15:3: error: 200 samples every 10 s do not fit") })
    #expect(messages.contains { $0.contains("nowhere.yaml: no such file") })
  }

  @Test(
    "errors that follow from another error are not reported",
    arguments: [
      ("duration: 2h", "duration: 2"), ("number: 1", "number: one"),
      ("address: 0x76", "adress: 0x76"),
      ("samples: 2", "samples: two"), ("buses:", "busses:"), ("constant:", "konstant:"),
    ])
  func noCascades(_ old: String, _ new: String) {
    let text = SampleRig.changed(old, to: new)
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    // A misspelled required key is reported as missing too.
    let messages = (failure?.messages ?? []).filter { !$0.contains("lacks '") }
    #expect(messages.count == 1, "\(messages)")
  }

  @Test("errors that follow from an error of the firmware are not reported")
  func noCascadesOfFirmware() {
    let text = """
      name: reader
      duration: 5s
      buses: [{number: 1, devices: [{address: 0x76, model: bme280}]}]
      firmware: {image: reader.elf, i2c: {TWIM9: 1}}
      expect:
        - {that: uart, matches: "/temperature/"}
        - {that: transfers, errors: 0}
      """
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    #expect(failure?.messages.count == 1, "\(failure?.messages ?? [])")
    #expect(failure?.messages.first?.contains("unknown key 'TWIM9'") == true)
    let short = text.replacing("TWIM9", with: "TWIM0").replacing("duration: 5s\n", with: "")
    let other = #expect(throws: Failure.self) { try Rig(text: short, file: SampleRig.file) }
    #expect(other?.messages.count == 1, "\(other?.messages ?? [])")
  }

  @Test("duplicate device addresses and duplicate bus numbers are rejected")
  func duplicates() {
    let device =
      "      - address: 0x76\n        model: bme280\n"
      + "        calibration: ../fixtures/calibrations/periph-i2c.yaml\n"
    let twice = SampleRig.changed(device, to: device + device)
    #expect(throws: Failure.self) { try Rig(text: twice, file: SampleRig.file) }
    let xft = "{address: 0x77, model: bme280, calibration: ../fixtures/calibrations/xft.yaml}"
    let buses = SampleRig.changed(
      "buses:\n", to: "buses:\n  - {number: 1, devices: [\(xft)]}\n")
    let failure = #expect(throws: Failure.self) { try Rig(text: buses, file: SampleRig.file) }
    #expect(failure?.messages.first?.contains("duplicate bus number 1") == true)
  }

  @Test("if a rig references a missing file, the failure is 'missing input' and names both files")
  func missingFile() {
    let text = SampleRig.changed("periph-i2c.yaml", to: "nowhere.yaml")
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: SampleRig.file) }
    #expect(failure?.kind == .missingInput)
    #expect(failure?.messages.first?.contains("nowhere.yaml: no such file") == true)
    #expect(
      failure?.messages.last == "\(SampleRig.file):11:22: error: the rig references this file")
  }

  @Test("a missing rig is a failure of kind missing input")
  func missingRig() {
    let failure = #expect(throws: Failure.self) { try Rig(path: "/nowhere/rig.yaml") }
    #expect(failure?.kind == .missingInput)
  }

  @Test("hostile documents are rejected: deep nesting, many aliases, a huge file")
  func hostile() {
    let deep = String(repeating: "[", count: 100_000)
    let aliases = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b]\n"
    let huge = "name: " + String(repeating: "x", count: 2 << 20)
    for text in [deep, aliases, huge, "", "- 1", "\0", "%YAML 9.9\n---\n"] {
      #expect(throws: Failure.self) { try Rig(text: text, file: "hostile.yaml") }
    }
  }
}
