import Text

/// An audit for pull requests: a table in Markdown.
public enum AuditMarkdown {
  /// The table, findings first.
  public static func text(_ result: AuditRun.Result, baseline: Baseline?) -> String {
    let findings = result.judgements.filter(\.verdict.isFinding)
    let rest = result.judgements.filter { !$0.verdict.isFinding }
    let new = findings.count { baseline?.knows($0) != true }
    var lines = [
      "### aneroid audit: `\(result.program.joined(separator: " ").visible.replacing("`", with: "'"))`",
      "",
      findings.isEmpty
        ? "Nothing wrong in \(result.judgements.count) scenarios."
        : "**\(findings.count) of \(result.judgements.count) scenarios show a defect**"
          + (baseline == nil ? "." : ", \(new) of them new."), "",
      "| scenario | verdict | shown | right | likely |", "|---|---|---|---|---|",
    ]
    lines += findings.map { row($0, isKnown: baseline?.knows($0) == true) }
    if !rest.isEmpty {
      lines += [
        "", "<details><summary>\(rest.count) without a finding</summary>", "",
        "| scenario | verdict | shown |", "|---|---|---|",
      ]
      lines += rest.map {
        let shown = $0.verdict == .right ? $0.shown.joined(separator: ", ") : $0.reason
        return "| \($0.scenario.name) | \($0.verdict.rawValue) | \(escaped(shown)) |"
      }
      lines += ["", "</details>"]
    }
    let conduct = ConductSummary(result.judgements).lines
    if !conduct.isEmpty { lines += ["", "On the bus:", ""] + conduct.map { "- \(escaped($0))" } }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(_ judgement: Judgement, isKnown: Bool) -> String {
    let differences = judgement.differences
    let shown =
      differences.isEmpty ? judgement.reason : differences.map(\.shown).joined(separator: ", ")
    let likely = (judgement.likely.prefix(3) + judgement.beside).map { "\($0.classID) \($0.title)" }
      .joined(separator: "; ")
    let word = judgement.verdict.rawValue + (isKnown ? " (known)" : "")
    return
      "| \(judgement.scenario.name): \(judgement.scenario.summary) | **\(word)** | \(escaped(shown)) "
      + "| \(differences.map(\.right).joined(separator: ", ")) | \(escaped(likely)) |"
  }

  private static func escaped(_ text: String) -> String {
    text.visible.replacing("|", with: "\\|").replacing("<", with: "&lt;")
  }
}
