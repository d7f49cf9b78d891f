/// The result of one check.
package struct Finding: Error, Hashable, Sendable {
  /// The severity of a finding.
  package enum Severity: String, Hashable, Sendable, CaseIterable {
    /// The check passed.
    case passed
    /// The check was not performed, or its subject is missing.
    case skipped
    /// Harmless information.
    case note
    /// An error that was also present in the baseline.
    case known
    /// A possible error.
    case warning
    case error

    /// Whether the severity reports a problem.
    package var isFinding: Bool { self == .known || self == .warning || self == .error }
  }

  /// A location in a file.
  ///
  /// The line and column may be unknown.
  package struct Location: Hashable, Sendable {
    /// The path as the user wrote it.
    package var file: String
    /// The line and the column in characters, both from 1; `nil` if unknown.
    package var line, column: Int?

    package init(file: String, line: Int? = nil, column: Int? = nil) {
      self.file = file
      self.line = line
      self.column = column
    }

    /// The location as `file:line:column`, as far as line and column are known.
    package var text: String {
      [file, line.map(String.init), column.map(String.init)].compactMap { $0 }
        .joined(separator: ":")
    }
  }

  /// A fact that supports a finding.
  package struct Evidence: Hashable, Sendable {
    /// The kind of fact, such as `right`, `fix` or `datasheet`.
    package var name: String
    /// The text of the fact.
    package var text: String
    /// The fact as data, for JSON; `nil` if the text is all.
    package var value: JSONValue?

    package init(_ name: String, _ text: String, _ value: JSONValue? = nil) {
      self.name = name
      self.text = text
      self.value = value
    }

    /// The name and the text on one line.
    fileprivate var line: String { "\(name): \(text)" }
  }

  /// The rule that was checked: a name or a sentence that is the same in every run.
  package var rule: String
  /// The meaning of the rule, if its name is not clear.
  package var summary: String?
  /// The location to which the rule or its violation refers; `nil` if it does not refer to a file.
  package var location: Location?
  package var severity: Severity
  /// The command's own name for the severity; `nil` if the command uses the general name.
  package var word: String?
  /// The result of the check, as a sentence.
  package var message: String
  /// The supporting facts, in the order of the output.
  package var evidence: [Evidence]
  /// The wall-clock duration of the check in seconds.
  package var seconds: Double

  package init(
    _ severity: Severity, _ rule: String, at location: Location? = nil, _ message: String,
    evidence: [Evidence] = []
  ) {
    self.rule = rule
    self.location = location
    self.severity = severity
    self.message = message
    self.evidence = evidence
    seconds = 0
  }
}

extension Finding {
  /// The message, followed by a line for each fact that is data; other facts are part of the message.
  var messageLines: [String] { [message] + evidence.filter { $0.value != nil }.map(\.line) }

  /// One line of text: `file:line:column: error: message`, as compilers print it, or the rule and the message.
  ///
  /// An error that concerns a whole file is printed without the severity.
  package var line: String {
    guard let location else {
      return word.map { "\($0.left(4))  \(rule): \(message)" } ?? message
    }
    let isPlain = severity == .passed || severity == .error && location.line == nil
    return "\(location.text): \(isPlain ? "" : "\(severity.rawValue): ")\(message)"
  }
}

/// An output format for the findings of any command.
package enum FindingFormat: String, CaseIterable, Sendable {
  /// One JSON object.
  case json
  /// JUnit XML with a test case for each finding.
  case junit
  /// Workflow commands of GitHub Actions, one line for each problem, or a plain line if there are
  /// no problems.
  case github
  /// A Markdown table for a pull request.
  case markdown

  /// Formats the findings; the text ends with a line ending.
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
