import Text
package import VirtualParts

extension FidelityLedger {
  /// The fidelity page of the documentation, in Markdown.
  package var page: String {
    var lines = [
      "# \(title)",
      "",
      "Where the model behaves like the chip, what it assumes about undocumented behavior, and what it leaves out.",
      "",
      "## Overview",
      "",
    ]
    lines += preface + [""]
    for (title, facts) in chapters {
      let rows = facts.map { [$0.statement, $0.source, $0.test] }
      lines += ["### \(title)", ""] + MarkdownTable(["fact", "source", "test"], rows).lines + [""]
    }
    lines += [
      "### Assumptions",
      "",
      "Each is a key of a device in a rig, under `unknown`; the first answer is the default.",
      "",
    ]
    lines +=
      MarkdownTable(
        ["key", "answers", "evidence", "test"],
        assumptions.map { ["`\($0.key)`", $0.answers, $0.evidence, $0.test] }
      ).lines
    lines += ["", "### Shortcuts", ""]
    lines +=
      MarkdownTable(
        ["left out", "what it means"], shortcuts.map { [$0.statement, $0.consequence] }
      ).lines
    return lines.joined(separator: "\n") + "\n"
  }
}
