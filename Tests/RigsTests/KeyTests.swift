import Rigs
import Schema
import Support
import Testing
import VirtualI2C

/// Tests that a key is declared once: its check, its documentation and its default come from one declaration.
struct KeyTests {
  enum Mode: String, CaseIterable, Sendable {
    case fast, slow
  }

  /// A value whose properties have one key each.
  struct Settings: Hashable, Sendable {
    struct Inner: Hashable, Sendable {
      var depth = 3
    }

    var time: UInt64 = 30_000_000
    var share = 0.25
    var pressure = 101_325.0
    var count = 5
    var isOn = true
    var mode = Mode.slow
    var mask: UInt8 = 0x0F
    var limit: Int?
    var inner = Inner()
    var spans: [Range<UInt64>] = []

    static let keys = KeyGroup("Settings for a test.", Settings()) {
      [
        Key("time", \.time, .duration, "a time"),
        Key("share", \.share, .number(0...1), "a share"),
        Key("pressure", \.pressure, .quantity(.pressure), "a pressure"),
        Key("count", \.count, .integer(1...9), "a count", default: .remarked(" of nine")),
        Key("on", \.isOn, .boolean, ""),
        Key("mode", \.mode, .choice, "a mode"),
        Key("mask", \.mask, .byte(), "some bits"),
        Key("limit", \.limit, .integer(1...9), "a limit", absent: "no limit"),
        Key("inner", \.inner, .group(inner), "more settings"),
        Key("spans", \.spans, .list(.span("A time.")), "some times"),
      ]
    }

    static let inner = KeyGroup("More settings.", Inner()) {
      [Key("depth", \.depth, .integer(0...9), "a depth")]
    }
  }

  /// Reads a document with the keys of `Settings`.
  static func read(_ text: String) throws -> (settings: Settings?, errors: [String]) {
    var (value, checker) = try Document.read(
      text, file: "test.yaml", as: Settings.keys.section, named: "the test")
    let settings = Settings.keys.value(value, &checker)
    return (settings, checker.errors.map(\.message))
  }

  @Test(
    "the documented default of a key is the value of its property",
    arguments: [
      ("time", "a time; default: 30ms"), ("share", "a share; default: 0.25"),
      ("pressure", "a pressure; default: 1013.25hPa"), ("count", "a count; default: 5 of nine"),
      ("on", "default: true"), ("mode", "a mode; default: slow"),
      ("mask", "some bits; default: 0x0F"), ("limit", "a limit; default: no limit"),
      ("inner", "more settings"), ("spans", "some times"),
    ])
  func standard(_ key: String, _ summary: String) {
    #expect(Settings.keys.section.field(key)?.summary == summary)
  }

  @Test("a key in a file sets its property, and other properties keep their defaults")
  func properties() throws {
    var expected = Settings()
    #expect(try Self.read("{}").settings == expected)
    expected.time = 2_000_000_000
    #expect(try Self.read("time: 2s").settings == expected)
    expected = Settings(
      time: 1_000, share: 1, pressure: 100_000, count: 9, isOn: false, mode: .fast, mask: 0xA5,
      limit: 7, inner: .init(depth: 8), spans: [1_000_000_000..<3_000_000_000])
    let text = """
      {time: 1us, share: 1, pressure: 1bar, count: 9, on: false, mode: fast, mask: 0xA5, limit: 7,
       inner: {depth: 8}, spans: [{at: 1s, for: 2s}]}
      """
    #expect(try Self.read(text.replacing("1bar", with: "1000hPa")).settings == expected)
  }

  @Test(
    "a value that the format of a key does not accept is an error, and leaves the default",
    arguments: ["time: 5", "share: 2", "count: 10", "mode: medium", "mask: 256", "on: yes"])
  func refused(_ text: String) throws {
    let (settings, errors) = try Self.read(text)
    #expect(settings == Settings())
    #expect(errors.count == 1)
  }

  @Test("a format can reject a value with a reason, at the position of the value")
  func reason() throws {
    let keys = KeyGroup("A test.", Settings()) {
      [
        Key(
          "even", \Settings.count,
          KeyFormat(.integer(0...9), text: { "\($0)" }) { value throws(QuantityKind.FormatError) in
            guard let number = value.integer, number.isMultiple(of: 2) else {
              throw QuantityKind.FormatError(message: "not even")
            }
            return number
          }, "an even number")
      ]
    }
    var (value, checker) = try Document.read(
      "\neven: 3", file: "test.yaml", as: keys.section, named: "the test")
    #expect(keys.value(value, &checker) == nil)
    #expect(checker.errors.map(\.message) == ["not even"])
    #expect(checker.errors.first?.location?.line == 2)
    #expect(checker.errors.first?.location?.column == 7)
    (value, checker) = try Document.read(
      "even: 4", file: "test.yaml", as: keys.section, named: "the test")
    #expect(keys.value(value, &checker)?.count == 4)
  }

  @Test(
    "the keys of a group can stand next to other keys, for a value that contains that of the group")
  func moved() throws {
    let keys = KeyGroup("A test.", Settings()) {
      [Key("count", \.count, .integer(1...9), "a count")] + Settings.inner.keys(in: \.inner)
    }
    #expect(keys.fields.map(\.summary) == ["a count; default: 5", "a depth; default: 3"])
    let renamed: [Key<Settings>] = Settings.inner.keys(in: \.inner, default: "that of before")
    #expect(
      KeyGroup("A test.", Settings()) { renamed }.fields.map(\.summary) == [
        "a depth; default: that of before"
      ])
    var (value, checker) = try Document.read(
      "{count: 2, depth: 8}", file: "test.yaml", as: keys.section, named: "the test")
    let settings = try #require(keys.value(value, &checker))
    #expect(settings.count == 2)
    #expect(settings.inner.depth == 8)
    (value, checker) = try Document.read(
      "depth: 10", file: "test.yaml", as: keys.section, named: "the test")
    #expect(checker.errors.count == 1)
  }

  @Test("a key added in one line is checked, read, documented and completed with its default")
  func exercise() throws {
    let keys = KeyGroup("An adapter.", Rig.Adapter()) {
      [
        Key("frequency", \.frequency, .frequency, "the bus frequency"),
        Key("patience", \.stretchLimit, .duration, "the longest wait"),
      ]
    }
    var (value, checker) = try Document.read(
      "patience: 3ms", file: "test.yaml", as: keys.section, named: "the adapter")
    #expect(keys.value(value, &checker)?.stretchLimit == 3_000_000)
    (value, checker) = try Document.read(
      "patiense: 3ms", file: "test.yaml", as: keys.section, named: "the adapter")
    #expect(checker.errors.first?.message.contains("did you mean 'patience'?") == true)
    let schema = JSONSchema.document(
      of: keys.section, heading: "An adapter", identifier: "urn:test", title: "Test"
    ) { _, _ in nil }
    #expect(schema.contains(/"patience": \{\s*"description": "the longest wait; default: 1s"/))
    let page = KeyReference(root: "An adapter", example: { _, _ in nil }, file: { _, _ in nil })
      .lines(keys.section)
    #expect(page.contains { $0.hasPrefix("| `patience` |") && $0.contains("default: 1s") })
  }

  @Test("the answers of an assumption begin with the default of its switch")
  func assumption() {
    struct Switches: Sendable {
      var mode = Mode.slow
      var time: UInt64 = 1_500_000_000
      var rise = 2.0
    }
    let assumptions: [Assumption<Switches>] = [
      .choice("mode", \.mode, "a mode", evidence: "none", test: "a test"),
      .duration("time", \.time, "a time", evidence: "none", test: "a test"),
      .number("rise", \.rise, .temperatureDifference, "a rise", evidence: "none", test: "a test"),
    ]
    let entries = assumptions.map { $0.entry(defaults: Switches()) }
    #expect(entries.map(\.answers) == ["slow, fast", "1.5s", "2 °C"])
    var switches = Switches()
    assumptions[0].select(.word("fast"), in: &switches)
    assumptions[1].select(.word("fast"), in: &switches)
    #expect(switches.mode == .fast)
    #expect(switches.time == 1_500_000_000)
  }
}
