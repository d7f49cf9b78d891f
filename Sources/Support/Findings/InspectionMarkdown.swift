import Text

/// Findings for pull requests: a table in Markdown, what is wrong first, with a column for each kind of evidence.
package enum InspectionMarkdown {
  /// The text, its last line ended.
  package static func text(_ inspection: Inspection) -> String {
    let wrong = inspection.findings.filter(\.severity.isFinding)
    let rest = inspection.findings.filter { !$0.severity.isFinding }
    let nouns = inspection.nouns
    let subject = inspection.subject.visible.replacing("`", with: "'")
    var lines = [
      "### \(inspection.command)" + (subject.isEmpty ? "" : ": `\(subject)`"), "",
      headline(inspection, wrong),
    ]
    if !wrong.isEmpty { lines += [""] + table(wrong, nouns).lines }
    if !rest.isEmpty {
      lines += ["", "<details><summary>\(rest.count) without a finding</summary>", ""]
      lines +=
        MarkdownTable(
          [nouns.rule, "verdict", nouns.message],
          rest.map { [$0.rule, $0.verdict, $0.message].map(MarkdownTable.cell) }
        ).lines
      lines += ["", "</details>"]
    }
    let (title, remarks) = inspection.remarks
    if !remarks.isEmpty {
      lines += ["", title, ""] + remarks.map { "- \(MarkdownTable.cell($0))" }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func headline(_ inspection: Inspection, _ wrong: [Finding]) -> String {
    let nouns = inspection.nouns
    let all = inspection.findings.count
    guard !wrong.isEmpty else { return "Nothing wrong in \(nouns.rule.counted(all))." }
    let new = wrong.count { $0.severity != .known }
    return "**\(wrong.count) of \(nouns.rule.counted(all)) \(nouns.defect)**"
      + (inspection.hasBaseline ? ", \(new) of them new." : ".")
  }

  private static func table(
    _ findings: [Finding], _ nouns: Inspection.Nouns
  ) -> MarkdownTable {
    var columns = [nouns.message]
    for evidence in findings.flatMap(\.evidence) where !columns.contains(evidence.name) {
      columns.append(evidence.name)
    }
    let rows = findings.map { finding -> [String] in
      let rule = [finding.rule, finding.summary].compactMap { $0 }.joined(separator: ": ")
      let verdict = "**\(finding.verdict)\(finding.severity == .known ? " (known)" : "")**"
      let cells = columns.map { column in
        let told = finding.evidence.filter { $0.name == column }.map(\.text)
        return told.isEmpty && column == nouns.message
          ? finding.located : told.joined(separator: "; ")
      }
      return [MarkdownTable.cell(rule), verdict] + cells.map(MarkdownTable.cell)
    }
    return MarkdownTable([nouns.rule, "verdict"] + columns, rows)
  }
}

extension Finding {
  /// The severity as its command calls it.
  fileprivate var verdict: String { word ?? severity.rawValue }

  /// The message, and the line that it is about.
  fileprivate var located: String {
    place.flatMap { place in place.line.map { _ in "\(message) (\(place.text))" } } ?? message
  }
}
