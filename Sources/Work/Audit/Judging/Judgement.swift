package import BME280Model
import Runs
package import Support

/// The verdict on a program in one scenario.
package struct Judgement: Sendable {
  /// The verdict, in order of decreasing severity.
  package enum Verdict: String, Sendable, CaseIterable {
    /// The program displayed wrong values without an error.
    case wrong
    /// The program displayed no values although there was something to measure, repeated an old
    /// measurement, leaked resources, or did not handle a failure.
    case failed
    /// The values are within tolerance, but their last digits match a known defect and no correct
    /// formula.
    case small
    /// A measurement was impossible, and the program reported it.
    case reported
    /// The displayed values are right.
    case right
    /// The event did not occur before the program ended, or wall-clock waits prevent a verdict.
    case notRun = "not run"

    /// Creates a verdict from the word in a report; also accepts `told` and `missed` from older
    /// reports.
    package init?(word: String) {
      switch word {
      case "told": self = .reported
      case "missed": self = .notRun
      default: self.init(rawValue: word)
      }
    }

    /// `true` if the verdict is a finding against the program.
    package var isFinding: Bool { self == .wrong || self == .failed || self == .small }
  }

  /// The text in place of a correct value if there is nothing to display.
  package static let nothing = "nothing"

  /// A wrong value and the correct one.
  package struct Difference: Sendable {
    package let quantity: Measurand
    /// The value as displayed.
    package let shown: String
    /// The correct value.
    package let right: String
    /// Both values as numbers, and the weight of the last displayed digit, in °C, Pa or %; `nil` if
    /// there is no correct value.
    package var values: (shown: Double, right: Double, digit: Double)?

    /// Creates a difference.
    package init(
      quantity: Measurand, shown: String, right: String,
      values: (shown: Double, right: Double, digit: Double)? = nil
    ) {
      (self.quantity, self.shown, self.right, self.values) = (quantity, shown, right, values)
    }

    /// Both values as text.
    ///
    /// Inputs are named, because several have the same unit.
    package var sentence: String {
      let name = quantity.input == nil ? "" : "\(quantity.name) "
      return name + (right == nothing ? "\(shown), expected no value" : "\(shown), not \(right)")
    }
  }

  package let scenario: Scenario
  package internal(set) var verdict: Verdict
  /// The displayed values, one per quantity, of the reading with the most wrong values, or of the
  /// last reading if none is wrong.
  package let shown: [String]
  /// The wrong values.
  package internal(set) var differences: [Difference]
  /// The reason, as a sentence.
  package internal(set) var reason: String
  /// The defects that explain the error, each with class and title.
  package internal(set) var likely: [(classID: String, title: String)]
  /// Further defects, each with class and title, which only the last digits of the values reveal.
  package internal(set) var alsoLikely: [(classID: String, title: String)] = []
  /// The cause, if it does not depend on this scenario: it occurs on all benches, or even on the
  /// calm bench (constant air, no faults).
  package internal(set) var common: String?
  /// The bus errors of the program.
  package let conduct: [ProtocolFinding]
  /// The key by which findings are grouped.
  package var cause: String {
    if let common { return common }
    if let first = likely.first { return "likely \(first.classID) \(first.title)" }
    return verdict == .wrong ? "wrong, without a known defect" : reason
  }

  /// The faults of the scenario with their firings.
  package var faults: [ServedFault] = []
  /// The number of readings displayed, and the duration of the run in seconds of wall-clock time.
  package let readings: Int, seconds: Double

  /// Creates a judgement.
  package init(
    scenario: Scenario, verdict: Verdict, shown: [String], differences: [Difference],
    reason: String, likely: [(classID: String, title: String)], conduct: [ProtocolFinding],
    faults: [ServedFault] = [], readings: Int, seconds: Double
  ) {
    (self.scenario, self.verdict, self.shown) = (scenario, verdict, shown)
    (self.differences, self.reason, self.likely) = (differences, reason, likely)
    (self.conduct, self.faults) = (conduct, faults)
    (self.readings, self.seconds) = (readings, seconds)
  }
}

/// The findings of an earlier audit, which do not fail a later one.
package struct Baseline: Sendable {
  private let findings: Set<String>
  /// The quantities that were not judged in the earlier audit.
  package let missing: Set<String>

  /// Reads the JSON output of an earlier audit.
  ///
  /// - Throws: `Failure` if the file is missing or is not an audit.
  package init(_ path: String) throws(Failure) {
    let text = try TextFile.read(path)
    guard let scenarios = JSONValue(reading: text.utf8)?["scenarios"]?.array,
      scenarios.allSatisfy({ $0.object != nil })
    else {
      throw Failure(
        .badContent,
        "\(path): not the output of an audit; 'aneroid audit --format json' creates one")
    }
    let unjudged = JSONValue(reading: text.utf8)?["missing"]?.array ?? []
    missing = Set(unjudged.compactMap(\.text))
    findings = Set(
      scenarios.compactMap { scenario in
        guard let name = scenario["scenario"]?.text,
          let verdict = (scenario["verdict"]?.text).flatMap(Judgement.Verdict.init(word:)),
          verdict.isFinding
        else { return nil }
        return Self.key(name, verdict)
      })
  }

  /// Returns `true` if a finding was already known.
  ///
  /// A failure that has become a wrong value is a new finding.
  package func knows(_ judgement: Judgement) -> Bool {
    // A finding that became less severe is not new.
    let earlier: [Judgement.Verdict] =
      switch judgement.verdict {
      case .failed: [.failed, .wrong]
      case .small: [.small, .failed, .wrong]
      default: [judgement.verdict]
      }
    return judgement.verdict.isFinding
      && earlier.contains { findings.contains(Self.key(judgement.scenario.name, $0)) }
  }

  private static func key(_ name: String, _ verdict: Judgement.Verdict) -> String {
    "\(name) \(verdict.rawValue)"
  }
}

/// The reason why an audit is not possible.
package enum AuditError: Error {
  /// The bench cannot be set up.
  case bench(Failure)
  /// The program cannot be run: exit status and messages of `exec`.
  case program(Int32, [String])
  /// The format of the program's output is unknown.
  case output(OutputError)
  /// The audit was interrupted.
  case interrupted
}

/// Findings with the same cause.
package struct FindingGroup {
  package let cause: String
  /// `true` if the cause occurs on all benches.
  package let isCommon: Bool
  /// The findings, in the order of the scenarios.
  package private(set) var judgements: [Judgement]

  /// Groups judgements: common causes first, then the largest groups.
  package static func all(of judgements: [Judgement]) -> [FindingGroup] {
    var groups: [FindingGroup] = []
    for judgement in judgements where judgement.verdict.isFinding {
      if let index = groups.firstIndex(where: { $0.cause == judgement.cause }) {
        groups[index].judgements.append(judgement)
      } else {
        groups.append(
          FindingGroup(
            cause: judgement.cause, isCommon: judgement.common != nil, judgements: [judgement]))
      }
    }
    // Groups of equal size keep the order of the scenarios.
    return groups.enumerated().inOrder { one, other in
      if one.element.isCommon != other.element.isCommon { return one.element.isCommon }
      let (here, there) = (one.element.judgements.count, other.element.judgements.count)
      return here == there ? one.offset < other.offset : here > there
    }.map(\.element)
  }
}
