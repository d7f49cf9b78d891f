package import Rigs

/// The judgement of a run.
package struct Verdict: Hashable, Sendable {
  /// The judgement of one expectation.
  package struct Finding: Hashable, Sendable {
    /// What was expected.
    package let expectation: Expectation
    /// Whether it was met.
    package let passed: Bool
    /// What was seen.
    package let detail: String
    /// When that was, in nanoseconds since the start of the run, if it was at one time.
    package let time: UInt64?
  }

  /// The end of the run, in nanoseconds since its start.
  package let time: UInt64
  /// One finding for each expectation, in the order of the rig.
  package let findings: [Finding]

  /// How many expectations were not met.
  package var failed: Int { findings.count { !$0.passed } }
  /// Whether every expectation was met.
  package var passed: Bool { failed == 0 }
}
