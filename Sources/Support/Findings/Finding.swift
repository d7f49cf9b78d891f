import Text

/// One thing that was looked at, and what came of it.
package struct Finding: Error, Hashable, Sendable {
  /// What a finding means for whoever asked.
  package enum Severity: String, Hashable, Sendable, CaseIterable {
    /// It is as it should be.
    case passed
    /// It was not looked at, or is not there.
    case skipped
    /// It is worth knowing and does no harm.
    case note
    /// It is wrong, and was wrong before.
    case known
    /// It may be wrong.
    case warning
    /// It is wrong.
    case error

    /// Whether it speaks against what was looked at.
    package var isFinding: Bool { self == .known || self == .warning || self == .error }
  }

  /// A file, and where in it as far as that is known.
  package struct Place: Hashable, Sendable {
    /// The path as the user gave it.
    package var file: String
    /// The line and the column in characters, both from 1; `nil` where they are not known.
    package var line, column: Int?

    /// Creates a place.
    package init(file: String, line: Int? = nil, column: Int? = nil) {
      self.file = file
      self.line = line
      self.column = column
    }

    /// `file:line:column`, as far as it is known.
    package var text: String {
      [file, line.map(String.init), column.map(String.init)].compactMap { $0 }
        .joined(separator: ":")
    }
  }

  /// Something that supports a finding.
  package struct Evidence: Hashable, Sendable {
    /// What it is: `right`, `fix`, `datasheet`.
    package var name: String
    /// What it says.
    package var text: String

    /// Creates evidence.
    package init(_ name: String, _ text: String) {
      self.name = name
      self.text = text
    }
  }

  /// What was asked: a name or a sentence that stays the same from one time to the next.
  package var rule: String
  /// What the rule means, where its name does not say it.
  package var summary: String?
  /// Where that is asked, or where it is not so; `nil` for what stands in no file.
  package var place: Place?
  /// What it means for whoever asked.
  package var severity: Severity
  /// The severity in the command's own words; `nil` where it has none.
  package var word: String?
  /// What was found, in a sentence.
  package var message: String
  /// What supports it, in the order in which it is told.
  package var evidence: [Evidence]
  /// How long the look took by the wall clock, in seconds.
  package var seconds: Double

  /// Creates a finding.
  package init(
    _ severity: Severity, _ rule: String, at place: Place? = nil, _ message: String,
    evidence: [Evidence] = []
  ) {
    self.rule = rule
    self.place = place
    self.severity = severity
    self.message = message
    self.evidence = evidence
    seconds = 0
  }
}

extension Finding {
  /// One line for people: `file:line:column: error: message`, as compilers print it, or what was looked at and the message.
  ///
  /// What is wrong with a file as a whole is told without the word.
  package var line: String {
    guard let place else {
      return word.map { "\($0.left(4))  \(rule): \(message)" } ?? message
    }
    let isPlain = severity == .passed || severity == .error && place.line == nil
    return "\(place.text): \(isPlain ? "" : "\(severity.rawValue): ")\(message)"
  }
}
