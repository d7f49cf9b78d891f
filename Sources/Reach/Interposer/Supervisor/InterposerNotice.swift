/// A message for the user about a program that runs on the interposed buses.
public struct InterposerNotice: Hashable, Sendable, CustomStringConvertible {
  /// The subject of a notice.
  public enum Subject: Hashable, Sendable {
    /// A node, file or call that the interposer cannot provide as Linux would.
    case notServed
    /// A part of a program's time that follows the machine's clock although its time is virtual.
    case machineTime
    /// Programs with virtual time make no progress.
    case standstill
    /// Processes outlived the program and are terminated.
    case outlived
  }

  /// The subject of the notice.
  public let subject: Subject
  /// The message, one sentence.
  public let text: String

  /// The message.
  public var description: String { text }
}
