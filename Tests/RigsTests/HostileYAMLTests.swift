import Chips
import Foundation
import Parts
import Rigs
import Support
import TestSupport
import Testing

/// Documents designed to exhaust time, memory or stack are rejected quickly, and normal aliases work.
struct HostileYAMLTests {
  /// Returns the failure of a rig, and the CPU time until it was found.
  static func refusal(_ text: String) throws -> (failure: Failure, seconds: Double) {
    let start = clock()
    let failure = #expect(throws: Failure.self) { try Rig(text: text, file: "hostile.yaml") }
    return (try #require(failure), Double(clock() - start) / Double(CLOCKS_PER_SEC))
  }

  /// Lists of nine aliases of lists of nine aliases, with a number of levels.
  static func lists(_ levels: Int, last: String) -> String {
    var text = "l0: &l0 [x,x,x,x,x,x,x,x,x]\n"
    for level in 1...levels {
      let aliases = Array(repeating: "*l\(level - 1)", count: 9).joined(separator: ",")
      text += "l\(level): &l\(level) [\(aliases)]\n"
    }
    return text + last.replacingOccurrences(of: "LAST", with: "l\(levels)") + "\n"
  }

  @Test(
    "nested aliases are rejected anywhere in a document",
    arguments: [
      "buses: *LAST", "? *LAST\n: 1", "*LAST : 1", "x: {*LAST : 1}", "x: {*LAST}", "x: [*LAST : 1]",
      "[*LAST, *LAST]: 1", "x: {[*LAST, *LAST]}", "x: {a: 1, ? *LAST}", "x: {?*LAST,b: 1}",
      "? - *LAST\n  - *LAST\n: 1", "x: {? [*LAST]\n}", "x: {&k [*LAST]: 1}",
    ])
  func aliases(_ last: String) throws {
    for levels in [9, 200] {
      let (failure, seconds) = try Self.refusal(Self.lists(levels, last: last))
      #expect(failure.kind == .badRig)
      #expect(failure.messages.count == 1 && failure.messages[0].hasPrefix("hostile.yaml:"))
      #expect(seconds < 2, "\(failure.messages)")
    }
  }

  @Test("an alias that expands to too many values is reported with its line")
  func told() throws {
    let (failure, _) = try Self.refusal(Self.lists(9, last: "buses: *LAST"))
    #expect(
      failure.messages == [
        "hostile.yaml:6:5: error: the file has more than 100000 values after expanding its aliases"
      ])
    let (key, _) = try Self.refusal("a: &a [x]\n? *a\n: 1\n")
    #expect(key.messages == ["hostile.yaml:2:3: error: a key must be text"])
    let (unknown, _) = try Self.refusal("a: &a [x]\nb: *c\n")
    #expect(unknown.messages == ["hostile.yaml:2:4: error: no anchor '&c' before this alias"])
    let (second, _) = try Self.refusal("a: 1\n---\nb: 2\n")
    #expect(
      second.messages == [
        "hostile.yaml:2:1: error: the file contains a second document; only one is accepted"
      ])
  }

  @Test(
    "deep nesting is rejected in flow style, in block style and through aliases",
    arguments: [
      String(repeating: "[", count: 1000),
      String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000),
      "name: " + String(repeating: "[", count: 70) + String(repeating: "]", count: 70),
      String(repeating: "{a: ", count: 900) + "1" + String(repeating: "}", count: 900),
      String(repeating: "[a: ", count: 450) + "1" + String(repeating: "]", count: 450),
      String(repeating: "- ", count: 999) + "x", String(repeating: "[", count: 1_000_000),
      (0..<900).map { String(repeating: " ", count: $0) + "a:\n" }.joined(),
      "a: &a [[[[[[[[[[[[[[[[[[[[x]]]]]]]]]]]]]]]]]]]]\nb: &b [[[[[[[[[[[[[[[[[[[[[*a]]]]]]]]]]]]]]]]]]]]]\n"
        + "c: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[*b]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
    ])
  func deep(_ text: String) throws {
    #expect(try Self.refusal(text).seconds < 2)
  }

  @Test("only the first hundred errors are reported, followed by a line that says so")
  func manyMistakes() throws {
    let text = SampleRig.text + "\n" + (0..<100_000).map { "k\($0): 1\n" }.joined()
    #expect(text.utf8.count < 1 << 20)
    let (many, seconds) = try Self.refusal(text)
    #expect(many.messages.count == 1, "it has more values than any rig")
    let (failure, _) = try Self.refusal(
      SampleRig.text + "\n" + (0..<2000).map { "k\($0): 1\n" }.joined())
    #expect(failure.messages.count == 101)
    #expect(failure.messages.last == "hostile.yaml: too many errors: only 100 are reported")
    #expect(seconds < 5)
  }

  @Test("small aliases and text that looks like aliases are accepted")
  func honest() throws {
    let other = """
      buses:
        - &first
          number: 1
          adapter: {frequency: 400kHz}
          devices:
            - address: 0x76
              model: bme280
              calibration: &part ../fixtures/calibrations/periph-i2c.yaml
        - number: 2
          devices: [{address: 0x77, model: bme280, calibration: *part}]

      """
    let sample = SampleRig.changed("  samples: 2", to: "  sensors: all\n  samples: 2")
    let start = try #require(sample.range(of: "buses:"))
    let end = try #require(sample.range(of: "environment:\n"))
    let text = sample.replacingCharacters(in: start.lowerBound..<end.lowerBound, with: other)
      .replacing("name: sample", with: "name: \"*part & *first: &part of it\"")
      .replacing("# A sample.", with: "# What? &part, {*part}: a sample.")
    let rig = try Rig(text: text, file: SampleRig.file)
    #expect(rig.name == "*part & *first: &part of it")
    #expect(rig.buses.map { $0.devices.first?.part.calibration } == ["periph-i2c", "periph-i2c"])
  }

  @Test("a byte order mark is ignored in rigs and calibrations")
  func byteOrderMark() throws {
    let rig = try Rig(
      text: "\u{FEFF}" + SampleRig.text.replacing("# A sample.\n", with: ""), file: SampleRig.file)
    #expect(rig.name == "sample")
    let calibration = try Fixtures.text("fixtures/calibrations/periph-i2c.yaml")
    let bare = calibration.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(
      separator: "\n")
    #expect(
      try CalibrationFile(text: "\u{FEFF}" + bare, file: "marked.yaml").device == "periph-i2c")
  }
}
