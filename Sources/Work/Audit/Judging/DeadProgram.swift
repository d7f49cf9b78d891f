import DriverDefects
import DriverDiagnosis
import Runs

/// A program that talks to the part of the calm bench and ends with an error before it shows anything.
struct DeadProgram {
  private let outcome: Outcome

  /// Nothing for a program that ended well, went on, or never reached the part.
  init?(_ outcome: Outcome) {
    guard let status = outcome.status, status != 0, let evidence = outcome.evidence,
      evidence.transfers > evidence.failures
    else { return nil }
    self.outcome = outcome
  }

  /// The judgement: what it said, and what it did wrong on the bus.
  func judgement(_ calm: Scenario) -> Judgement { Judge(calm, quantities: []).judge(outcome) }
}

extension Outcome {
  /// What the program did on the bus, for one that shows nothing.
  var onTheBus: String {
    guard let evidence else { return "it made no transfer with the part" }
    let wrong = evidence.findings.prefix(3).map { "; \($0.sentence)" }.joined()
    let failed = evidence.failures == 0 ? "" : ", of which \(evidence.failures) failed"
    return "it made \(evidence.transfers) transfers with the part\(failed)\(wrong)"
  }
}
