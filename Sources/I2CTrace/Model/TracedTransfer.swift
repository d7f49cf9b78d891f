public import I2C

/// One transfer as it happened on a bus.
public struct TracedTransfer: Hashable, Sendable {
  /// When it began, in nanoseconds since the start.
  public var time: UInt64
  /// How long it lasted, in nanoseconds.
  public var duration: UInt64
  /// N of its bus.
  public var bus: Int
  /// Its messages, in order.
  public var messages: [TracedMessage]
  /// How it failed, if it did.
  public var error: I2CError?

  /// Makes a transfer.
  public init(
    time: UInt64, duration: UInt64, bus: Int, messages: [TracedMessage], error: I2CError? = nil
  ) {
    self.time = time
    self.duration = duration
    self.bus = bus
    self.messages = messages
    self.error = error
  }

  /// Whether another transfer asks for the same: bus, addresses, directions, lengths, bytes written.
  public func asksTheSame(as other: TracedTransfer) -> Bool {
    bus == other.bus && messages.elementsEqual(other.messages) { $0.asksTheSame(as: $1) }
  }
}

/// One message of a transfer, with its bytes.
public struct TracedMessage: Hashable, Sendable {
  /// The message without its bytes.
  public var segment: I2CSegment
  /// The bytes that were written or read; of a failed read none.
  public var bytes: [UInt8]

  /// Makes a message.
  public init(_ segment: I2CSegment, _ bytes: [UInt8]) {
    self.segment = segment
    self.bytes = bytes
  }

  /// Whether another message asks for the same.
  public func asksTheSame(as other: TracedMessage) -> Bool {
    segment == other.segment && (segment.direction == .read || bytes == other.bytes)
  }
}
