import Quantities
import Text

/// Finds values in what a program prints.
protocol ValueSource: AnyObject {
  /// The values in a line, in their order; none where it is about something else.
  func values(in line: String) -> [ShownValue]
  /// What it looks for.
  var quantities: Set<Quantity> { get }
  /// Why it cannot go on, if that is so.
  var mistake: OutputError? { get }
}

extension ValueSource {
  var mistake: OutputError? { nil }
}

/// Why an output cannot be understood.
package struct OutputError: Error, Hashable, Sendable {
  /// What is wrong and what to do.
  package let message: String
}

/// How a user says where the values stand.
package enum OutputForm: Hashable, Sendable {
  /// Regular expressions with the named groups temperature, pressure and humidity.
  case patterns([String])
  /// JSON on a line, or over several: names and their paths.
  case json(String)
  /// Columns: names and their headers or numbers.
  case csv(String)

  /// Creates what finds the values.
  ///
  /// - Throws: ``OutputError`` when it cannot be understood.
  func source() throws(OutputError) -> any ValueSource {
    switch self {
    case .patterns(let patterns): try PatternSource(patterns)
    case .json(let names): JSONSource(try Assignment.list(names, option: "--json"))
    case .csv(let names): CSVSource(try Assignment.list(names, option: "--csv"))
    }
  }

  /// Creates what finds the values, within a time for each line: an expression may try for ever.
  ///
  /// - Throws: ``OutputError`` when it cannot be understood.
  func source(secondsPerLine: Double) throws(OutputError) -> any ValueSource {
    let source = try source()
    guard case .patterns(let patterns) = self else { return source }
    return BoundedSource(source, seconds: secondsPerLine, name: patterns.joined(separator: "', '"))
  }

  /// What is looked for.
  var quantities: Set<Quantity> { (try? source())?.quantities ?? [] }

  /// Checks it before anything runs.
  ///
  /// - Throws: ``OutputError`` when it cannot be understood.
  package func check() throws(OutputError) { _ = try source() }
}

/// A name of a quantity with its unit, and where it stands: `pressure_hpa=main.pressure`.
struct Assignment {
  let unit: SpelledUnit
  let place: String

  static func list(_ text: String, option: String) throws(OutputError) -> [Assignment] {
    var list: [Assignment] = []
    for part in text.split(separator: ",") {
      let sides = part.split(separator: "=", maxSplits: 1).map(\.trimmed)
      guard sides.count == 2, let unit = Quantity.unit(named: sides[0]) else {
        throw OutputError(
          message: "\(option): '\(part)' is not NAME=PLACE with one of the names \(Quantity.names)")
      }
      list.append(Assignment(unit: unit, place: sides[1]))
    }
    guard !list.isEmpty else { throw OutputError(message: "\(option) names nothing") }
    return list
  }
}
