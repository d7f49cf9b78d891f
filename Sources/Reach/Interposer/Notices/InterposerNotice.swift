/// What a user should know of a program that runs on the buses.
public struct InterposerNotice: Hashable, Sendable, CustomStringConvertible {
  /// What it is about.
  public enum Subject: Hashable, Sendable {
    /// Something cannot be shown to a program as it would be without us.
    case notServed
    /// Something of a program's time is the machine's, although its time is virtual.
    case machineTime
    /// Programs with virtual time do not go on.
    case standstill
    /// Programs outlived the one that was started, and are ended.
    case outlived
  }

  /// What it is about.
  public let subject: Subject
  /// A sentence.
  public let text: String

  /// The sentence.
  public var description: String { text }
}
