import Text

/// The lines with which GitHub Actions marks a run: an error for what is wrong, a notice for what was wrong before.
package enum GitHubAnnotations {
  /// The lines, without their ends; none for what is as it should be or was not looked at.
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

  /// The line of a log that says that nothing is wrong, which is no annotation; `nil` if there are annotations.
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

  /// What stands in a file is headed by its subject, everything else by its rule.
  private static func line(
    _ command: String, _ finding: Finding, in inspection: Inspection
  ) -> String {
    let heading = finding.place == nil ? finding.rule : inspection.subject
    let message = finding.place == nil ? finding.message : "\(finding.rule): \(finding.message)"
    var properties: [String] = []
    if let place = finding.place {
      properties.append("file=\(property(place.file))")
      if let line = place.line { properties.append("line=\(line)") }
      if let column = place.column { properties.append("col=\(column)") }
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
