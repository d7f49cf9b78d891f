import Reports
import Text

/// An audit as JUnit XML, a test case for each scenario.
public enum AuditJUnit {
  /// The document.
  ///
  /// Findings that a baseline knows, and scenarios that did not take place, are skipped.
  public static func text(_ result: AuditRun.Result, baseline: Baseline?) -> String {
    let judgements = result.judgements
    let failures = judgements.count { $0.verdict.isFinding && baseline?.knows($0) != true }
    let skipped = judgements.count {
      $0.verdict == .missed || $0.verdict.isFinding && baseline?.knows($0) == true
    }
    let counts = """
      tests="\(judgements.count)" failures="\(failures)" errors="0" skipped="\(skipped)" \
      time="\(Decimal.fixed(result.seconds, 3))"
      """
    let name = XML.escaped("aneroid audit " + result.program.joined(separator: " "))
    let cases = judgements.map { testCase($0, isKnown: baseline?.knows($0) == true) }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <testsuites \(counts)>
        <testsuite name="\(name)" \(counts)>
      \(cases)  </testsuite>
      </testsuites>

      """
  }

  private static func testCase(_ judgement: Judgement, isKnown: Bool) -> String {
    let detail = XML.escaped(judgement.sentence)
    let content: String
    switch judgement.verdict {
    case .missed: content = "<skipped message=\"\(detail)\"/>"
    case .wrong, .failed, .small:
      content =
        isKnown
        ? "<skipped message=\"known: \(detail)\"/>"
        : "<failure message=\"\(detail)\">\(detail)</failure>"
    case .right, .told: content = "<system-out>\(detail)</system-out>"
    }
    return """
          <testcase name="\(judgement.scenario.name)" classname="aneroid.audit" \
      time="\(Decimal.fixed(judgement.seconds, 3))">
            \(content)
          </testcase>

      """
  }
}

extension Judgement {
  /// Everything in one sentence.
  var sentence: String {
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
    if !beside.isEmpty {
      parts.append(
        "by the last digits also "
          + beside.map { "\($0.classID) \($0.title)" }.joined(separator: "; "))
    }
    return parts.filter { !$0.isEmpty }.joined(separator: ". ")
  }
}
