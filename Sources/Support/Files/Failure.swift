package import Findings
import Text

/// Why a bench cannot go on, in sentences that a user can act on.
package struct Failure: Error, Hashable, Sendable {
  /// What kind of failure it is; each has an exit status of its own.
  package enum Kind: Int32, Hashable, Sendable {
    /// What was asked for cannot be meant, for example an output that is also read.
    case usage = 64
    /// A file has bad content.
    case badContent = 65
    /// An input is missing.
    case missingInput = 66
    /// A bus or device is not available.
    case unavailable = 69
    /// Reading or writing failed.
    case inputOutput = 74
    /// A rig file has mistakes.
    case badRig = 78
  }

  /// What kind of failure it is.
  package let kind: Kind
  /// What failed, on what, why, and what to try; one or more lines, safe to show.
  package let messages: [String]
  /// The same with the places that are known.
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

  /// Creates a failure with what was found, a line each.
  package init(_ kind: Kind, _ findings: [Finding]) {
    self.kind = kind
    self.findings = findings.map { finding in
      // What is quoted in a message may be as long as a file.
      let start = finding.message.unicodeScalars.prefix(Self.longestMessage)
      guard start.endIndex < finding.message.unicodeScalars.endIndex else { return finding }
      var finding = finding
      finding.message = String(String.UnicodeScalarView(start)) + "..."
      return finding
    }
    messages = self.findings.map(\.line.visible)
  }

  /// The exit status, after the BSD convention.
  package var exitStatus: Int32 { kind.rawValue }
}

extension Failure: CustomStringConvertible {
  /// The messages, a line each.
  package var description: String { messages.joined(separator: "\n") }
}
