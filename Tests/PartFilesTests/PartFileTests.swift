import I2C
import PartFiles
import Parts
import Rigs
import Support
import TestSupport
import Testing

/// Part files are checked like rigs: every error has a line, a column and a hint.
struct PartFileTests {
  @Test(
    "each built-in part has the name of its file, a source and at most 60 lines",
    arguments: BuiltInFile.names(.part))
  func builtIn(_ name: String) throws {
    let text = try Fixtures.text("rigs/parts/\(name).yaml")
    let part = try PartFile.read(text, file: name)
    #expect(part.name == name)
    #expect(!part.sources.isEmpty)
    #expect(text.count { $0 == "\n" } <= 60)
    #expect(text.hasPrefix("# yaml-language-server: $schema=../part.schema.json\n# "))
    #expect(Rig.hasPart(named: name))
  }

  @Test("the file that 'part new' writes is a part without errors")
  func skeleton() throws {
    let text = try #require(BuiltInFile.named("my-sensor", .skeleton)).text
    #expect(try PartFile.read(text, file: "my-sensor.yaml").name == "my-sensor")
  }

  /// A valid part file: that of the TMP102 with one resolution.
  static let good = (try? Fixtures.text("rigs/parts/tmp102.yaml"))?.replacing(
    "scale: {by: extended, of: [0.00390625, 0.0078125]}, bits: 16, precision: {by: extended, of: [12, 13]}, ",
    with: "scale: 0.0625, bits: 12, shift: 4, ")

  @Test(
    "an error in a part file is reported once, with its line and what is right",
    arguments: [
      ("part: ti:tmp102", "part: TMP102", "small letters"),
      ("of: temperature,", "of: temprature,", "did you mean 'temperature'?"),
      (
        "shows: temperature", "shows: temperatur",
        "there is no value 'temperatur'; did you mean 'temperature'?"
      ),
      (
        "values:\n",
        "heater: {while: [{field: shutdown, is: 1}], rise: 1, time_constant: 0s}\nvalues:\n",
        "longer than 0s"
      ),
      (
        "reserved_bits_written: kept", "reserved_bits_write: kept",
        "did you mean 'reserved_bits_written'?"
      ),
      ("reserved_bits_written: kept", "past_end: one", "did you mean 'ones'?"),
      ("by: rate", "by: rates", "there is no field 'rates'; did you mean 'rate'?"),
      ("[4s, 1s, 250ms, 125ms]", "[4s, 1s]", "the field 'rate' has 4 values, but 2 are listed"),
      ("bits: 12, shift: 4", "bits: 12, shift: 24", "more than 32 bits"),
      ("signed: true,", "signed: true, limits: [2047, -1024],", "the lower first"),
      (
        "signed: true,", "signed: true, limits: {by: rate, of: [[1, 2], [1, 2], [3], [1, 2]]},",
        "the lower first"
      ),
      (
        "signed: true,", "signed: true, limits: {by: rate, of: [[1, 2], [1, 2]]},",
        "the field 'rate' has 4 values, but 2 are listed"
      ),
      (
        "signed: true,", "signed: true, limits: [-4096, 2047],",
        "codes of 12 bits are from -2048 to 2047"
      ),
      ("reset: 0x60A0", "reset: 0x160A0", "the register has only 16 bits"),
      ("bit: 15}", "bit: 16}", "ends at bit 16"),
      ("bit: 15}", "bits: [16, 3]}", "ends at bit 16"),
      (
        "values:\n", "low_supply: {field: rate, below: 2}\nvalues:\n", "more than one bit"
      ),
      ("bit: 15}", "bits: [3, 3]}", "each bit is listed once"),
      ("bit: 15}", "bit: 15, bits: [3, 2]}", "'bit', with or without 'width', or 'bits'"),
      ("bit: 15}", "width: 2}", "'bit', with or without 'width', or 'bits'"),
      ("signed: true,", "signed: true, precision: 13,", "the code has only 12 bits"),
      ("field: shutdown, is: 0", "field: shutdown, is: 2", "has only 1 bit"),
      ("busy: [{field: one shot, is: 0}]", "busy: [{field: rate, is: 0}]", "more than one bit"),
      ("scale: 0.0625", "scale: 0", "0 has no inverse"),
      ("signed: true,", "signed: true, gain: {by: rate},", "a factor needs either 'of' or 'per'"),
      (
        "signed: true,", "signed: true, gain: {by: rate, of: [1, 2]},",
        "the field 'rate' has 4 values, but 2 are listed"
      ),
      (
        "signed: true,", "signed: true, gain: {by: speed, per: 3},", "there is no field 'speed'"
      ),
      ("typical: 26ms", "typical: 26", "such as"),
      ("name: low limit", "name: high limit", "two registers have the name 'high limit'"),
      ("every: {by: rate", "evry: {by: rate", "every"),
      ("maximum: 35ms}\n    every", "maximum: 25ms}\n    every", "shorter than the typical time"),
      (
        "measurements:", "commands: [{name: x, code: 1}]\nmeasurements:",
        "either commands or registers"
      ),
      ("signed: true,", "signed: true, first: 4096,", "codes of 12 bits are from -2048 to 2047"),
      ("field: shutdown, is: 0", "field: shutdown, is: [0, 2]", "has only 1 bit"),
      ("field: shutdown, is: 0", "field: shutdown, is: []", "is empty"),
      ("values:", "inputs: [{name: x}]\nvalues:", "one of 'usual', 'product' and 'difference'"),
      (
        "values:", "inputs: [{name: x, usual: 3, range: [0, 2]}]\nvalues:",
        "outside of 'range'"
      ),
      (
        "values:", "inputs: [{name: x, usual: 3}, {name: y, product: [x, z]}]\nvalues:",
        "there is no input 'z'"
      ),
      (
        "values:", "inputs: [{name: x, usual: 3}, {name: y, difference: [x]}]\nvalues:",
        "two inputs are needed"
      ),
    ])
  func errors(_ right: String, _ wrong: String, _ message: String) throws {
    let good = try #require(Self.good)
    let range = try #require(good.firstRange(of: right))
    do throws(Failure) {
      _ = try PartFile.read(
        String(good[..<range.lowerBound] + wrong + good[range.upperBound...]), file: "p.yaml")
      Issue.record("'\(wrong)' is accepted")
    } catch {
      #expect(error.kind == .badContent)
      #expect(error.findings.count == 1, "\(error.findings.map(\.message))")
      #expect(error.findings[0].message.contains(message), "\(error.findings[0].message)")
      #expect((error.findings[0].location?.line ?? 0) > 0)
    }
  }

  @Test("a write to a register of two bytes is whole, and a checksum after its word is checked")
  func writes() throws {
    let text = """
      part: my:writer
      title: Writer
      summary: a register behind commands
      sources: [none]
      addresses: [0x44]
      checksum: {polynomial: 0x31, start: 0xFF}
      values: [{name: temperature, of: temperature, scale: 1}]
      registers: {bytes: 2, list: [{name: offset, writable: 0xFFFF}]}
      measurements: [{name: m, values: [temperature], takes: {typical: 1ms}}]
      commands:
        - {name: write, code: 0x6100, writes: offset, checked: true}
        - {name: read, code: 0xE102, returns: [offset]}
        - {name: measure, code: 0x2400, measures: m, returns: [temperature]}
      """
    let bench = try DescribedBench(DescribedPart(PartFile.read(text, file: "w.yaml")))
    try bench.write(0x61, 0x00, 0xBE, 0xEF, 0x92)
    try bench.write(0xE1, 0x02)
    #expect(try bench.read(3) == [0xBE, 0xEF, 0x92])
    #expect(throws: I2CError.self) { try bench.write(0x61, 0x00, 0x12, 0x34, 0x00) }
    try bench.write(0xE1, 0x02)
    #expect(try bench.read(2) == [0xBE, 0xEF])
    let prefix = text.replacing("code: 0x2400", with: "code: 0x61")
    #expect(throws: Failure.self) { try PartFile.read(prefix, file: "w.yaml") }
  }

  @Test("mutated part files are accepted or rejected with errors, without a crash")
  func mutations() throws {
    let files = try BuiltInFile.names(.part).map {
      Array(try Fixtures.text("rigs/parts/\($0).yaml").utf8)
    }
    var generator = Seeded("mutated part files")
    for index in 0..<Repetitions.mutations {
      let bytes = Mutator.mutated(files[index % files.count], using: &generator)
      do throws(Failure) {
        let part = DescribedPart(
          try PartFile.read(String(decoding: bytes, as: UTF8.self), file: "m.yaml"))
        #expect(!PartPage(part, file: "").text.isEmpty)
        _ = part.usualSettings.measurementTime
      } catch {
        #expect(!error.findings.isEmpty)
      }
    }
  }

  @Test("a built-in part can be named with its manufacturer, but not with another")
  func manufacturer() throws {
    let rig = { (model: String) in
      try Rig(
        text: "name: a\nbuses: [{number: 1, devices: [{model: \(model)}]}]\n", file: "a.yaml")
    }
    #expect(try rig("sensirion:sht4x").buses[0].devices[0].part.model.name == "sht4x")
    #expect(PartFile.builtIn("sensirion:sht4x")?.name == "sht4x")
    let failure = #expect(throws: Failure.self) { try rig("bosch:sht4x") }
    #expect(failure?.messages.joined().contains("'sht4x' is of another manufacturer") == true)
    #expect(try Rig(part: "sensirion:sht4x", at: nil).buses[0].devices.count == 1)
  }

  @Test(
    "a table is interpolated both ways; one without an inverse is an error",
    arguments: [
      ("[[0, 125], [512, 25], [1023, -40]]", ""), ("[[0, 1]]", "two or more pairs"),
      ("[[0, 1], [0, 2]]", "two or more pairs"), ("[[0, 1], [1, 2], [2, 2]]", "two or more pairs"),
      ("[[0, 1, 2], [1, 2, 3]]", "two or more pairs"),
    ])
  func tables(_ table: String, _ message: String) throws {
    let text = try Fixtures.text("rigs/parts/lm75.yaml").replacing(
      "part: ti:lm75", with: "part: my:lm75"
    )
    .replacing(
      "scale: 0.5, bits: 9, shift: 7, signed: true, limits: [-110, 250],",
      with: "table: \(table), bits: 10, shift: 6,")
    guard message.isEmpty else {
      let failure = #expect(throws: Failure.self) { try PartFile.read(text, file: "lm75.yaml") }
      #expect(failure?.messages.joined().contains(message) == true, "\(failure!)")
      return
    }
    let value = try PartFile.read(text, file: "lm75.yaml").values[0]
    for celsius in [125.0, 100, 25, 12.5, -39.9] {
      let code = value.code(nearestTo: celsius, scale: 1)
      #expect(abs(value.value(of: code, scale: 1) - celsius) < 0.11, "\(celsius)")
    }
    #expect(value.number(of: value.code(nearestTo: 75, scale: 1)) == 256)
    #expect(value.number(of: value.code(nearestTo: 300, scale: 1)) == 0)
  }
}

extension Rig {
  /// Returns whether the default rig can have a part.
  fileprivate static func hasPart(named name: String) -> Bool {
    (try? Rig(part: name, at: nil)) != nil
  }
}
