/// What a command looked at, and everything that it found.
package struct Inspection {
  /// How findings of one command are headed.
  package struct Nouns {
    /// What a rule is: `scenario`, `expectation`.
    package var rule: String
    /// What a message is: `shown`, `found`.
    package var message: String
    /// What a finding does: `show a defect`.
    package var defect: String

    /// Creates nouns.
    package init(rule: String, message: String, defect: String) {
      self.rule = rule
      self.message = message
      self.defect = defect
    }
  }

  /// The command: `aneroid audit`.
  package var command: String
  /// What it looked at: a rig, a program, a trace; empty for the machine.
  package var subject: String
  /// What is said before the findings of a suite of tests, and the class of each; the command's unless given.
  package var suite: String, group: String
  /// How the findings are headed.
  package var nouns: Nouns
  /// What was found, in its order.
  package var findings: [Finding]
  /// How long it took by the wall clock, in seconds.
  package var seconds = 0.0
  /// Whether what was wrong before was told apart.
  package var hasBaseline = false
  /// What else there is to say, and its heading.
  package var remarks: (title: String, lines: [String]) = ("", [])

  /// Creates an inspection.
  ///
  /// - Parameters:
  ///   - command: the command.
  ///   - subject: what it looked at.
  ///   - suite: what names the suite and the class of its tests, where the command does not.
  ///   - nouns: how the findings are headed.
  ///   - findings: what was found.
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

  /// How many findings have a severity.
  package func count(_ severity: Finding.Severity) -> Int {
    findings.count { $0.severity == severity }
  }
}
