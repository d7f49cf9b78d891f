import Environment
import Glibc
import Parts
import Quantities
import Rigs
import Runs
package import Schema
import Support
import VirtualI2C

extension Dimension {
  /// Returns the value in a run.
  ///
  /// - Parameters:
  ///   - run: the number of the run.
  ///   - seed: the seed of the campaign.
  ///   - index: the index of the dimension, which selects a stream of random numbers.
  /// - Returns: the value; the first for enumerated values, which the campaign selects.
  func value(of run: Int, seed: UInt64, index: Int) -> DocumentValue {
    var chance = SeededGenerator(
      seed: seed ^ UInt64(run) &* 0x9E37_79B9_7F4A_7C15, stream: UInt64(index) + 1)
    switch source {
    case .values(let values): return values[0]
    case .choice(let values): return values[Int(chance.next() % UInt64(values.count))]
    case .integer(let limits):
      let count = UInt64(limits.to - limits.from) + 1
      return DocumentValue(
        text: "\(Int(limits.from) + Int(chance.next() % count))\(limits.unit)", at: position)
    case .uniform(let limits):
      let number = limits.from + (limits.to - limits.from) * chance.unit()
      return text(number, limits, of: limits.to - limits.from)
    case .logarithmic(let limits):
      let number = limits.from * pow(limits.to / limits.from, chance.unit())
      return text(min(max(number, limits.from), limits.to), limits, of: number)
    case .normal(let limits):
      return text(limits.from + limits.to * chance.gaussian(), limits, of: limits.to)
    }
  }

  /// Returns a number with its unit, rounded to a millionth of a scale, so that it is the same on every machine.
  private func text(_ number: Double, _ limits: Limits, of scale: Double) -> DocumentValue {
    var (digits, unit) = (0, 1.0)
    while unit > scale / 1e5, digits < 15 { (digits, unit) = (digits + 1, unit / 10) }
    return DocumentValue(text: Decimal.rounded(number, digits) + limits.unit, at: position)
  }
}

extension Dimension {
  /// Returns the keys that a value sets.
  func changes(to value: DocumentValue) -> [RigSource.Change] {
    addresses.map { RigSource.Change($0, value) }
  }
}

extension Campaign {
  /// Returns the seed of a run.
  package func seed(of run: Int) -> UInt64 {
    if let index = dimensions.firstIndex(where: { $0.address.text == "seed" }),
      let number = values(of: run)[index].text.flatMap(UInt64.init)
    {
      return number
    }
    guard seeds == .each else { return seed }
    var generator = SeededGenerator(seed: seed, stream: UInt64(run))
    // Seeds of at most nine digits are easy to type.
    return generator.next() % 1_000_000_000
  }

  /// Returns the value of each dimension in a run.
  package func values(of run: Int) -> [DocumentValue] {
    var rest = run
    return dimensions.enumerated().map { index, dimension in
      guard let values = dimension.enumerated else {
        return dimension.value(of: run, seed: seed, index: index)
      }
      defer { rest /= values.count }
      return values[rest % values.count]
    }
  }

  /// Returns the keys that a run sets, in the order of the file.
  func changes(of run: Int) -> [RigSource.Change] {
    zip(dimensions, values(of: run)).flatMap { $0.changes(to: $1) }
  }

  /// The names of the columns of the results.
  package var columns: [String] {
    ["run", "seed"] + dimensions.map(\.column) + ["outcome"] + measured + ["message"]
  }

  /// The names of the measured numbers.
  package var measured: [String] {
    if case .audit = subject { AuditCount.names } else { measures.map(\.name) }
  }
}

/// The result of one run of a campaign.
package struct CampaignRow: Sendable {
  /// Whether a run met its expectations.
  package enum Outcome: String, CaseIterable, Sendable {
    /// Every expectation was met, the program ended with status 0, or the audit has no finding.
    case passed
    case failed
    /// The run was impossible.
    case error
  }

  package let run: Int
  package let seed: UInt64
  /// The value of each dimension, as in its column.
  package let values: [String]
  package var outcome = Outcome.passed
  /// The measured numbers; `nil` if there was none.
  package var numbers: [Double?]
  /// The first expectation that was not met, or the reason why the run was impossible.
  package var message = ""

  init(run: Int, seed: UInt64, values: [String], measures: Int) {
    (self.run, self.seed, self.values) = (run, seed, values)
    numbers = Array(repeating: nil, count: measures)
  }

  /// Parses a row of a campaign; `nil` for any other line.
  init?(line: String, of campaign: Campaign) {
    let keys = campaign.dimensions.count
    guard let fields = CSV.fields(of: Array(line.utf8), CSV.Form()),
      fields.count == campaign.columns.count, let run = Int(fields[0]),
      let seed = UInt64(fields[1]), let outcome = Outcome(rawValue: fields[keys + 2])
    else { return nil }
    (self.run, self.seed, self.outcome) = (run, seed, outcome)
    values = Array(fields[2..<keys + 2])
    numbers = fields[(keys + 3)..<(fields.count - 1)].map { Double($0) }
    message = fields[fields.count - 1]
  }

  /// The row as a line of CSV, without the line ending.
  package var line: String {
    let numbers = numbers.map { $0.map { Decimal.shortest($0) } ?? "" }
    let fields =
      ["\(run)", "\(seed)"] + values + [outcome.rawValue] + numbers
      + [message.split(whereSeparator: \.isNewline).joined(separator: " ")]
    return Self.line(fields)
  }

  /// Returns fields as a line of CSV (RFC 4180), without the line ending.
  package static func line(_ fields: [String]) -> String {
    fields.map { field in
      field.utf8.contains { $0 == 0x2C || $0 == 0x22 || $0 < 0x20 }
        ? "\"" + field.replacing("\"", with: "\"\"") + "\"" : field
    }.joined(separator: ",")
  }
}

/// Collects the measured numbers of one run from its events.
struct MeasureCollector {
  private let measures: [Measure]
  private let patterns: [Regex<AnyRegexOutput>?]
  private var values: [Accumulator]

  /// The numbers of one measure.
  private struct Accumulator {
    var count = 0
    var first = 0.0, last = 0.0, minimum = Double.infinity, maximum = -Double.infinity
    var sum = 0.0

    mutating func take(_ value: Double) {
      if count == 0 { first = value }
      (count, last, sum) = (count + 1, value, sum + value)
      (minimum, maximum) = (min(minimum, value), max(maximum, value))
    }

    func result(_ statistic: Measure.Statistic) -> Double? {
      if statistic == .count { return Double(count) }
      guard count > 0 else { return nil }
      return switch statistic {
      case .first: first
      case .last: last
      case .minimum: minimum
      case .maximum: maximum
      case .mean: sum / Double(count)
      case .sum: sum
      case .count: Double(count)
      }
    }
  }

  init(_ measures: [Measure]) {
    self.measures = measures
    patterns = measures.map { measure in measure.output.flatMap { try? Regex($0) } }
    values = measures.map { _ in Accumulator() }
  }

  /// The numbers of the measures; `nil` for a measure without a number.
  var results: [Double?] { zip(measures, values).map { $1.result($0.statistic) } }

  /// Takes an event of a run in this process.
  mutating func take(_ event: RunEvent) {
    var json: JSONValue?
    for index in measures.indices {
      let measure = measures[index]
      if let error = measure.error {
        if case .reading(let reading) = event, let value = Self.error(error, in: reading) {
          values[index].take(value)
        }
      } else if let name = measure.event {
        let kind = event.kind
        guard name == kind.rawValue || name == kind.array else { continue }
        let object = json ?? event.json
        json = object
        take(object, at: index)
      } else if case .serial(let line) = event {
        take(line: line.text, at: index)
      }
    }
  }

  /// Takes an event that another process wrote as JSON.
  mutating func take(_ event: JSONValue) {
    guard let kind = event["event"]?.text.flatMap(RunEvent.Kind.init(rawValue:)) else { return }
    for index in measures.indices {
      guard let name = measures[index].event, name == kind.rawValue || name == kind.array else {
        continue
      }
      take(event, at: index)
    }
  }

  /// Takes a line that a program printed.
  mutating func take(line: String) {
    for index in measures.indices { take(line: line, at: index) }
  }

  private mutating func take(line: String, at index: Int) {
    guard let pattern = patterns[index], let match = line.firstMatch(of: pattern),
      match.output.count > 1, let text = match.output[1].substring, let value = Double(text)
    else { return }
    values[index].take(value)
  }

  private mutating func take(_ event: JSONValue, at index: Int) {
    let measure = measures[index]
    for (field, wanted) in measure.conditions {
      guard let value = Self.value(field, in: event) else { return }
      let text = value.text ?? value.compact
      guard text == wanted || value.double.map({ $0 == Double(wanted) }) == true else { return }
    }
    guard let field = measure.field else {
      values[index].take(1)
      return
    }
    guard let value = Self.value(field, in: event) else { return }
    if let number = value.double ?? value.boolean.map({ $0 ? 1 : 0 }) { values[index].take(number) }
  }

  private static func value(_ field: String, in event: JSONValue) -> JSONValue? {
    if let value = event[field] { return value }
    return field.split(separator: ".").reduce(Optional(event)) { $0?[String($1)] }
  }

  private static func error(_ quantity: String, in reading: RunEvent.Reading) -> Double? {
    guard let quantity = Quantity(rawValue: quantity), let air = reading.air?[quantity],
      let value = reading.sample[quantity]
    else { return nil }
    return abs(value - air)
  }
}

extension CampaignReader {
  /// The names of the kinds of events that only a pipeline emits.
  static let pipelineKinds: Set<String> = {
    let kinds: [RunEvent.Kind] = [
      .reading, .average, .forecast, .noForecast, .error, .saturated, .standIn, .comparison, .cabin,
      .search, .haven, .level,
    ]
    return Set(kinds.flatMap { [$0.rawValue] + ($0.array.map { [$0] } ?? []) })
  }()

  /// The names of kinds of events and of their arrays.
  static var kinds: [String] {
    RunEvent.Kind.allCases.flatMap { [$0.rawValue] + ($0.array.map { [$0] } ?? []) }.inOrder()
  }

  /// Returns the error of a field that the events of a measure do not have; `nil` if there is none.
  static func fieldError(_ measure: Measure) -> String? {
    guard let event = measure.event,
      let kind = RunEvent.Kind.allCases.first(where: { [$0.rawValue, $0.array].contains(event) })
    else { return nil }
    guard let field = measure.field else {
      return measure.statistic == .count
        ? nil : "'\(measure.name)' needs a 'field', or 'take: count'"
    }
    let names = kind.fields.map(\.name)
    let first = field.split(separator: ".").first.map(String.init) ?? field
    guard !names.contains(field), !names.contains(first) else { return nil }
    return "'\(event)' has no field '\(field.clipped)'" + NearestWord.hint(field, among: names)
      + " (its fields: \(names.joined(separator: ", ")))"
  }
}
