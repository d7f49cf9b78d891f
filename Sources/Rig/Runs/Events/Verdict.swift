public import Rigs

/// The judgement of a run.
public struct Verdict: Hashable, Sendable {
  /// The judgement of one expectation.
  public struct Finding: Hashable, Sendable {
    /// What was expected.
    public let expectation: Expectation
    /// Whether it was met.
    public let passed: Bool
    /// What was seen.
    public let detail: String
    /// When that was, in nanoseconds since the start of the run, if it was at one time.
    public let time: UInt64?
  }

  /// The end of the run, in nanoseconds since its start.
  public let time: UInt64
  /// One finding for each expectation, in the order of the rig.
  public let findings: [Finding]

  /// How many expectations were not met.
  public var failed: Int { findings.count { !$0.passed } }
  /// Whether every expectation was met.
  public var passed: Bool { failed == 0 }
}
