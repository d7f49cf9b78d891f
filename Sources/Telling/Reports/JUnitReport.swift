public import Rigs
public import Runs
import Text

/// The findings of a verdict as JUnit XML, a test case for each expectation.
public enum JUnitReport {
  /// The XML document of a judged rig.
  ///
  /// - Parameters:
  ///   - verdict: the judgement of the run.
  ///   - rig: what ran.
  ///   - seconds: how long the run took by the wall clock.
  /// - Returns: the document, its last line ended.
  public static func document(_ verdict: Verdict, of rig: Rig, seconds: Double) -> String {
    let time = Decimal.fixed(seconds, 3)
    let counts = """
      tests="\(verdict.findings.count)" failures="\(verdict.failed)" errors="0" skipped="0" \
      time="\(time)"
      """
    let cases = verdict.findings.map { testCase($0, of: rig) }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts)>
        <testsuite name="\(XML.escaped(rig.name))" \(counts)>
      \(cases)  </testsuite>
      </testsuites>

      """
  }

  private static func testCase(_ finding: Verdict.Finding, of rig: Rig) -> String {
    let detail = XML.escaped(finding.detail)
    let result =
      finding.passed
      ? "<system-out>\(detail)</system-out>"
      : "<failure message=\"\(detail)\">\(detail)</failure>"
    return """
          <testcase name="\(XML.escaped(finding.expectation.title))" classname="\(XML.escaped(rig.name))" \
      file="\(XML.escaped(rig.file))" line="\(finding.expectation.line)" time="0.000">
            \(result)
          </testcase>

      """
  }
}
