public import I2C
import Support

/// A recorded transfer.
public struct TracedTransfer: Hashable, Sendable {
  /// The time of the transfer's start, in nanoseconds since the start of the trace.
  public var time: UInt64
  /// The duration in nanoseconds.
  public var duration: UInt64
  /// The number of the bus, which is the N in /dev/i2c-N.
  public var bus: Int
  /// The messages in order.
  public var messages: [TracedMessage]
  /// The failure; `nil` for a successful transfer.
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

  /// Creates a transfer from the arguments and results of an adapter.
  ///
  /// - Parameters:
  ///   - time: the start in nanoseconds.
  ///   - duration: the duration in nanoseconds.
  ///   - bus: the number of the bus, which is the N in /dev/i2c-N.
  ///   - segments: the messages.
  ///   - writing: the bytes of all writes, end to end.
  ///   - reading: the bytes of all reads, end to end; empty if unknown.
  ///   - error: the failure. Default: none.
  @inline(never)  // If inlined, it makes the optimizer of Swift 6.3.1 crash because of its spans.
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

  /// Returns whether another transfer has the same request: bus, addresses, directions, lengths and written bytes.
  public func hasSameRequest(as other: TracedTransfer) -> Bool {
    bus == other.bus && messages.elementsEqual(other.messages) { $0.hasSameRequest(as: $1) }
  }

  /// Returns whether another transfer has the same request: bus, addresses, directions, lengths and
  /// written bytes.
  @available(*, deprecated, renamed: "hasSameRequest(as:)")
  public func asksTheSame(as other: TracedTransfer) -> Bool { hasSameRequest(as: other) }
}

/// One message of a transfer, with its bytes.
public struct TracedMessage: Hashable, Sendable {
  /// The address, direction, length and flags.
  public var segment: I2CSegment
  /// The bytes written or read; empty if the read failed.
  public var bytes: [UInt8]

  /// Creates a message.
  public init(_ segment: I2CSegment, _ bytes: [UInt8]) {
    self.segment = segment
    self.bytes = bytes
  }

  /// Returns whether another message has the same request: address, direction, length, flags and written bytes.
  public func hasSameRequest(as other: TracedMessage) -> Bool {
    segment == other.segment && (segment.direction == .read || bytes == other.bytes)
  }

  /// Returns whether another message has the same request: address, direction, length, flags and
  /// written bytes.
  @available(*, deprecated, renamed: "hasSameRequest(as:)")
  public func asksTheSame(as other: TracedMessage) -> Bool { hasSameRequest(as: other) }
}

extension TracedTransfer: CustomStringConvertible {
  /// The messages, such as `0x76  w f7  r 50 3a`, followed by the failure if there is one.
  public var description: String {
    var text = ""
    var address: I2CAddress?
    for message in messages {
      if message.segment.address != address {
        text += (text.isEmpty ? "" : "  ") + "\(message.segment.address)"
      }
      address = message.segment.address
      text += message.segment.direction == .write ? "  w" : "  r"
      if message.bytes.isEmpty, message.segment.count > 0 { text += " [\(message.segment.count)]" }
      for byte in message.bytes { text += " " + Hexadecimal.digits(byte) }
    }
    return error.map { "\(text)   failed: \($0)" } ?? text
  }
}

/// The header of a trace, which is its first line.
public struct TraceHeader: Hashable, Sendable {
  /// A bus of a trace.
  public struct Bus: Hashable, Sendable {
    /// The bus number, which is the N in /dev/i2c-N.
    public var number: Int
    /// The bus frequency in Hz; 0 if unknown.
    public var frequency: UInt64
    /// The functionality of the bus's adapter.
    public var functionality: I2CFunctionality
    /// The limits of the bus's adapter.
    public var quirks: I2CQuirks

    /// Creates a bus.
    public init(
      number: Int, frequency: UInt64 = 0, functionality: I2CFunctionality = .standard,
      quirks: I2CQuirks = .none
    ) {
      self.number = number
      self.frequency = frequency
      self.functionality = functionality
      self.quirks = quirks
    }
  }

  /// The program that created the trace.
  public var generator: String
  /// The clock from which the times come: `virtual`, `real`, or `noClock`.
  public var clock: String
  /// The seed of the run; `nil` if the run has no seed.
  public var seed: UInt64?
  /// The UTC time of time 0 (`2013-01-01T06:00:00Z`); `nil` if unknown.
  public var start: String?
  /// The SHA-256 of the rig file in hexadecimal; `nil` without a rig file.
  public var rigDigest: String?
  /// The buses.
  public var buses: [Bus]
  /// A note on the origin of the trace, saying which data were captured and which were derived.
  public var note: String?

  /// The value of `clock` for a trace without recorded times, whose times only define the order
  /// of the transfers.
  public static let noClock = "none"

  /// Whether the times were recorded.
  public var hasTimes: Bool { clock != Self.noClock }

  /// The version of the format.
  public static let version = 1

  /// Creates a header.
  public init(
    generator: String, clock: String, seed: UInt64? = nil, start: String? = nil,
    rigDigest: String? = nil, buses: [Bus], note: String? = nil
  ) {
    self.generator = generator
    self.clock = clock
    self.seed = seed
    self.start = start
    self.rigDigest = rigDigest
    self.buses = buses
    self.note = note
  }
}

/// An error in a trace.
public struct TraceError: Error, Hashable, Sendable {
  /// The kinds of errors.
  public enum Kind: Hashable, Sendable {
    /// The content is invalid.
    case malformed
    /// The trace was truncated, so its last line is incomplete. The lines before it are valid.
    case cutOff
  }

  /// The kind of error.
  public let kind: Kind
  /// The line number, from 1.
  public let line: Int
  /// A description of the error.
  public let message: String

  /// Creates an error in a line.
  package init(_ kind: Kind = .malformed, line: Int, _ message: String) {
    self.kind = kind
    self.line = line
    self.message = message
  }
}
