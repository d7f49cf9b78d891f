package import Findings

extension AuditRun.Result {
  /// What the audit found, scenario by scenario.
  ///
  /// - Parameter baseline: what was known before.
  /// - Returns: the findings, in the order of the scenarios.
  package func inspection(baseline: Baseline?) -> Inspection {
    var inspection = Inspection(
      "aneroid audit", of: program.joined(separator: " "),
      nouns: Inspection.Nouns(rule: "scenario", message: "shown", defect: "show a defect"),
      judgements.map { $0.finding(isKnown: baseline?.knows($0) == true) })
    inspection.group = "aneroid.audit"
    inspection.seconds = seconds
    inspection.hasBaseline = baseline != nil
    inspection.remarks = ("On the bus:", ConductSummary(judgements).lines)
    return inspection
  }
}

extension Judgement {
  fileprivate func finding(isKnown: Bool) -> Finding {
    let severity: Finding.Severity =
      switch verdict {
      case .notRun: .skipped
      case .right, .reported: .passed
      case .wrong, .failed, .small: isKnown ? .known : .error
      }
    var finding = Finding(severity, scenario.name, sentence)
    finding.summary = scenario.summary
    finding.word = verdict.rawValue
    finding.seconds = seconds
    if verdict.isFinding { finding.evidence = evidence }
    return finding
  }

  private var evidence: [Finding.Evidence] {
    let causes = (likely.prefix(3) + alsoLikely).map { "\($0.classID) \($0.title)" }
    return [
      Finding.Evidence(
        "shown",
        differences.isEmpty ? reason : differences.map(\.shown).joined(separator: ", ")),
      Finding.Evidence("right", differences.map(\.right).joined(separator: ", ")),
      Finding.Evidence("likely", causes.joined(separator: "; ")),
    ]
  }

  /// Everything in one sentence.
  private var sentence: String {
    var parts: [String] = []
    switch verdict {
    case .right: parts.append(shown.joined(separator: ", "))
    case .wrong, .small:
      parts.append(differences.map(\.sentence).joined(separator: "; "))
      parts.append(reason)
    default: parts.append(reason)
    }
    if verdict.isFinding { parts.append(scenario.summary) }
    if !likely.isEmpty {
      parts.append(
        "likely " + likely.prefix(3).map { "\($0.classID) \($0.title)" }.joined(separator: "; "))
    }
    if !alsoLikely.isEmpty {
      parts.append(
        "by the last digits also "
          + alsoLikely.map { "\($0.classID) \($0.title)" }.joined(separator: "; "))
    }
    return parts.filter { !$0.isEmpty }.joined(separator: ". ")
  }
}
