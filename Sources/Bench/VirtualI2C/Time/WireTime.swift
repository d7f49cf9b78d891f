/// The time of a running transfer: bits move it ahead, and targets that hold SCL low.
///
/// One rule: 9 bits a byte, address bytes included, plus 1 for each start, repeated start and
/// stop, divided by the bus frequency, plus stretching.
public struct WireTime: Sendable {
  /// When the transfer began, in nanoseconds.
  public let start: UInt64
  /// The bus frequency in Hz.
  public let frequency: UInt64
  /// The bits that have gone over the wire.
  public private(set) var bits: UInt64 = 0
  /// The time for which targets have held SCL low, in nanoseconds.
  public private(set) var stretched: UInt64 = 0
  /// The longest single stretch, in nanoseconds.
  public private(set) var longestStretch: UInt64 = 0

  /// The time of a bit in nanoseconds where that is a whole number, else 0: it saves a division.
  @usableFromInline let bitTime: UInt64

  /// Creates the time of a transfer that begins now.
  public init(start: UInt64, frequency: UInt64) {
    self.init(start: start, frequency: frequency, bitTime: Self.bitTime(at: frequency))
  }

  init(start: UInt64, frequency: UInt64, bitTime: UInt64) {
    self.start = start
    self.frequency = frequency
    self.bitTime = bitTime
  }

  /// The time of a bit in nanoseconds where that is a whole number, else 0.
  static func bitTime(at frequency: UInt64) -> UInt64 {
    1_000_000_000 % frequency == 0 ? 1_000_000_000 / frequency : 0
  }

  /// How long the transfer has lasted, in nanoseconds.
  @inlinable public var elapsed: UInt64 {
    (bitTime > 0 ? bits * bitTime : bits * 1_000_000_000 / frequency) + stretched
  }

  /// The time now, in nanoseconds.
  @inlinable public var nanoseconds: UInt64 { start + elapsed }

  /// Holds SCL low: the controller must wait.
  public mutating func stretch(nanoseconds: UInt64) {
    stretched += nanoseconds
    longestStretch = max(longestStretch, nanoseconds)
  }

  /// Lets time pass in which the controller sends nothing; no target holds anything.
  mutating func idle(until time: UInt64) {
    if time > nanoseconds { stretched += time - nanoseconds }
  }

  /// Ends the wait for the longest stretch after a time in nanoseconds, before SCL was let go.
  mutating func giveUp(after limit: UInt64) {
    stretched -= longestStretch - limit
    longestStretch = limit
  }

  /// Lets bits go over the wire.
  mutating func clock(bits count: UInt64) { bits += count }
}
