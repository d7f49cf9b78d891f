import Text

/// Findings as JUnit XML, a test case for each.
///
/// What is wrong has failed; what was wrong before, and what was not looked at, is skipped.
package enum JUnit {
  /// The document, its last line ended.
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
    let result =
      switch finding.severity {
      case .passed, .note, .warning: "<system-out>\(detail)</system-out>"
      case .skipped: "<skipped message=\"\(detail)\"/>"
      case .known: "<skipped message=\"known: \(detail)\"/>"
      case .error: "<failure message=\"\(detail)\">\(detail)</failure>"
      }
    let file = finding.place.map { " file=\"\(XML.escaped($0.file))\"" } ?? ""
    let line = finding.place?.line.map { " line=\"\($0)\"" } ?? ""
    return """
          <testcase name="\(XML.escaped(finding.rule))" classname="\(XML.escaped(group))"\(file)\(line) \
      time="\(Decimal.fixed(finding.seconds, 3))">
            \(result)
          </testcase>

      """
  }
}
