/// An error that ends a command, described in sentences that a user can act on.
package struct Failure: Error, Hashable, Sendable {
  /// The kinds of failures, each with its own exit status.
  package enum Kind: Int32, Hashable, Sendable {
    /// The command line is invalid, for example an output is also an input.
    case usage = 64
    /// A file has bad content.
    case badContent = 65
    case missingInput = 66
    /// A bus or device is not available.
    case unavailable = 69
    /// Reading or writing failed.
    case inputOutput = 74
    /// A rig file has errors.
    case badRig = 78
  }

  /// The kind of failure.
  package let kind: Kind
  /// The messages, each with the subject, the reason and a suggestion.
  ///
  /// Their lines are safe to display.
  package let messages: [String]
  /// The messages with their source locations.
  package let findings: [Finding]

  /// The longest message, in characters.
  private static let longestMessage = 6000

  /// Creates a failure with one or more messages.
  package init(_ kind: Kind, _ messages: String...) {
    self.init(kind, messages)
  }

  /// Creates a failure with a list of messages.
  package init(_ kind: Kind, _ messages: [String]) {
    self.init(kind, messages.map { Finding(.error, "failure", $0) })
  }

  /// Creates a failure from findings, one line each.
  package init(_ kind: Kind, _ findings: [Finding]) {
    self.kind = kind
    self.findings = findings.map { finding in
      // Truncate the message, because a quoted value may be as long as a file.
      let start = finding.message.unicodeScalars.prefix(Self.longestMessage)
      guard start.endIndex < finding.message.unicodeScalars.endIndex else { return finding }
      var finding = finding
      finding.message = String(String.UnicodeScalarView(start)) + "..."
      return finding
    }
    messages = self.findings.map(\.line.visible)
  }

  /// The exit status, following the BSD convention (sysexits.h).
  package var exitStatus: Int32 { kind.rawValue }
}

extension Failure: CustomStringConvertible {
  /// The messages, one per line.
  package var description: String { messages.joined(separator: "\n") }
}
