import Support

/// The UUID of a service, characteristic or descriptor, which has 128 bits, or 16 bits that extend the Bluetooth base
/// UUID.
public struct BLEUUID: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes in written order.
  public let high: UInt64
  /// The last eight bytes in written order.
  public let low: UInt64

  /// The Bluetooth base UUID, 00000000-0000-1000-8000-00805F9B34FB (Core Specification, Vol 3, Part B, 2.5.1).
  private static let base: (high: UInt64, low: UInt64) = (0x1000, 0x8000_0080_5F9B_34FB)

  /// Creates a 16-bit UUID.
  public init(_ short: UInt16) {
    self.init(high: Self.base.high | UInt64(short) << 32, low: Self.base.low)
  }

  /// Creates a UUID from its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Parses four hexadecimal digits, or 32 digits in the form `F000AA20-0451-4000-B000-000000000000`; `nil` for
  /// anything else.
  public init?(_ text: some StringProtocol) {
    if text.utf8.count == 4, let short = UInt16(digits: text) {
      self.init(short)
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
    guard let high = UInt64(digits: parts[0...2].joined()),
      let low = UInt64(digits: parts[3...4].joined())
    else { return nil }
    self.init(high: high, low: low)
  }

  /// Creates a UUID from 2 or 16 bytes in transmission order (little-endian); `nil` for other lengths.
  public init?(bytes: some BidirectionalCollection<UInt8>) {
    let ordered = bytes.reversed()
    switch ordered.count {
    case 2: self.init(ordered.reduce(UInt16(0)) { $0 << 8 | UInt16($1) })
    case 16:
      self.init(
        high: ordered.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) },
        low: ordered.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }

  /// The 16-bit form; `nil` if the UUID is not derived from the Bluetooth base UUID.
  public var short: UInt16? {
    low == Self.base.low && high & ~0xFFFF_0000_0000 == Self.base.high
      ? UInt16(truncatingIfNeeded: high >> 32) : nil
  }

  /// The 2 or 16 bytes in transmission order (little-endian).
  public var bytes: [UInt8] {
    if let short { return [UInt8(truncatingIfNeeded: short), UInt8(short >> 8)] }
    return [low, high].flatMap { half in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) }
    }
  }

  /// Four digits, or 32 digits in five groups; uppercase.
  public var description: String {
    if let short { return Self.digits(UInt64(short), 4) }
    return [
      Self.digits(high >> 32, 8), Self.digits(high >> 16 & 0xFFFF, 4),
      Self.digits(high & 0xFFFF, 4), Self.digits(low >> 48, 4),
      Self.digits(low & 0xFFFF_FFFF_FFFF, 12),
    ].joined(separator: "-")
  }

  private static func digits(_ value: UInt64, _ count: Int) -> String {
    Hexadecimal.digits(value, count).uppercased()
  }
}

extension FixedWidthInteger {
  /// Parses hexadecimal digits without a sign.
  init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else { return nil }
    self.init(text, radix: 16)
  }
}

/// A device address: 48 bits, public or random.
public struct BLEAddress: Hashable, Sendable, CustomStringConvertible {
  /// The 48 bits; the byte written first is the most significant.
  public let value: UInt64
  /// `true` for a random address, `false` for a public one.
  public let isRandom: Bool

  /// Creates an address; bits above the 48th are dropped.
  public init(_ value: UInt64, isRandom: Bool = true) {
    self.value = value & 0xFFFF_FFFF_FFFF
    self.isRandom = isRandom
  }

  /// Parses `C4:BE:84:70:11:22`, a random address, or `C4:BE:84:70:11:22/P`, a public one; `nil` for anything else.
  public init?(_ text: String) {
    let isPublic = text.hasSuffix("/P")
    let parts = text.dropLast(isPublic ? 2 : 0).split(
      separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 }),
      let value = UInt64(digits: parts.joined())
    else { return nil }
    self.init(value, isRandom: !isPublic)
  }

  /// Six pairs of digits, followed by `/P` for a public address.
  public var description: String {
    let pairs = (0..<6).reversed().map { index in
      Hexadecimal.digits(UInt8(truncatingIfNeeded: value >> (index * 8))).uppercased()
    }
    return pairs.joined(separator: ":") + (isRandom ? "" : "/P")
  }
}
