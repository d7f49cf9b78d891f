import BME280Model
import Diagnosis
import Quantities
import Rigs
import Runs
package import Support

/// The text report of an audit.
package struct AuditText {
  private let style: Style
  private let showsExpressions: Bool

  /// Creates a report.
  ///
  /// - Parameters:
  ///   - style: the text style.
  ///   - showsExpressions: `true` to print the inferred expressions.
  package init(_ style: Style, showsExpressions: Bool = false) {
    self.style = style
    self.showsExpressions = showsExpressions
  }

  /// Formats the report.
  ///
  /// - Parameters:
  ///   - result: the result of the audit.
  ///   - baseline: the known findings.
  /// - Returns: the text, ending with a newline.
  package func text(_ result: AuditRun.Result, baseline: Baseline?) -> String {
    var lines = [style(.bold, "audit of \(result.program.joined(separator: " "))")]
    lines += result.sample.map { "values in its output: \($0.visible)" }
    if showsExpressions { lines += result.guessed.map { "inferred: --match '\($0.visible)'" } }
    if !result.missing.isEmpty {
      let names = result.missing.map(\.name).joined(separator: " and ")
      lines.append(
        "not judged: \(names): not found in the output; specify the format with --match, "
          + "or use --ignore")
    }
    let showsNothing = result.judgements.allSatisfy { $0.readings == 0 }
    lines.append(
      result.pace.map { "one reading every \(Decimal.fixed($0, 2)) s of virtual time" }
        ?? (showsNothing ? "no reading" : "one reading per run"))
    lines.append("")
    let width = result.judgements.map(\.scenario.name.count).max() ?? 0
    for judgement in result.judgements where !judgement.verdict.isFinding {
      lines += self.lines(judgement, width, isKnown: false)
    }
    lines += findings(result, width, baseline)
    lines += conduct(result) + ["", summary(result, baseline)] + next(result)
    return lines.map(TerminalText.line).joined(separator: "\n") + "\n"
  }

  /// The maximum number of scenarios listed in detail per cause.
  private static let mostOfCause = 12

  /// Returns the lines about the findings, grouped by cause, with common causes first.
  private func findings(
    _ result: AuditRun.Result, _ width: Int, _ baseline: Baseline?
  ) -> [String] {
    let groups = FindingGroup.all(of: result.judgements)
    var lines: [String] = []
    for (index, group) in groups.enumerated() {
      if index > 0, groups[index - 1].isCommon, !group.isCommon {
        lines += ["", style(.bold, "in addition")]
      }
      let count = group.judgements.count
      lines += ["", "\(style(.bold, group.cause))  (\("scenario".counted(count)))"]
      for judgement in group.judgements.prefix(Self.mostOfCause) {
        let all = self.lines(judgement, width, isKnown: baseline?.knows(judgement) ?? false)
        // In a large group, each finding takes one line.
        lines += count > 4 ? [all[0]] : all
      }
      let rest = group.judgements.dropFirst(Self.mostOfCause).map(\.scenario.name)
      if !rest.isEmpty { lines.append("        and \(rest.joined(separator: ", "))") }
    }
    return lines
  }

  /// The faults of a bench; of more than six, the first ones that fired and the last one.
  private func faultLines(of judgement: Judgement) -> [String] {
    let texts = judgement.faults.map { "fault: \($0.evidence.text)" }
    guard texts.count > 6 else { return texts }
    let fired = zip(texts, judgement.faults).filter { $1.count > 0 }.map(\.0)
    let rest = "faults: \(fired.count) of \(texts.count) fired"
    return fired.count > 3
      ? Array(fired.prefix(2)) + [fired[fired.count - 1], rest] : fired + [rest]
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
      lines += faultLines(of: judgement).map { indent + style(.faint, $0) }
      // The first likely defect is already in the heading, unless the cause is common.
      for (id, title) in judgement.likely.prefix(4).dropFirst(judgement.common == nil ? 1 : 0) {
        lines.append("\(indent)likely \(style(.bold, id)) \(title)")
      }
      for (id, title) in judgement.alsoLikely {
        lines.append("\(indent)also, by the last digits, \(style(.bold, id)) \(title)")
      }
    }
    return lines
  }

  /// Returns the lines about the smallest bench that still gives a finding.
  private func lines(_ smallest: SmallestBench) -> [String] {
    let judgement = smallest.judgement
    let differences = judgement.differences.map(\.sentence).joined(separator: "; ")
    return [
      "", style(.bold, "the smallest bench for \(smallest.origin)"),
      (differences.isEmpty ? judgement.reason : differences).visible, "",
    ] + smallest.rig.split(separator: "\n").map { "  \($0)" }
  }

  private func conduct(_ result: AuditRun.Result) -> [String] {
    let found = ConductSummary(result.judgements).lines
    return found.isEmpty ? [] : ["", style(.bold, "on the bus")] + found.map { "  \($0)" }
  }

  /// The suggested next command if there are findings.
  private func next(_ result: AuditRun.Result) -> [String] {
    if !result.smallest.isEmpty { return result.smallest.flatMap(lines) }
    guard let first = result.judgements.first(where: { $0.verdict.isFinding }) else { return [] }
    let part = first.scenario.auditedPart.map { ["--part", $0.word] } ?? []
    let command = ShellCommand.text(["aneroid", "audit"] + part + ["--show", first.scenario.name])
    return ["next: \(command) (the bench of the first finding)"]
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

/// The bus errors of a program in all scenarios, one line per error.
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

extension AuditRun.Result {
  /// Converts the result to findings, one per scenario.
  ///
  /// - Parameter baseline: the known findings.
  /// - Returns: the findings, in the order of the scenarios.
  package func inspection(baseline: Baseline?) -> Inspection {
    var inspection = Inspection(
      "aneroid audit", of: program.joined(separator: " "),
      nouns: Inspection.Nouns(rule: "scenario", message: "shown", defect: "show a defect"),
      judgements.map { $0.finding(isKnown: baseline?.knows($0) == true) })
    inspection.group = "aneroid.audit"
    inspection.seconds = seconds
    inspection.hasBaseline = baseline != nil
    inspection.notes = ("On the bus:", ConductSummary(judgements).lines)
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
    finding.evidence =
      (verdict.isFinding ? evidence : [])
      + faults.map { Finding.Evidence("fault", $0.evidence.text, $0.value) }
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

  /// The judgement as one sentence.
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
        "also, by the last digits, "
          + alsoLikely.map { "\($0.classID) \($0.title)" }.joined(separator: "; "))
    }
    return parts.filter { !$0.isEmpty }.joined(separator: ". ")
  }
}

/// The JSON report of an audit, which can be used as a baseline.
package enum AuditJSON {
  /// Formats the report as one JSON object on one line.
  package static func text(_ result: AuditRun.Result) -> String {
    func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
    let object = JSONValue.object([
      ("audit", strings(result.program)),
      ("guessed", strings(result.guessed)),
      ("missing", strings(result.missing.map(\.name))),
      ("findings", .integer(result.judgements.count { $0.verdict.isFinding })),
      ("scenarios", .array(result.judgements.map(\.json))),
      ("conduct", strings(ConductSummary(result.judgements).lines)),
      (
        "smallest",
        .array(
          result.smallest.map {
            .object([
              ("of", .string($0.origin)), ("rig", .string($0.rig)),
              ("judgement", $0.judgement.json),
            ])
          })
      ),
      ("seconds", .decimal(result.seconds)),
    ])
    return object.compact + "\n"
  }
}

extension Judgement {
  fileprivate var json: JSONValue {
    func strings(_ values: [String]) -> JSONValue { .array(values.map(JSONValue.string)) }
    func classes(_ items: [(classID: String, title: String)]) -> JSONValue {
      .array(
        items.map { .object([("class", .string($0.classID)), ("title", .string($0.title))]) })
    }
    return .object([
      ("scenario", .string(scenario.name)), ("summary", .string(scenario.summary)),
      ("exposes", strings(scenario.classes)), ("verdict", .string(verdict.rawValue)),
      ("reason", .string(reason)), ("cause", .string(verdict.isFinding ? cause : "")),
      ("shown", strings(shown)),
      (
        "differences",
        .array(
          differences.map {
            .object([
              ("quantity", .string($0.quantity.name)), ("shown", .string($0.shown)),
              ("right", .string($0.right)),
            ])
          })
      ),
      ("likely", classes(likely)), ("beside", classes(alsoLikely)),
      ("faults", .array(faults.map(\.value))),
      (
        "conduct",
        .array(
          conduct.map {
            .object([
              ("class", .string($0.classID ?? "")), ("sentence", .string($0.sentence)),
              ("count", .integer($0.count)),
            ])
          })
      ),
      ("readings", .integer(readings)), ("seconds", .decimal(seconds)),
    ])
  }
}
