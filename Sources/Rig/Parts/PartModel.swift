package import I2C
package import Schema
import Support
package import VirtualI2C

/// A model of a part: its name, addresses, keys, driver and virtual part.
///
/// All code that depends on the chip is in the chip's folder below Sources/Chips. Outside it, only
/// the catalogue names the model.
package protocol PartModel: PartExtras {
  /// The name in rigs and on the command line: `bme280`.
  var name: String { get }
  /// The name for display: `BME280`. Default: `name` in capital letters.
  var title: String { get }
  /// The family of models that one driver identifies and reads. Default: `name`.
  var family: String { get }
  /// The possible addresses, the default first.
  var addresses: [I2CAddress] { get }
  /// The pin settings that select the address: "0x76 (SDO low) or 0x77 (SDO high)".
  var addressSummary: String { get }
  /// The start-up time after power-on, in nanoseconds. Default: 0.
  var startTime: UInt64 { get }
  /// The time from power-on until the part holds a first result, if it measures by itself from then on, in nanoseconds; 0 if
  /// it does not. Default: 0.
  var firstResultTime: UInt64 { get }
  /// The fields, with their values, by which an earlier program leaves the part measuring by itself; empty if it cannot, or
  /// does so from power-on. Default: none.
  var repeatingFields: [(name: String, value: Int)] { get }
  /// The humidities of the lowest and the highest code, in %; `nil` if unknown. Default: `nil`.
  var humidityOfCodes: ClosedRange<Double>? { get }
  /// `true` if a checksum protects the data that a driver reads. Default: `false`.
  var hasChecksum: Bool { get }
  /// The index of a byte of a result, in a longer read than those that only ask whether there is one. Default: 0.
  var resultByte: Int { get }
  /// The registers, or commands of one byte, by whose content drivers recognise the part. Default: none.
  var identifyingRegisters: [UInt8] { get }
  /// The measured quantities and their specified ranges.
  var ranges: SampleRanges { get }
  /// The measured inputs that are no air. Default: none.
  var inputs: [PartInput] { get }
  /// The keys of the model in a rig, in addition to the keys that every device has.
  var keys: [Section.Field] { get }
  /// The pipeline keys that the driver of the model accepts.
  var driverKeys: [Section.Field] { get }

  /// Reads the keys of a device.
  ///
  /// - Returns: the configured part, or `nil` if a key is invalid; the errors have been noted in `reader`.
  func configured(_ value: CheckedValue, _ reader: inout PartReader) -> (any ConfiguredPart)?

  /// Reads the keys of a pipeline.
  ///
  /// - Parameters:
  ///   - value: the pipeline.
  ///   - checker: collects errors.
  /// - Returns: the settings of the driver; a missing or invalid key has its default.
  func settings(_ value: CheckedValue, _ checker: inout Checker) -> any DriverSettings

  /// The driver settings for a single reading.
  var usualSettings: any DriverSettings { get }
  /// The driver settings for `aneroid watch`: the highest resolution, with the filter off. Default:
  /// `usualSettings`.
  var finestSettings: any DriverSettings { get }

  /// Creates a driver without accessing the bus.
  func driver(
    _ settings: any DriverSettings, _ adapter: any I2CAdapter, _ clock: any I2CClock,
    at address: I2CAddress
  ) -> any SensorDriver

  /// Identifies the part at an address, by the ID register or another method from the datasheet of
  /// the part.
  ///
  /// - Throws: `I2CError` if no device answers.
  func identify(_ adapter: any I2CAdapter, at address: I2CAddress) throws(I2CError)
    -> PartIdentity

  /// A new decoder, which describes the transfers between the master and one part in a trace.
  var text: any TransferText { get }

  /// Returns the reason why a result that was read without an error cannot be a measurement; `nil`
  /// if it can be one. Default: `nil`.
  func shortcoming(of sample: Sample) -> String?

  /// The fidelity page: where the virtual part behaves like the chip, what it assumes and what it leaves out.
  var fidelity: String { get }
}

extension PartModel {
  package var family: String { name }

  package var repeatingFields: [(name: String, value: Int)] { [] }

  package var humidityOfCodes: ClosedRange<Double>? { nil }

  package var hasChecksum: Bool { false }

  package var resultByte: Int { 0 }

  package var identifyingRegisters: [UInt8] { [] }

  package var inputs: [PartInput] { [] }

  package var finestSettings: any DriverSettings { usualSettings }

  package func shortcoming(of sample: Sample) -> String? { nil }

  package var startTime: UInt64 { 0 }

  package var firstResultTime: UInt64 { 0 }

  package var title: String { name.uppercased() }

  /// `title` with the indefinite article: `a BME280`, `an SHT21`.
  package var titleWithArticle: String {
    // An abbreviation is spelled: an MCP9808, an Si7021, but a Mini sensor.
    let word = title.prefix { $0 != " " }
    let isSpelled = word.contains(where: \.isNumber) || !word.contains(where: \.isLowercase)
    let isVowel = word.first.map { (isSpelled ? "AEFHILMNORSX" : "AEIOU").contains($0) } ?? false
    return (isVowel ? "an " : "a ") + title
  }
}

/// Optional features of a part; each has a default.
package protocol PartExtras: Sendable {
  /// A new record, which reconstructs one part from a trace; `nil` if the model does not support
  /// this. Default: `nil`.
  var record: (any PartRecord)? { get }

  /// Creates a checker that detects driver errors in the transfers to one part; returns `nil` if
  /// the model has no checker. Default: `nil`.
  ///
  /// - Parameter longestRead: the longest read of the adapter in bytes; 0 for no limit.
  /// - Returns: the checker.
  func listener(longestRead: Int) -> (any PartListener)?

  /// Runs the self-tests of the model, which need no hardware. Default: none.
  func selfTests() -> [SelfTest]

  /// The pins to check if the part does not answer. Default: only the pins that every part has.
  var wiring: PartWiring { get }

  /// The settings of a single reading, as a phrase to print after the names of the family's models;
  /// `nil` for no phrase. Default: `nil`.
  var readingSummary: String? { get }
}

extension PartExtras {
  package var record: (any PartRecord)? { nil }

  package func listener(longestRead: Int) -> (any PartListener)? { nil }

  package func selfTests() -> [SelfTest] { [] }

  package var wiring: PartWiring { PartWiring() }

  package var readingSummary: String? { nil }
}

/// The device that answers at an address.
package enum PartIdentity: Hashable, Sendable {
  /// The expected part.
  case itself
  /// An unexpected device; the text describes what was read from it.
  case other(String)
}

/// The pins of a part, in addition to supply and bus, to check if it does not answer.
package struct PartWiring: Hashable, Sendable {
  /// The pin that selects the address, and its required level; `nil` if there is none.
  package let address: String?
  /// The other required connections.
  package let others: [String]

  /// Creates the pins of a part.
  ///
  /// Default: none.
  package init(address: String? = nil, others: [String] = []) {
    self.address = address
    self.others = others
  }
}

/// The result of a self-test of a model, which needs no hardware.
package struct SelfTest: Hashable, Sendable {
  /// The subject of the test, in a few words.
  package let subject: String
  /// `true` if the test passed.
  package let isPassed: Bool
  /// A description of the result.
  package let detail: String

  /// Creates the result of a self-test.
  package init(_ subject: String, isPassed: Bool, _ detail: String) {
    self.subject = subject
    self.isPassed = isPassed
    self.detail = detail
  }
}

extension FidelityLedger {
  /// The fidelity page of the documentation, in Markdown.
  package var page: String {
    var lines = [
      "# \(title)",
      "",
      "Where the model behaves like the chip, what it assumes about undocumented behavior, and what it leaves out.",
      "",
      "## Overview",
      "",
    ]
    lines += preface + [""]
    for (title, facts) in chapters {
      let rows = facts.map { [$0.statement, $0.source, $0.test] }
      lines += ["### \(title)", ""] + MarkdownTable(["fact", "source", "test"], rows).lines + [""]
    }
    lines += [
      "### Assumptions",
      "",
      "Each is a key of a device in a rig, under `unknown`; the first answer is the default. With `harsh: true`, or",
      "`aneroid exec --harsh`, a part gives the answer that is hardest on a driver.",
      "",
    ]
    lines +=
      MarkdownTable(
        ["key", "answers", "harsh", "evidence", "test"],
        assumptions.map { ["`\($0.key)`", $0.answers, $0.harsh, $0.evidence, $0.test] }
      ).lines
    lines += ["", "### Shortcuts", ""]
    lines +=
      MarkdownTable(
        ["left out", "what it means"], shortcuts.map { [$0.statement, $0.consequence] }
      ).lines
    return lines.joined(separator: "\n") + "\n"
  }
}

/// An input of a part that is no air, such as a voltage or a light.
package struct PartInput: Hashable, Sendable {
  /// Where the value of an input comes from.
  package enum Origin: Hashable, Sendable {
    /// A rig sets it; this is its value otherwise, in the unit that the part's scales use.
    case given(usual: Double)
    /// The product of the inputs with these indices, which are listed before it.
    case product(Int, Int)
    /// The input with the first index minus that with the second, which are listed before it.
    case difference(Int, Int)
  }

  package var name = ""
  package var origin = Origin.given(usual: 0)
  /// The unit for display.
  package var unit = ""
  /// `true` for a component of the circuit, such as a resistor, that no program displays.
  package var isCircuit = false
  /// The values that every correct program can measure; `nil` if unknown.
  package var range: ClosedRange<Double>?
  /// The largest error of a correct program; `nil` for the coarsest step of the part's codes.
  package var tolerance: Double?
  /// `true` if a correct program may display it without its sign.
  package var isMagnitude = false
  /// `true` if a field of the part selects one of several inputs, of which a program may display only some.
  package var isSelected = false

  package init() {}

  /// The value unless a rig sets it; `nil` for an input that follows from others.
  package var usual: Double? {
    if case .given(let value) = origin { value } else { nil }
  }
}

extension [PartInput] {
  /// Returns the value of the input at an index; `given` returns that of an input that does not follow from others.
  package func value(at index: Int, _ given: (Int) -> Double) -> Double {
    switch self[index].origin {
    case .given: given(index)
    case .product(let one, let other): value(at: one, given) * value(at: other, given)
    case .difference(let one, let other): value(at: one, given) - value(at: other, given)
    }
  }
}
