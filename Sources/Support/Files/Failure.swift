import Text

/// Why a bench cannot go on, in sentences that a user can act on.
public struct Failure: Error, Hashable, Sendable {
  /// What kind of failure it is; each has an exit status of its own.
  public enum Kind: Int32, Hashable, Sendable {
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
  public let kind: Kind
  /// What failed, on what, why, and what to try; one or more lines, safe to show.
  public let messages: [String]

  /// The longest message, in characters.
  private static let longestMessage = 6000

  /// Creates a failure with one or more messages.
  public init(_ kind: Kind, _ messages: String...) {
    self.init(kind, messages)
  }

  /// Creates a failure with a list of messages.
  public init(_ kind: Kind, _ messages: [String]) {
    self.kind = kind
    self.messages = messages.map { message in
      // What is quoted in a message may be as long as a file.
      let start = message.unicodeScalars.prefix(Self.longestMessage)
      return String(String.UnicodeScalarView(start)).visible
        + (start.endIndex < message.unicodeScalars.endIndex ? "..." : "")
    }
  }

  /// The exit status, after the BSD convention.
  public var exitStatus: Int32 { kind.rawValue }
}

extension Failure: CustomStringConvertible {
  /// The messages, a line each.
  public var description: String { messages.joined(separator: "\n") }
}
