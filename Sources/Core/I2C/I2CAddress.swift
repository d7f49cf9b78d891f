/// The address of a target on the bus, right-aligned: 0x76, never the 0xEC of the wire byte.
///
/// Seven bits unless the segment that uses it carries ``I2CSegment/Flags/tenBit``.
public struct I2CAddress: RawRepresentable, Hashable, Comparable, Sendable {
  /// The right-aligned address, 0...0x3FF.
  public let rawValue: UInt16

  /// Creates an address from its right-aligned value, or `nil` past ten bits.
  @inlinable
  public init?(rawValue: UInt16) {
    guard rawValue <= 0x3FF else { return nil }
    self.rawValue = rawValue
  }

  /// Whether the address fits the seven bits of an ordinary transfer.
  @inlinable public var isSevenBit: Bool { rawValue <= 0x7F }

  /// Orders addresses by value.
  @inlinable
  public static func < (left: I2CAddress, right: I2CAddress) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension I2CAddress: ExpressibleByIntegerLiteral {
  /// Creates an address from a literal such as `0x76`; a literal past ten bits traps.
  @inlinable
  public init(integerLiteral value: UInt16) {
    precondition(value <= 0x3FF, "an I2C address has at most ten bits")
    rawValue = value
  }
}
