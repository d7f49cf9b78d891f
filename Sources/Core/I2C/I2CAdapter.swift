/// An I2C bus from the controller's point of view.
///
/// Simulations, traces, bridges and real hardware implement this protocol; drivers and served
/// programs call it. Neither side depends on the other. An adapter must be used only on the thread
/// of its bus.
public protocol I2CAdapter: AnyObject {
  /// The functionality of the adapter, as `I2C_FUNCS` returns it.
  var functionality: I2CFunctionality { get }

  /// The limits of the adapter.
  var quirks: I2CQuirks { get }

  /// Performs one combined transfer, as `I2C_RDWR` does: messages joined by repeated starts, and
  /// one stop.
  ///
  /// A register read is two segments:
  ///
  ///     S  76 W A  F7 A  Sr  76 R A  [msb] A [lsb] A ... [xlsb] N  P
  ///
  /// - Parameters:
  ///   - segments: the messages in order.
  ///   - writing: the bytes of all write segments, end to end; at least the sum of their counts.
  ///   - reading: receives the bytes of all read segments, end to end from the start; the buffer
  ///     may be longer than the sum of their counts. After an error, the content of the buffer past
  ///     the failed byte is unspecified.
  /// - Throws: `I2CError`. The bus is idle afterwards, because a stop was sent.
  func transfer(
    _ segments: Span<I2CSegment>,
    writing: Span<UInt8>,
    reading: inout MutableSpan<UInt8>
  ) throws(I2CError)
}

/// The clock of a bus, and the only source of time for drivers.
public protocol I2CClock: AnyObject {
  /// The nanoseconds since a fixed, arbitrary moment; they never decrease.
  var nanoseconds: UInt64 { get }

  /// Waits for at least `nanoseconds`.
  func wait(nanoseconds: UInt64)
}

// Always inlined: Embedded Swift replaces extension methods called through `any I2CAdapter` with a trap.
extension I2CAdapter {
  /// Addresses a target without writing any data.
  ///
  ///     S  76 W A  P
  ///
  /// - Throws: `I2CError`, of kind `I2CError/Kind/addressNack` when no target acknowledges.
  @inlinable @inline(__always)
  public func probe(_ address: I2CAddress) throws(I2CError) {
    let segments: InlineArray<1, I2CSegment> = [.write(0, to: address)]
    var nothing = MutableSpan<UInt8>()
    try transfer(segments.span, writing: Span(), reading: &nothing)
  }

  /// Writes bytes in one message.
  ///
  ///     S  76 W A  [byte] A ... [byte] A  P
  ///
  /// - Throws: `I2CError`. The bytes before a NACK have already taken effect.
  @inlinable @inline(__always)
  public func write(_ bytes: Span<UInt8>, to address: I2CAddress) throws(I2CError) {
    let segments: InlineArray<1, I2CSegment> = [.write(bytes.count, to: address)]
    var nothing = MutableSpan<UInt8>()
    try transfer(segments.span, writing: bytes, reading: &nothing)
  }

  /// Writes one register.
  ///
  ///     S  76 W A  [register] A  [value] A  P
  ///
  /// - Throws: ``I2CError``.
  @inlinable @inline(__always)
  public func writeRegister(
    _ register: UInt8, _ value: UInt8, at address: I2CAddress
  ) throws(I2CError) {
    let bytes: InlineArray<2, UInt8> = [register, value]
    try write(bytes.span, to: address)
  }

  /// Reads `buffer.count` bytes in one message.
  ///
  ///     S  76 R A  [byte] A ... [byte] N  P
  ///
  /// - Throws: ``I2CError``.
  @inlinable @inline(__always)
  public func read(
    into buffer: inout MutableSpan<UInt8>, from address: I2CAddress
  ) throws(I2CError) {
    let segments: InlineArray<1, I2CSegment> = [.read(buffer.count, from: address)]
    try transfer(segments.span, writing: Span(), reading: &buffer)
  }

  /// Reads `count` registers, beginning at `register`, into the start of `buffer`.
  ///
  ///     S  76 W A  [register] A  Sr  76 R A  [byte] A ... [byte] N  P
  ///
  /// - Throws: ``I2CError``.
  @inlinable @inline(__always)
  public func readRegisters(
    from register: UInt8, count: Int, into buffer: inout MutableSpan<UInt8>,
    at address: I2CAddress
  ) throws(I2CError) {
    precondition(buffer.count >= count, "the buffer is shorter than the read")
    let pointer: InlineArray<1, UInt8> = [register]
    let segments: InlineArray<2, I2CSegment> = [
      .write(1, to: address), .read(count, from: address),
    ]
    try transfer(segments.span, writing: pointer.span, reading: &buffer)
  }

  /// Reads one register.
  ///
  ///     S  76 W A  [register] A  Sr  76 R A  [byte] N  P
  ///
  /// - Throws: ``I2CError``.
  @inlinable @inline(__always)
  public func readRegister(
    _ register: UInt8, at address: I2CAddress
  ) throws(I2CError) -> UInt8 {
    var byte: InlineArray<1, UInt8> = [0]
    var buffer = byte.mutableSpan
    try readRegisters(from: register, count: 1, into: &buffer, at: address)
    return byte[0]
  }
}

/// The functionality of an adapter, with the bits that `I2C_FUNCS` returns.
public struct I2CFunctionality: OptionSet, Hashable, Sendable {
  /// The kernel's `I2C_FUNC_*` bits.
  public let rawValue: UInt32

  /// Creates a set from the kernel's bits.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Plain and combined transfers (`I2C_FUNC_I2C`).
  @inlinable public static var i2c: I2CFunctionality { .init(rawValue: 0x0000_0001) }
  /// Ten-bit addresses (`I2C_FUNC_10BIT_ADDR`).
  @inlinable public static var tenBitAddresses: I2CFunctionality { .init(rawValue: 0x0000_0002) }
  /// Nonstandard messages, such as `I2C_M_IGNORE_NAK` (`I2C_FUNC_PROTOCOL_MANGLING`).
  @inlinable public static var protocolMangling: I2CFunctionality { .init(rawValue: 0x0000_0004) }
  /// Packet error checking (`I2C_FUNC_SMBUS_PEC`).
  @inlinable public static var packetErrorChecking: I2CFunctionality {
    .init(rawValue: 0x0000_0008)
  }
  /// Messages without a start (`I2C_FUNC_NOSTART`).
  @inlinable public static var noStart: I2CFunctionality { .init(rawValue: 0x0000_0010) }
  /// SMBus block reads, whose length the target sends first (`I2C_FUNC_SMBUS_READ_BLOCK_DATA`).
  @inlinable public static var smbusReadBlock: I2CFunctionality { .init(rawValue: 0x0100_0000) }
  /// The SMBus transactions that the kernel emulates with plain transfers, including PEC
  /// (`I2C_FUNC_SMBUS_EMUL`).
  @inlinable public static var smbusEmulated: I2CFunctionality { .init(rawValue: 0x0EFF_0008) }

  /// The functionality of most adapters: I2C and emulated SMBus (0x0eff0009).
  @inlinable public static var standard: I2CFunctionality { [.i2c, .smbusEmulated] }
}

/// The limits of an adapter, as the kernel's `i2c_adapter_quirks` lists them.
///
/// A limit of 0 means no limit. `violation(in:)` finds the first message because of which the
/// kernel rejects a transfer with `EOPNOTSUPP` before it uses the bus.
public struct I2CQuirks: Hashable, Sendable {
  /// The longest read message in bytes.
  public var maxReadLength: Int
  /// The longest write message in bytes.
  public var maxWriteLength: Int
  /// The highest number of messages in one transfer.
  public var maxMessages: Int
  /// The longest first message of a combined write-then-read transfer in bytes.
  public var maxCombinedWriteLength: Int
  /// The longest second message of a combined write-then-read transfer in bytes.
  public var maxCombinedReadLength: Int
  /// `true` if messages without bytes (probes) are rejected.
  public var noZeroLength: Bool

  /// Creates a set of limits.
  ///
  /// Default: no limits.
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

  /// The longest read that may follow a register address in one transfer, in bytes; `Int.max` without a limit.
  @inlinable public var longestRegisterRead: Int {
    var longest = Int.max
    if maxReadLength > 0 { longest = min(longest, maxReadLength) }
    if maxCombinedReadLength > 0 { longest = min(longest, maxCombinedReadLength) }
    return longest
  }

  /// Returns the index of the first message that violates a limit; `nil` if all messages are
  /// allowed.
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

  /// Returns whether a message violates a limit, alone or as part of a write-then-read transfer.
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

/// The clock frequency of SCL.
public enum I2CBusFrequency {
  /// Standard mode (UM10204, 5.1): 100 kHz, in Hz.
  ///
  /// Every simulated bus has this frequency by default, as on a Raspberry Pi.
  @inlinable public static var standard: UInt64 { 100_000 }

  /// The standard frequency in the notation of a rig: `100kHz`.
  @inlinable public static var standardText: String { "\(standard / 1000)kHz" }
}

/// The valid bus numbers, which are the N in /dev/i2c-N.
public enum I2CBusNumber {
  /// All bus numbers: 0 to 1048575, because Linux reserves `I2C_MINORS` = `MINORMASK + 1` minor
  /// numbers (drivers/i2c/i2c-dev.c).
  @inlinable public static var all: ClosedRange<Int> { 0...0xF_FFFF }
}

/// The connection of an adapter that is unplugged and plugged in again, as one of its users follows it.
public final class AdapterConnection {
  /// A change of the connection.
  public struct Change: Hashable, Sendable {
    /// The time of the change, in nanoseconds of the bus.
    public let time: UInt64
    /// `true` if the adapter is plugged in again, `false` if it is unplugged.
    public let isPluggedIn: Bool

    /// Creates a change.
    public init(time: UInt64, isPluggedIn: Bool) {
      (self.time, self.isPluggedIn) = (time, isPluggedIn)
    }

    /// The predicate of a sentence about the adapter.
    public var predicate: String { isPluggedIn ? "is plugged in again" : "is unplugged" }
  }

  private let changes: [Change]
  private let now: () -> UInt64
  private let didHappen: (Change) -> Void
  /// The number of changes that were returned.
  private var seen = 0

  /// Creates the connection of an adapter that is plugged in at first.
  ///
  /// - Parameters:
  ///   - changes: all changes, in chronological order.
  ///   - now: returns the time of the bus, in nanoseconds.
  ///   - didHappen: called with each change before it is returned.
  public init(
    _ changes: [Change], now: @escaping () -> UInt64, didHappen: @escaping (Change) -> Void
  ) {
    self.changes = changes
    self.now = now
    self.didHappen = didHappen
  }

  /// Whether the adapter is plugged in after the changes that were returned.
  public var isPluggedIn: Bool { seen == 0 || changes[seen - 1].isPluggedIn }

  /// The time until the next change, in nanoseconds; 0 if it has happened, `nil` if no more follows.
  public var nanosecondsToNext: UInt64? {
    guard seen < changes.count else { return nil }
    return changes[seen].time - min(now(), changes[seen].time)
  }

  /// Returns the next change; `nil` until it has happened.
  public func next() -> Change? {
    guard nanosecondsToNext == 0 else { return nil }
    let change = changes[seen]
    seen += 1
    didHappen(change)
    return change
  }
}
