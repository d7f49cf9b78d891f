package import Findings
package import Rigs
package import Runs
import Text

extension Verdict {
  /// What the run found, an answer to each expectation.
  ///
  /// - Parameters:
  ///   - rig: what ran.
  ///   - seconds: how long the run took by the wall clock.
  /// - Returns: the findings, in the order of the rig.
  package func inspection(of rig: Rig, seconds: Double) -> Inspection {
    var inspection = Inspection(
      "aneroid run", of: rig.name, suite: rig.name,
      nouns: Inspection.Nouns(rule: "expectation", message: "seen", defect: "were not met"),
      findings.map { $0.finding(in: rig) })
    inspection.seconds = seconds
    return inspection
  }
}

extension Verdict.Finding {
  fileprivate func finding(in rig: Rig) -> Findings.Finding {
    Findings.Finding(
      passed ? .passed : .error, expectation.title,
      at: Findings.Finding.Place(file: rig.file, line: expectation.line), detail,
      evidence: time.map { [Findings.Finding.Evidence("time", Decimal.elapsed($0))] } ?? [])
  }
}
