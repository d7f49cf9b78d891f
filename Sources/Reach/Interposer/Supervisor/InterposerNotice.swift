/// A message for the user about a program that runs on the interposed buses.
public struct InterposerNotice: Hashable, Sendable, CustomStringConvertible {
  /// The subject of a notice.
  public enum Subject: Hashable, Sendable {
    /// The interposer cannot provide a node, a file or a system call as Linux would.
    case notServed
    /// A clock, wait or timer of a program follows the machine's clock although the program runs in
    /// virtual time.
    case machineTime
    /// Programs in virtual time make no progress.
    case standstill
    /// Child processes outlived the program and are being terminated.
    case outlived
  }

  /// The subject of the notice.
  public let subject: Subject
  /// The message, one sentence.
  public let text: String

  /// The message.
  public var description: String { text }
}
