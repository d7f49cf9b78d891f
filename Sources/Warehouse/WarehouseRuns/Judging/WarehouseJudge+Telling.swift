import Text

extension WarehouseJudge {
  /// Tells what was delivered, each finding, and the verdict.
  ///
  /// - Parameter say: takes an event: what it is, its fields, and its line for people.
  /// - Returns: whether every expectation was met.
  func tell(
    _ say: (WarehouseEvent.Kind, [(key: String, value: JSONValue)], String) -> Void
  ) -> Bool {
    record.summary(say)
    let findings = findings
    for finding in findings {
      say(
        .expectation,
        [
          ("expectation", .string(finding.title)), ("passed", .bool(finding.passed)),
          ("detail", .string(finding.detail)),
        ], "\(finding.passed ? "met" : "NOT MET")  \(finding.title): \(finding.detail)")
    }
    let failed = findings.count { !$0.passed }
    say(
      .verdict,
      [
        ("passed", .bool(failed == 0)), ("expectations", .integer(findings.count)),
        ("failed", .integer(failed)),
      ],
      failed == 0
        ? "all \("expectation".counted(findings.count)) met"
        : "\("expectation".counted(failed)) not met")
    return failed == 0
  }
}
