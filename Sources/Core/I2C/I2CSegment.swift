/// One message of a combined transfer: an address, a direction and a number of bytes.
///
/// A segment is the kernel's `struct i2c_msg` without the pointer. The bytes of all write segments
/// of a transfer are stored end to end in one buffer, and the bytes of all read segments in
/// another.
public struct I2CSegment: Hashable, Sendable {
  /// The direction of a segment's bytes, from the controller's point of view.
  public enum Direction: UInt8, Hashable, Sendable {
    /// From the controller to the target.
    case write
    /// From the target to the controller.
    case read
  }

  /// The modifiers of a message, with the values of the kernel's `I2C_M_*` flags.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The kernel's bits.
    public let rawValue: UInt16

    /// Creates a set from the kernel's bits.
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The address has ten bits (`I2C_M_TEN`).
    @inlinable public static var tenBit: Flags { Flags(rawValue: 0x0010) }
    /// The first byte read is the number of bytes that follow (`I2C_M_RECV_LEN`).
    @inlinable public static var receiveLength: Flags { Flags(rawValue: 0x0400) }
    /// The controller does not acknowledge the bytes it reads (`I2C_M_NO_RD_ACK`).
    @inlinable public static var noReadAcknowledge: Flags { Flags(rawValue: 0x0800) }
    /// The controller continues the transfer after a NACK (`I2C_M_IGNORE_NAK`).
    @inlinable public static var ignoreNack: Flags { Flags(rawValue: 0x1000) }
    /// The direction bit on the wire is inverted (`I2C_M_REV_DIR_ADDR`).
    @inlinable public static var reversedDirection: Flags { Flags(rawValue: 0x2000) }
    /// The controller sends no repeated start and no address before this message (`I2C_M_NOSTART`).
    @inlinable public static var noStart: Flags { Flags(rawValue: 0x4000) }
    /// The controller sends a stop after this message even if other messages follow (`I2C_M_STOP`).
    @inlinable public static var stop: Flags { Flags(rawValue: 0x8000) }
  }

  /// The target's address.
  public var address: I2CAddress
  /// The direction of the bytes.
  public var direction: Direction
  /// The modifiers.
  ///
  /// Default: none.
  public var flags: Flags
  /// The number of bytes; 0 for a probe.
  public var count: Int

  /// Creates a segment of `count` bytes.
  @inlinable
  public init(
    address: I2CAddress, direction: Direction, count: Int, flags: Flags = []
  ) {
    self.address = address
    self.direction = direction
    self.flags = flags
    self.count = count
  }

  /// Creates a segment that writes `count` bytes to `address`.
  @inlinable
  public static func write(_ count: Int, to address: I2CAddress) -> I2CSegment {
    I2CSegment(address: address, direction: .write, count: count)
  }

  /// Creates a segment that reads `count` bytes from `address`.
  @inlinable
  public static func read(_ count: Int, from address: I2CAddress) -> I2CSegment {
    I2CSegment(address: address, direction: .read, count: count)
  }
}

/// The right-aligned address of a target on the bus: 0x76, not the byte 0xEC on the wire.
///
/// The address has seven bits, or ten if the segment has the flag `I2CSegment/Flags/tenBit`.
public struct I2CAddress: RawRepresentable, Hashable, Comparable, Sendable {
  /// The right-aligned address, 0...0x3FF.
  public let rawValue: UInt16

  /// Creates an address from its right-aligned value; `nil` above 0x3FF.
  @inlinable
  public init?(rawValue: UInt16) {
    guard rawValue <= 0x3FF else { return nil }
    self.rawValue = rawValue
  }

  /// `true` if the address fits in seven bits.
  @inlinable public var isSevenBit: Bool { rawValue <= 0x7F }

  /// Orders addresses by value.
  @inlinable
  public static func < (left: I2CAddress, right: I2CAddress) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension I2CAddress: ExpressibleByIntegerLiteral {
  /// Creates an address from a literal such as `0x76`; a literal above 0x3FF traps.
  @inlinable
  public init(integerLiteral value: UInt16) {
    precondition(value <= 0x3FF, "an I2C address has at most ten bits")
    rawValue = value
  }
}
