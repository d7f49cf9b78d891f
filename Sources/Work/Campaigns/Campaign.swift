package import Rigs
package import Schema
import Support

/// A campaign: many runs of one subject, each with other values of some keys, and what is measured in each run.
///
/// A run is a function of the campaign and the number of the run, so any machine can compute any share of the runs.
package struct Campaign: Sendable {
  /// What each run executes.
  package enum Subject: Sendable {
    /// A rig with its pipeline or firmware, as by `aneroid run`.
    case rig(RigSource)
    /// A program on the buses of a rig in virtual time, as by `aneroid exec`.
    case program([String], RigSource)
    /// An audit, as by `aneroid audit`.
    case audit(AuditSubject)
  }

  /// The random seeds of the runs.
  package enum Seeds: String, CaseIterable, Sendable {
    /// Each run has a seed of its own.
    case each
    /// All runs have the seed of the campaign.
    case same
  }

  /// The path of the file, as given by the user.
  package let file: String
  /// The SHA-256 of everything that determines the rows: the campaign, its rig, the files that the rig references, and the
  /// version of this program.
  package internal(set) var digest = ""
  /// The files besides the campaign file that determine the rows: the rig, and the files that it references.
  package internal(set) var namedFiles: [String] = []
  package internal(set) var name = ""
  /// The number of runs.
  package internal(set) var runs = 1
  package internal(set) var seed: UInt64 = 0
  package internal(set) var seeds = Seeds.each
  package internal(set) var dimensions: [Dimension] = []
  package internal(set) var measures: [Measure] = []
  /// The number of worst runs that are listed for each measure.
  package internal(set) var worst = 5
  /// The number of runs in a shard; `nil` to derive it from the number of runs.
  var shardLength: Int?
  /// The time limit for a program or an audit of one run, in nanoseconds of real time.
  var timeout: UInt64 = 60_000_000_000
  package internal(set) var subject: Subject

  /// The most runs of a campaign.
  static let mostRuns = 1_000_000_000
  /// The most shards of a campaign.
  package static let mostShards = 1_000_000

  /// The number of combinations of the values that are enumerated.
  var combinations: Int {
    dimensions.reduce(1) { $0 * ($1.enumerated?.count ?? 1) }
  }

  /// The stamps of all files that determine the rows: if they are equal to earlier ones, no file has changed.
  package var stamps: [[Int]] { ([file] + namedFiles).map(TextFile.stamp) }

  /// The number of shards of `campaign run`: shards of 1,000 runs, or more and shorter ones for short campaigns.
  package var shards: Int {
    let length = shardLength ?? min(max(runs / 32, 1), 1000)
    return (runs + length - 1) / length
  }

  /// Returns the runs of a shard.
  ///
  /// - Parameters:
  ///   - index: the number of the shard, from 1.
  ///   - count: the number of shards.
  /// - Returns: the numbers of its runs, from 0.
  package func runs(ofShard index: Int, of count: Int) -> Range<Int> {
    let (whole, rest) = runs.quotientAndRemainder(dividingBy: count)
    let start = (index - 1) * whole + min(index - 1, rest)
    return start..<start + whole + (index <= rest ? 1 : 0)
  }
}

/// An audit that a campaign repeats: a program or a firmware image, and options of `aneroid audit`.
package struct AuditSubject: Sendable {
  /// The program and its arguments; empty for firmware.
  package var program: [String] = []
  /// The firmware image; `nil` for a program.
  package var firmware: String?
  /// The options without their dashes, each with its values; an option without a value has none.
  package var options: [(name: String, values: [String])] = []

  /// Returns the command line of an audit, after `aneroid`.
  func arguments(seed: UInt64) -> [String] {
    var words = ["audit"]
    for option in options {
      words += option.values.isEmpty ? ["--\(option.name)"] : []
      words += option.values.flatMap { ["--\(option.name)", $0] }
    }
    if options.contains(where: { $0.name == "random" }) { words += ["--seed", "\(seed)"] }
    return words + (firmware.map { ["--firmware", $0] } ?? ["--"] + program)
  }

  /// Sets the program, the image or an option.
  ///
  /// - Throws: `KeyAddress.FormatError` for a value that is not a text, a number, `true` or a list of texts.
  mutating func set(_ name: String, to value: DocumentValue) throws(KeyAddress.FormatError) {
    let texts = value.list.map { $0.compactMap(\.text) } ?? value.text.map { [$0] } ?? []
    guard !texts.isEmpty, texts.count == value.list?.count ?? 1 else {
      throw KeyAddress.FormatError(message: "\(name): the value must be a text or a list of texts")
    }
    switch name {
    case "program": program = texts
    case "firmware": firmware = texts[0]
    default:
      let option = name.hasPrefix("options.") ? String(name.dropFirst(8)) : name
      options.removeAll { $0.name == option }
      if texts != ["false"] { options.append((option, texts == ["true"] ? [] : texts)) }
    }
  }
}

/// A key that differs between the runs of a campaign, and its values.
package struct Dimension: Sendable {
  /// The source of the values.
  enum Source: Sendable {
    /// Each value in turn, in all combinations with those of other keys.
    case values([DocumentValue])
    /// One of the values, at random.
    case choice([DocumentValue])
    /// A random number between two limits.
    case uniform(Limits)
    /// A random number between two positive limits, each power of ten equally often.
    case logarithmic(Limits)
    /// A random whole number between two limits, both included.
    case integer(Limits)
    /// A normally distributed random number: `from` is the mean, `to` is the standard deviation.
    case normal(Limits)
  }

  /// Two numbers with the same unit.
  struct Limits: Sendable {
    let from: Double
    let to: Double
    let unit: String
  }

  /// The addresses of the keys in the rig that have the value, or the name of an option of the audit.
  package let addresses: [KeyAddress]
  /// The first address, which names the column.
  package var address: KeyAddress { addresses[0] }
  let source: Source
  /// The position of the key in the campaign file.
  let position: Position

  /// The unit of the values; `nil` if they are not numbers with the same unit.
  let unit: String?

  /// Creates a dimension; there is at least one address.
  init(addresses: [KeyAddress], source: Source, position: Position) {
    (self.addresses, self.source, self.position) = (addresses, source, position)
    switch source {
    case .values(let values), .choice(let values):
      let units = values.map { value in
        value.text.flatMap { NumberWithUnit($0) }?.unit
      }
      unit = Set(units).count == 1 ? units[0] : nil
    case .uniform(let limits), .logarithmic(let limits), .integer(let limits), .normal(let limits):
      unit = limits.unit
    }
  }

  /// The name of the column: the address, with the unit.
  package var column: String {
    // Each row begins with the seed of its run.
    if address.text == "seed" { return "seed of the rig" }
    return unit.map { $0.isEmpty ? address.text : "\(address.text) [\($0)]" } ?? address.text
  }

  /// Returns a value as the content of a cell: a text without the unit of the column; a list or a group as YAML on one line.
  func cell(_ value: DocumentValue) -> String {
    guard let text = value.text else { return value.yaml }
    guard let unit, text.hasSuffix(unit) else { return text }
    return String(text.dropLast(unit.count))
  }

  /// `true` if a value contains a line break.
  var hasLineBreak: Bool {
    switch source {
    case .values(let values), .choice(let values):
      values.contains { cell($0).contains(where: \.isNewline) }
    case .uniform, .logarithmic, .integer, .normal: false
    }
  }

  /// The values in all combinations; `nil` for random values.
  package var enumerated: [DocumentValue]? {
    if case .values(let values) = source { values } else { nil }
  }
}

/// A number and its unit, as in `-20C`.
package struct NumberWithUnit {
  package let number: Double
  let unit: String

  /// Parses a text; `nil` if it does not begin with a number, or if more than a unit follows.
  package init?(_ text: String) {
    let digits = text.prefix { $0.isNumber || "+-.".contains($0) }
    let unit = text.dropFirst(digits.count)
    guard let number = Double(digits), number.isFinite,
      !unit.contains(where: { $0.isNumber || $0.isWhitespace })
    else { return nil }
    (self.number, self.unit) = (number, String(unit))
  }
}

/// A number that is measured in each run.
package struct Measure: Sendable {
  /// Which of the numbers of a run counts.
  package enum Statistic: String, CaseIterable, Sendable {
    case first, last, minimum, maximum, mean, sum, count
  }

  /// Which values are the worst.
  package enum Worst: String, CaseIterable, Sendable {
    case highest, lowest
  }

  /// The name, which is the name of a column.
  package internal(set) var name = ""
  /// The kind of event that has the number, by its name or that of its array; `nil` for other sources.
  package internal(set) var event: String?
  /// The field of the event; nested fields are separated by dots.
  package internal(set) var field: String?
  /// Fields that the event must have, with their values as text.
  var conditions: [(field: String, value: String)] = []
  /// The quantity whose error is measured: that of the sensor, the difference from the ambient air.
  package internal(set) var error: String?
  /// A regular expression; its first group is a number that the program or firmware prints.
  package internal(set) var output: String?
  package internal(set) var statistic = Statistic.last
  package internal(set) var worst = Worst.highest
}
