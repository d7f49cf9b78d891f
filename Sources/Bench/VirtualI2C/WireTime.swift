public import I2C

/// The duration of a running transfer.
///
/// A transfer takes 9 bits for each byte, including address bytes, and 1 bit for each start,
/// repeated start and stop, divided by the bus frequency; clock stretching is added.
public struct WireTime: Sendable {
  /// The start of the transfer in nanoseconds.
  public let start: UInt64
  /// The bus frequency in Hz.
  public let frequency: UInt64
  /// The number of bits sent so far.
  public private(set) var bits: UInt64 = 0
  /// The total clock stretching, in nanoseconds.
  public private(set) var stretched: UInt64 = 0
  /// The longest single stretch, in nanoseconds.
  public private(set) var longestStretch: UInt64 = 0

  /// The duration of a bit in nanoseconds if this is a whole number, otherwise 0.
  ///
  /// It saves a division.
  @usableFromInline let bitTime: UInt64

  /// Creates the timing of a transfer that starts at `start`, in nanoseconds, at a bus frequency in
  /// Hz.
  public init(start: UInt64, frequency: UInt64) {
    self.init(start: start, frequency: frequency, bitTime: Self.bitTime(at: frequency))
  }

  init(start: UInt64, frequency: UInt64, bitTime: UInt64) {
    self.start = start
    self.frequency = frequency
    self.bitTime = bitTime
  }

  /// Returns the duration of a bit in nanoseconds if this is a whole number, otherwise 0.
  static func bitTime(at frequency: UInt64) -> UInt64 {
    1_000_000_000 % frequency == 0 ? 1_000_000_000 / frequency : 0
  }

  /// The duration of the transfer so far, in nanoseconds.
  @inlinable public var elapsed: UInt64 {
    (bitTime > 0 ? bits * bitTime : bits * 1_000_000_000 / frequency) + stretched
  }

  /// The current time, in nanoseconds.
  @inlinable public var nanoseconds: UInt64 { start + elapsed }

  /// Stretches the clock: a target holds SCL low and the controller waits.
  public mutating func stretch(nanoseconds: UInt64) {
    stretched += nanoseconds
    longestStretch = max(longestStretch, nanoseconds)
  }

  /// Idles until a time in nanoseconds, while the controller sends nothing and no target stretches
  /// the clock.
  mutating func idle(until time: UInt64) {
    if time > nanoseconds { stretched += time - nanoseconds }
  }

  /// Shortens the longest stretch to a limit in nanoseconds, because the controller stops waiting
  /// then.
  mutating func timeOut(after limit: UInt64) {
    stretched -= longestStretch - limit
    longestStretch = limit
  }

  /// Adds bits sent on the wire.
  mutating func clock(bits count: UInt64) { bits += count }
}

/// The clock of a simulated bench, which advances only while a caller waits or bytes are
/// transferred.
public final class VirtualClock: I2CClock {
  /// The time in nanoseconds since the start of the run.
  public private(set) var nanoseconds: UInt64

  /// Creates a clock.
  ///
  /// Default: the clock starts at 0, the start of the run.
  public init(nanoseconds: UInt64 = 0) {
    self.nanoseconds = nanoseconds
  }

  /// Advances the clock and returns at once.
  ///
  /// The time saturates at the maximum of 64 bits, after 584 years.
  public func wait(nanoseconds: UInt64) {
    let (sum, isTooMuch) = self.nanoseconds.addingReportingOverflow(nanoseconds)
    self.nanoseconds = isTooMuch ? .max : sum
  }
}
