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

  /// Creates a transfer.
  public init(
    time: UInt64, duration: UInt64, bus: Int, messages: [TracedMessage], error: I2CError? = nil
  ) {
    self.time = time
    self.duration = duration
    self.bus = bus
    self.messages = messages
    self.error = error
  }

  /// Creates a transfer of what went through an adapter.
  ///
  /// - Parameters:
  ///   - time: when it began, in nanoseconds.
  ///   - duration: how long it lasted, in nanoseconds.
  ///   - bus: N of its bus.
  ///   - segments: its messages.
  ///   - writing: the bytes of all writes, end to end.
  ///   - reading: the bytes of all reads, end to end; none where they are not known.
  ///   - error: how it failed.
  @inline(never)  // Inlined, it makes the optimizer of Swift 6.3.1 fail over its spans.
  public init(
    time: UInt64, duration: UInt64, bus: Int, _ segments: Span<I2CSegment>,
    writing: Span<UInt8>, reading: Span<UInt8>, error: I2CError? = nil
  ) {
    self.init(time: time, duration: duration, bus: bus, messages: [], error: error)
    messages.reserveCapacity(segments.count)
    var (written, read) = (0, 0)
    for index in segments.indices {
      let segment = segments[index]
      switch segment.direction {
      case .write:
        let bytes = Self.bytes(of: writing, from: written, segment.count)
        messages.append(TracedMessage(segment, bytes))
        written += segment.count
      case .read:
        let isKnown = reading.count >= read + segment.count
        let bytes = isKnown ? Self.bytes(of: reading, from: read, segment.count) : []
        messages.append(TracedMessage(segment, bytes))
        read += segment.count
      }
    }
  }

  private static func bytes(of all: Span<UInt8>, from first: Int, _ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      for offset in 0..<count { buffer[offset] = all[first + offset] }
      filled = count
    }
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

  /// Creates a message.
  public init(_ segment: I2CSegment, _ bytes: [UInt8]) {
    self.segment = segment
    self.bytes = bytes
  }

  /// Whether another message asks for the same.
  public func asksTheSame(as other: TracedMessage) -> Bool {
    segment == other.segment && (segment.direction == .read || bytes == other.bytes)
  }
}
