/// The serial number of an SHT21: eight bytes in two places of its memory.
///
/// Each place is read with a command of two bytes (Sensirion's application note "SHT2x Electronic
/// Identification Code"). The first gives the bytes SNB_3 to SNB_0, each with a checksum behind it,
/// the second SNC_1, SNC_0, a checksum, SNA_1, SNA_0 and a checksum. The number is SNA_1, SNA_0,
/// SNB_3 to SNB_0, SNC_1, SNC_0, the highest byte first.
public struct SHT21SerialNumber: RawRepresentable, Hashable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// Creates a serial number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The command that reads the first place, eight bytes.
  public static var firstCommand: UInt16 { 0xFA0F }
  /// The command that reads the second place, six bytes.
  public static var secondCommand: UInt16 { 0xFCC9 }

  /// The four bytes of the first place, SNB_3 first.
  public var middle: UInt32 { UInt32(truncatingIfNeeded: rawValue >> 16) }
  /// The first word of the second place, SNC_1 and SNC_0.
  public var low: UInt16 { UInt16(truncatingIfNeeded: rawValue) }
  /// The second word of the second place, SNA_1 and SNA_0.
  public var high: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 48) }

  /// Creates a serial number from its parts.
  public init(high: UInt16, middle: UInt32, low: UInt16) {
    rawValue = UInt64(high) << 48 | UInt64(middle) << 16 | UInt64(low)
  }
}
