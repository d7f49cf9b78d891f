public import I2C

/// One transfer of the contract, and its required result on every adapter.
public struct Clause: Sendable {
  /// The required result of a transfer.
  public enum Outcome: Hashable, Sendable {
    /// Success, with these bytes read.
    case reads([UInt8])
    /// An address NACK in the message with this index.
    case fails(message: Int)
  }

  /// The requirement for adapters.
  public let title: String
  /// The messages.
  public let segments: [I2CSegment]
  /// The bytes of all writes, end to end.
  public let writing: [UInt8]
  /// The required result.
  public let outcome: Outcome
  /// The capabilities that an adapter needs.
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

/// The optional capabilities of an adapter.
public struct Capabilities: OptionSet, Sendable {
  /// The bits of the set.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Messages to several addresses, or several writes, in one transfer.
  public static let anyMessages = Capabilities(rawValue: 1)
  /// Messages without bytes.
  public static let emptyMessages = Capabilities(rawValue: 2)
  /// The kind of a failure: a NACK is distinguished from a missing response.
  public static let causes = Capabilities(rawValue: 4)
  /// The message of a failure.
  public static let positions = Capabilities(rawValue: 8)

  /// All capabilities.
  public static let all: Capabilities = [.anyMessages, .emptyMessages, .causes, .positions]
}
