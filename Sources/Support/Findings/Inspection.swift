/// The subject of a command and all its findings.
package struct Inspection {
  /// The words that a command uses for its findings in headings and in the summary.
  package struct Nouns {
    /// The heading for rules, such as `scenario` or `expectation`.
    package var rule: String
    /// The heading for messages, such as `shown` or `found`.
    package var message: String
    /// The end of the summary, after the number of problems: `show a defect` in "2 of 9 scenarios
    /// show a defect".
    package var defect: String

    package init(rule: String, message: String, defect: String) {
      self.rule = rule
      self.message = message
      self.defect = defect
    }
  }

  /// The command, such as `aneroid audit`.
  package var command: String
  /// The subject of the command: a rig, a program or a trace; empty for the machine.
  package var subject: String
  /// The name of the test suite, and the class name of each test, in the JUnit format.
  ///
  /// Default: derived from the command and the subject.
  package var suite: String, group: String
  /// The headings for the findings.
  package var nouns: Nouns
  /// The findings in order.
  package var findings: [Finding]
  /// The wall-clock duration of the command in seconds.
  package var seconds = 0.0
  /// Whether findings were compared with a baseline.
  package var hasBaseline = false
  /// Additional notes and their heading.
  package var notes: (title: String, lines: [String]) = ("", [])

  /// Creates an inspection.
  ///
  /// - Parameters:
  ///   - command: the command, such as `aneroid audit`.
  ///   - subject: the subject of the command.
  ///   - suite: the name of the test suite and class. Default: derived from the command and the
  ///     subject.
  ///   - nouns: the headings for the findings.
  ///   - findings: the findings in order.
  package init(
    _ command: String, of subject: String = "", suite: String? = nil, nouns: Nouns,
    _ findings: [Finding]
  ) {
    self.command = command
    self.subject = subject
    self.suite = suite ?? (subject.isEmpty ? command : "\(command) \(subject)")
    group = suite ?? command.replacing(" ", with: ".")
    self.nouns = nouns
    self.findings = findings
  }

  /// Returns the number of findings with a severity.
  package func count(_ severity: Finding.Severity) -> Int {
    findings.count { $0.severity == severity }
  }
}

/// The output of findings as one JSON object.
package enum InspectionJSON {
  /// Returns the object on one line.
  package static func text(_ inspection: Inspection) -> String {
    let object = JSONValue.object([
      ("command", .string(inspection.command)), ("subject", .string(inspection.subject)),
      ("errors", .integer(inspection.count(.error))),
      ("warnings", .integer(inspection.count(.warning))),
      ("findings", .array(inspection.findings.map(\.json))),
    ])
    return object.compact + "\n"
  }
}

extension Finding {
  /// The finding as a JSON object, without fields whose value is unknown.
  fileprivate var json: JSONValue {
    var fields: [(key: String, value: JSONValue)] = [
      ("rule", .string(rule)), ("severity", .string(severity.rawValue)),
    ]
    if let location {
      fields.append(("file", .string(location.file)))
      if let line = location.line { fields.append(("line", .integer(line))) }
      if let column = location.column { fields.append(("column", .integer(column))) }
    }
    fields.append(("message", .string(message)))
    if !evidence.isEmpty {
      fields.append(
        (
          "evidence",
          .array(
            evidence.map {
              .object(
                [("name", .string($0.name)), ("text", .string($0.text))]
                  + ($0.value.map { [("value", $0)] } ?? []))
            })
        ))
    }
    return .object(fields)
  }
}

/// The output of findings as a Markdown table for pull requests, with problems first and a column
/// for each kind of evidence.
package enum InspectionMarkdown {
  /// Returns the text, which ends with a line ending.
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
    let (title, notes) = inspection.notes
    if !notes.isEmpty {
      lines += ["", title, ""] + notes.map { "- \(MarkdownTable.cell($0))" }
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
        let texts = finding.evidence.filter { $0.name == column }.map(\.text)
        return texts.isEmpty && column == nouns.message
          ? finding.located : texts.joined(separator: "; ")
      }
      return [MarkdownTable.cell(rule), verdict] + cells.map(MarkdownTable.cell)
    }
    return MarkdownTable([nouns.rule, "verdict"] + columns, rows)
  }
}

extension Finding {
  /// The command's own name for the severity, or the general name.
  fileprivate var verdict: String { word ?? severity.rawValue }

  /// The message, followed by its location if the line is known.
  fileprivate var located: String {
    location.flatMap { location in location.line.map { _ in "\(message) (\(location.text))" } }
      ?? message
  }
}

/// The output of findings as JUnit XML, with one test case for each finding.
///
/// Errors become failed tests; known errors and skipped checks become skipped tests.
package enum JUnit {
  /// Returns the document, which ends with a line ending.
  package static func text(_ inspection: Inspection) -> String {
    let counts = """
      tests="\(inspection.findings.count)" failures="\(inspection.count(.error))" errors="0" \
      skipped="\(inspection.count(.skipped) + inspection.count(.known))" \
      time="\(Decimal.fixed(inspection.seconds, 3))"
      """
    let cases = inspection.findings.map { testCase($0, in: inspection.group) }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts)>
        <testsuite name="\(XML.escaped(inspection.suite))" \(counts)>
      \(cases)  </testsuite>
      </testsuites>

      """
  }

  private static func testCase(_ finding: Finding, in group: String) -> String {
    let detail = XML.escaped(finding.message)
    let text = finding.messageLines.map(XML.escaped).joined(separator: "\n")
    let result =
      switch finding.severity {
      case .passed, .note, .warning: "<system-out>\(text)</system-out>"
      case .skipped: "<skipped message=\"\(detail)\"/>"
      case .known: "<skipped message=\"known: \(detail)\"/>"
      case .error: "<failure message=\"\(detail)\">\(text)</failure>"
      }
    let file = finding.location.map { " file=\"\(XML.escaped($0.file))\"" } ?? ""
    let line = finding.location?.line.map { " line=\"\($0)\"" } ?? ""
    return """
          <testcase name="\(XML.escaped(finding.rule))" classname="\(XML.escaped(group))"\(file)\(line) \
      time="\(Decimal.fixed(finding.seconds, 3))">
            \(result)
          </testcase>

      """
  }
}

/// The output of findings as annotations for GitHub Actions.
///
/// Errors are annotated as errors, warnings as warnings, and notes and known errors as notices.
package enum GitHubAnnotations {
  /// Returns the lines without line endings.
  ///
  /// Passed and skipped checks have no line.
  package static func lines(_ inspection: Inspection) -> [String] {
    inspection.findings.compactMap { finding in
      switch finding.severity {
      case .passed, .skipped: nil
      case .note, .known: line("notice", finding, in: inspection)
      case .warning: line("warning", finding, in: inspection)
      case .error: line("error", finding, in: inspection)
      }
    }
  }

  /// Returns a plain log line if no finding is annotated; otherwise `nil`.
  package static func summary(_ inspection: Inspection) -> String? {
    guard lines(inspection).isEmpty else { return nil }
    let passed = inspection.findings.count { $0.severity == .passed }
    let skipped = inspection.findings.count { $0.severity == .skipped }
    let rule = inspection.nouns.rule
    let title = [inspection.command, inspection.subject].filter { !$0.isEmpty }
      .joined(separator: ": ").visibleLines
    return "\(title): \(passed == 0 ? "no \(rule)" : rule.counted(passed)) passed"
      + (skipped > 0 ? ", \(skipped) skipped" : "")
  }

  /// Returns an annotation, titled with the subject if the finding is in a file, otherwise with the
  /// rule.
  private static func line(
    _ command: String, _ finding: Finding, in inspection: Inspection
  ) -> String {
    let heading = finding.location == nil ? finding.rule : inspection.subject
    let lines = finding.messageLines.joined(separator: "\n")
    let message = finding.location == nil ? lines : "\(finding.rule): \(lines)"
    var properties: [String] = []
    if let location = finding.location {
      properties.append("file=\(property(location.file))")
      if let line = location.line { properties.append("line=\(line)") }
      if let column = location.column { properties.append("col=\(column)") }
    }
    let title = [inspection.command, heading].filter { !$0.isEmpty }.joined(separator: ": ")
    properties.append("title=\(property(title))")
    return "::\(command) \(properties.joined(separator: ","))::\(escaped(message.visibleLines))"
  }

  private static func property(_ text: String) -> String {
    escaped(text.visible).replacing(":", with: "%3A").replacing(",", with: "%2C")
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
  }
}
