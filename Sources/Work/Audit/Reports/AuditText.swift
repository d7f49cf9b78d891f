import DriverDefects
import Quantities
import Runs
package import Text

/// An audit for people.
package struct AuditText {
  private let style: Style
  private let showsExpressions: Bool

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - style: how it looks.
  ///   - showsExpressions: whether the expressions are shown that were guessed.
  package init(_ style: Style, showsExpressions: Bool = false) {
    self.style = style
    self.showsExpressions = showsExpressions
  }

  /// The report.
  ///
  /// - Parameters:
  ///   - result: what came of the audit.
  ///   - baseline: what was known before.
  /// - Returns: its text, the last line ended.
  package func text(_ result: AuditRun.Result, baseline: Baseline?) -> String {
    var lines = [style(.bold, "audit of \(result.program.joined(separator: " "))")]
    lines += result.sample.map { "read in its output: \($0.visible)" }
    if showsExpressions { lines += result.guessed.map { "by guess: --match '\($0.visible)'" } }
    if !result.missing.isEmpty {
      let names = result.missing.map(\.rawValue).joined(separator: " and ")
      lines.append(
        "not judged: \(names): no number in the output was recognized as one; name it with --match, "
          + "or accept this with --ignore")
    }
    lines.append(
      result.pace.map { "a reading every \(Decimal.fixed($0, 2)) s of its time" }
        ?? "one reading a run")
    lines.append("")
    let width = result.judgements.map(\.scenario.name.count).max() ?? 0
    for judgement in result.judgements where !judgement.verdict.isFinding {
      lines += self.lines(judgement, width, isKnown: false)
    }
    lines += findings(result, width, baseline)
    lines += conduct(result) + ["", summary(result, baseline)] + next(result)
    return lines.map(TerminalText.line).joined(separator: "\n") + "\n"
  }

  /// How many scenarios of one cause are shown; the rest is named.
  private static let mostOfCause = 12

  /// What is wrong, cause by cause, what is common to all scenarios first.
  private func findings(
    _ result: AuditRun.Result, _ width: Int, _ baseline: Baseline?
  ) -> [String] {
    let groups = FindingGroup.all(of: result.judgements)
    var lines: [String] = []
    for (index, group) in groups.enumerated() {
      if index > 0, groups[index - 1].isCommon, !group.isCommon {
        lines += ["", style(.bold, "beyond that")]
      }
      let count = group.judgements.count
      lines += ["", "\(style(.bold, group.cause))  (\("scenario".counted(count)))"]
      for judgement in group.judgements.prefix(Self.mostOfCause) {
        let all = self.lines(judgement, width, isKnown: baseline?.knows(judgement) ?? false)
        // Where there are many, a line must do.
        lines += count > 4 ? [all[0]] : all
      }
      let rest = group.judgements.dropFirst(Self.mostOfCause).map(\.scenario.name)
      if !rest.isEmpty { lines.append("        and \(rest.joined(separator: ", "))") }
    }
    return lines
  }

  private func lines(_ judgement: Judgement, _ width: Int, isKnown: Bool) -> [String] {
    let word = judgement.verdict.rawValue.left(8)
    let look: Style.Look =
      switch judgement.verdict {
      case .right, .reported: .green
      case .wrong: .red
      case .failed, .small: .yellow
      case .notRun: .faint
      }
    var detail: String
    switch judgement.verdict {
    case .right:
      detail = (judgement.shown + [judgement.reason].filter { !$0.isEmpty }).joined(separator: "  ")
    case .wrong, .small:
      detail = judgement.differences.map(\.sentence).joined(separator: "; ")
    default: detail = judgement.reason
    }
    if isKnown { detail += "  (known)" }
    var lines = ["\(style(look, word))  \(judgement.scenario.name.left(width))  \(detail.visible)"]
    let indent = String(repeating: " ", count: 10 + width + 2)
    if judgement.verdict.isFinding {
      lines.append(indent + style(.faint, judgement.scenario.summary))
      if !judgement.differences.isEmpty { lines.append(indent + style(.faint, judgement.reason)) }
      // The first of them is the heading, unless something else is.
      for (id, title) in judgement.likely.prefix(4).dropFirst(judgement.common == nil ? 1 : 0) {
        lines.append("\(indent)likely \(style(.bold, id)) \(title)")
      }
      for (id, title) in judgement.alsoLikely {
        lines.append("\(indent)by the last digits also \(style(.bold, id)) \(title)")
      }
    }
    return lines
  }

  private func conduct(_ result: AuditRun.Result) -> [String] {
    let found = ConductSummary(result.judgements).lines
    return found.isEmpty ? [] : ["", style(.bold, "on the bus")] + found.map { "  \($0)" }
  }

  /// How to go on where something is wrong.
  private func next(_ result: AuditRun.Result) -> [String] {
    guard let first = result.judgements.first(where: { $0.verdict.isFinding }) else { return [] }
    return ["next: aneroid audit --show \(first.scenario.name), the bench of the first finding"]
  }

  private func summary(_ result: AuditRun.Result, _ baseline: Baseline?) -> String {
    let counts = Judgement.Verdict.allCases.compactMap { verdict -> String? in
      let count = result.judgements.count { $0.verdict == verdict }
      return count == 0 ? nil : "\(count) \(verdict.rawValue)"
    }
    var text = "\("scenario".counted(result.judgements.count)): \(counts.joined(separator: ", "))"
    if let baseline {
      let new = result.judgements.count { $0.verdict.isFinding && !baseline.knows($0) }
      text += "; \(new) new"
    }
    return text + " (\(Decimal.fixed(result.seconds, 1)) s)"
  }
}

/// What a program did wrong on the bus, over all scenarios.
struct ConductSummary {
  let lines: [String]

  init(_ judgements: [Judgement]) {
    var found: [(key: String, text: String, scenarios: [String])] = []
    for judgement in judgements {
      for finding in judgement.conduct {
        let key = finding.classID ?? finding.sentence
        if let index = found.firstIndex(where: { $0.key == key }) {
          if found[index].scenarios.last != judgement.scenario.name {
            found[index].scenarios.append(judgement.scenario.name)
          }
        } else {
          let id = finding.classID.map { "\($0) " } ?? ""
          found.append((key, id + finding.sentence, [judgement.scenario.name]))
        }
      }
    }
    lines = found.map { finding in
      let place =
        finding.scenarios.count == 1 ? finding.scenarios[0] : "\(finding.scenarios.count) scenarios"
      return "\(finding.text) (\(place))"
    }
  }
}
