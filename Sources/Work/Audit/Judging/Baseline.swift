package import Files
import Runs
import Text

/// What an earlier audit found, so that only new findings count.
package struct Baseline: Sendable {
  private let findings: Set<String>
  /// The quantities that were not judged then.
  package let missing: Set<String>

  /// Reads the JSON of an earlier audit.
  ///
  /// - Throws: `Failure` when it is missing or is none.
  package init(_ path: String) throws(Failure) {
    let text = try TextFile.read(path)
    guard let scenarios = JSONValue(reading: text.utf8)?["scenarios"]?.array,
      scenarios.allSatisfy({ $0.object != nil })
    else {
      throw Failure(
        .badContent, "\(path): this is no audit (aneroid audit --format json writes one)")
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

  /// Whether a finding was there before; a failure that has become a wrong value was not.
  package func knows(_ judgement: Judgement) -> Bool {
    // What has become less bad is not new.
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
