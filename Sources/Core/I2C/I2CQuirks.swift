/// The limits of an adapter, as the kernel's `i2c_adapter_quirks` lists them.
///
/// A limit of 0 means none. What the kernel refuses with `EOPNOTSUPP` before it touches the bus,
/// ``violation(in:)`` finds.
public struct I2CQuirks: Hashable, Sendable {
  /// The longest read message in bytes.
  public var maxReadLength: Int
  /// The longest write message in bytes.
  public var maxWriteLength: Int
  /// The most messages of one transfer.
  public var maxMessages: Int
  /// The longest first message of a combined write-then-read transfer in bytes.
  public var maxCombinedWriteLength: Int
  /// The longest second message of a combined write-then-read transfer in bytes.
  public var maxCombinedReadLength: Int
  /// Whether messages without bytes (probes) are refused.
  public var noZeroLength: Bool

  /// Creates a set of limits, none unless said.
  @inlinable
  public init(
    maxReadLength: Int = 0, maxWriteLength: Int = 0, maxMessages: Int = 0,
    maxCombinedWriteLength: Int = 0, maxCombinedReadLength: Int = 0, noZeroLength: Bool = false
  ) {
    self.maxReadLength = maxReadLength
    self.maxWriteLength = maxWriteLength
    self.maxMessages = maxMessages
    self.maxCombinedWriteLength = maxCombinedWriteLength
    self.maxCombinedReadLength = maxCombinedReadLength
    self.noZeroLength = noZeroLength
  }

  /// An adapter without limits.
  @inlinable public static var none: I2CQuirks { I2CQuirks() }

  /// The longest read that may follow a register address in one transfer; `Int.max` without limit.
  @inlinable public var longestRegisterRead: Int {
    var longest = Int.max
    if maxReadLength > 0 { longest = min(longest, maxReadLength) }
    if maxCombinedReadLength > 0 { longest = min(longest, maxCombinedReadLength) }
    return longest
  }

  /// The index of the first message that a limit forbids, or `nil`.
  public func violation(in segments: Span<I2CSegment>) -> Int? {
    let count = segments.count
    if maxMessages > 0, count > maxMessages { return maxMessages }
    var combined = false
    if count == 2 {
      let directions = (segments[0].direction, segments[1].direction)
      combined = directions == (.write, .read)
    }
    for index in segments.indices where forbids(segments[index], combined: combined) {
      return index
    }
    return nil
  }

  /// Whether a limit forbids a message, alone or as a part of a write-then-read transfer.
  private func forbids(_ segment: I2CSegment, combined: Bool) -> Bool {
    if segment.count == 0 { return noZeroLength }
    let single: Int
    let part: Int
    switch segment.direction {
    case .read: (single, part) = (maxReadLength, maxCombinedReadLength)
    case .write: (single, part) = (maxWriteLength, maxCombinedWriteLength)
    }
    return (single > 0 && segment.count > single) || (combined && part > 0 && segment.count > part)
  }
}
