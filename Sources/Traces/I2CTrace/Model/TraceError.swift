/// What is wrong with a trace.
public struct TraceError: Error, Hashable, Sendable {
  /// What kind of fault it is.
  public enum Kind: Hashable, Sendable {
    /// The content is wrong.
    case malformed
    /// The last line lacks its end: the trace was cut off, what comes before is whole.
    case cutOff
  }

  /// What kind of fault it is.
  public let kind: Kind
  /// The line, from 1.
  public let line: Int
  /// What is wrong.
  public let message: String

  /// Creates a fault in a line.
  package init(_ kind: Kind = .malformed, line: Int, _ message: String) {
    self.kind = kind
    self.line = line
    self.message = message
  }
}
