/// A form in which the findings of any command are told.
package enum FindingFormat: String, CaseIterable, Sendable {
  /// One JSON object.
  case json
  /// JUnit XML, a test case for each finding.
  case junit
  /// Workflow commands of GitHub Actions, a line for each finding that is not as it should be; one plain line if there is none.
  case github
  /// A table for a pull request.
  case markdown

  /// The findings in this form, the last line ended.
  package func text(_ inspection: Inspection) -> String {
    switch self {
    case .json: InspectionJSON.text(inspection)
    case .junit: JUnit.text(inspection)
    case .github:
      (GitHubAnnotations.summary(inspection).map { [$0] } ?? GitHubAnnotations.lines(inspection))
        .map { $0 + "\n" }.joined()
    case .markdown: InspectionMarkdown.text(inspection)
    }
  }
}
