public import I2C

/// One transfer of the contract, and what must come of it on every adapter.
public struct Clause: Sendable {
  /// What must come of a transfer.
  public enum Outcome: Hashable, Sendable {
    /// It succeeds and reads these bytes.
    case reads([UInt8])
    /// It fails, in the message with this index, as an address to which nobody answers.
    case fails(message: Int)
  }

  /// What it says about adapters.
  public let title: String
  /// The messages.
  public let segments: [I2CSegment]
  /// The bytes of all writes, end to end.
  public let writing: [UInt8]
  /// What must come of it.
  public let outcome: Outcome
  /// What an adapter needs for it.
  public let needs: Capabilities

  init(
    _ title: String, _ segments: [I2CSegment], writing: [UInt8] = [],
    needs: Capabilities = [], _ outcome: Outcome
  ) {
    self.title = title
    self.segments = segments
    self.writing = writing
    self.needs = needs
    self.outcome = outcome
  }
}

/// What not every adapter has.
public struct Capabilities: OptionSet, Sendable {
  /// One bit each.
  public let rawValue: Int

  /// Creates a set of its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Messages to several addresses, or several writes, in one transfer.
  public static let anyMessages = Capabilities(rawValue: 1)
  /// Messages without bytes.
  public static let emptyMessages = Capabilities(rawValue: 2)
  /// It knows what failed: that nobody acknowledged, not only that no answer came.
  public static let causes = Capabilities(rawValue: 4)
  /// It knows in which message that was.
  public static let places = Capabilities(rawValue: 8)

  /// Everything.
  public static let all: Capabilities = [.anyMessages, .emptyMessages, .causes, .places]
}
