/// The serial number of an HDC1000: 41 bits in three registers (DS 8.6.4).
///
/// 0xFB holds bits 40 to 25, 0xFC bits 24 to 9, and the upper nine bits of 0xFD bits 8 to 0.
public struct HDC1000SerialNumber: RawRepresentable, Hashable, Sendable {
  /// The number, 41 bits.
  public let rawValue: UInt64

  /// Creates a serial number; bits above the 41 are dropped.
  public init(rawValue: UInt64) { self.rawValue = rawValue & 0x1FF_FFFF_FFFF }

  /// Creates a serial number from its registers.
  public init(_ first: UInt16, _ second: UInt16, _ third: UInt16) {
    self.init(rawValue: UInt64(first) << 25 | UInt64(second) << 9 | UInt64(third >> 7))
  }

  /// The word of one of its registers, by the index 0...2 from 0xFB on.
  public func word(_ index: Int) -> UInt16 {
    switch index {
    case 0: UInt16(truncatingIfNeeded: rawValue >> 25)
    case 1: UInt16(truncatingIfNeeded: rawValue >> 9)
    default: UInt16(truncatingIfNeeded: rawValue << 7)
    }
  }
}
