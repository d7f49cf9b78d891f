import Reports

/// The lines with which GitHub Actions marks a run.
public enum Annotations {
  /// An error for each new finding, a notice for each that is known.
  public static func lines(_ result: AuditRun.Result, baseline: Baseline?) -> [String] {
    result.judgements.filter(\.verdict.isFinding).map { judgement in
      let command = baseline?.knows(judgement) == true ? "notice" : "error"
      return GitHubCommand.line(
        command, title: "aneroid audit: \(judgement.scenario.name)", judgement.sentence)
    }
  }
}
