import Text

/// The address of a device: 48 bits, and whether the device has drawn them itself.
public struct BLEAddress: Hashable, Sendable, CustomStringConvertible {
  /// The 48 bits, the byte that is written first the highest.
  public let value: UInt64
  /// Whether it is a random address; else it is a public one.
  public let isRandom: Bool

  /// Creates an address; bits above the 48th are dropped.
  public init(_ value: UInt64, isRandom: Bool = true) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.isRandom = isRandom
  }

  /// Reads `C4:BE:84:70:11:22`, a random address, or `C4:BE:84:70:11:22/P`, a public one; `nil` for anything else.
  public init?(_ text: String) {
    let isPublic = text.hasSuffix("/P")
    let parts = text.dropLast(isPublic ? 2 : 0).split(
      separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }),
      let value = UInt64(digits: parts.joined())
    else { return nil }
    self.init(value, isRandom: !isPublic)
  }

  /// Six pairs of digits, with `/P` behind a public one.
  public var description: String {
    let pairs = (0..<6).reversed().map { place in
      Hexadecimal.digits(UInt8(truncatingIfNeeded: value >> (place * 8))).uppercased()
    }
    return pairs.joined(separator: ":") + (isRandom ? "" : "/P")
  }
}
