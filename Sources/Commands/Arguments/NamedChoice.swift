public import ArgumentParser
import Chips
public import I2CTrace
import Parts
import Runs
import Support
import TraceTools

/// An enumeration with a name on the command line for each case.
public protocol Named: CaseIterable, Sendable {
  /// The name in rigs and messages.
  var name: StaticString { get }
}

/// An option whose value is given by its name, whatever its raw value is.
public struct NamedChoice<Value: Named>: ExpressibleByArgument {
  /// The chosen case.
  public let value: Value

  /// Creates a choice.
  public init(_ value: Value) { self.value = value }

  /// Parses a name.
  public init?(argument: String) {
    guard let value = Value.allCases.first(where: { "\($0.name)" == argument }) else { return nil }
    self.value = value
  }

  /// The names, for help and completions.
  public static var allValueStrings: [String] { Value.allCases.map { "\($0.name)" } }

  /// The names, for shell completions.
  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  /// The name, for help.
  public var defaultValueDescription: String { "\(value.name)" }
}

extension SensorReading.Format: ExpressibleByArgument {}
extension ReplayMode: ExpressibleByArgument {}

extension Replay.Pace: ExpressibleByArgument {
  /// Parses the pace of a replay: `kept`, `ignored` or a factor.
  public init?(argument: String) { self.init(argument) }

  /// The default pace of a replay, for help.
  public var defaultValueDescription: String { "kept" }
}

/// The output formats of a command.
protocol ReportFormat: ExpressibleByArgument, RawRepresentable, CaseIterable
where RawValue == String {}

extension ReportFormat {
  /// The format for findings that all commands share; `nil` for a format that only this command
  /// has.
  var findings: FindingFormat? { FindingFormat(rawValue: rawValue) }
}

/// The output formats of a command that adds only text to the formats that all commands share.
enum PlainFormat: String, ReportFormat {
  case text, json, junit, github, markdown

  /// Formats an inspection.
  ///
  /// - Parameters:
  ///   - inspection: the findings.
  ///   - text: creates the output in the text format.
  /// - Returns: the output, ending with a newline.
  func text(_ inspection: Inspection, text: () -> String) -> String {
    findings?.text(inspection) ?? text()
  }
}

/// Phrases about the parts of the catalogue, for help texts.
enum PartNames {
  /// The part of the built-in bench and its address: "a BME280 at 0x76".
  static var usual: String {
    let model = Catalogue.models[0]
    return "\(model.titleWithArticle) at \(model.addresses[0])"
  }

  /// The sentence on how a single reading is measured, with a clause for each family of parts that
  /// describes it.
  static var readings: String {
    Catalogue.families.compactMap { model in
      let relatives = Catalogue.models.filter { $0.family == model.family }
      let names =
        relatives.prefix(1).map(\.titleWithArticle) + relatives.dropFirst().map(\.title)
      return model.readingSummary.map { "\(names.joined(separator: " or ")) \($0)" }
    }.joined(separator: "; ").capitalizedAtStart
  }
}

extension String {
  /// The text with a capital first letter.
  fileprivate var capitalizedAtStart: String { prefix(1).uppercased() + dropFirst() }
}
