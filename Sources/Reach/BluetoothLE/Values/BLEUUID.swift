import Text

/// The identifier of a service, a characteristic or a descriptor: 128 bits, or 16 of them on the Bluetooth base.
public struct BLEUUID: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes as they are written.
  public let high: UInt64
  /// The last eight.
  public let low: UInt64

  /// The base of the short identifiers, 00000000-0000-1000-8000-00805F9B34FB (Core Specification, Vol 3, Part B, 2.5.1).
  private static let base: (high: UInt64, low: UInt64) = (0x1000, 0x8000_0080_5F9B_34FB)

  /// Creates the identifier with 16 bits on the Bluetooth base.
  public init(_ short: UInt16) {
    self.init(high: Self.base.high | UInt64(short) << 32, low: Self.base.low)
  }

  /// Creates one of its two halves.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Reads four digits, or `F000AA20-0451-4000-B000-000000000000`; `nil` for anything else.
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

  /// Creates the identifier of 2 or 16 bytes as they go over the air, the lowest first; `nil` for other counts.
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

  /// The 16 bits, where it is on the Bluetooth base.
  public var short: UInt16? {
    low == Self.base.low && high & ~0xFFFF_0000_0000 == Self.base.high
      ? UInt16(truncatingIfNeeded: high >> 32) : nil
  }

  /// Its 2 or 16 bytes as they go over the air, the lowest first.
  public var bytes: [UInt8] {
    if let short { return [UInt8(truncatingIfNeeded: short), UInt8(short >> 8)] }
    return [low, high].flatMap { half in
      (0..<8).map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) }
    }
  }

  /// Four digits, or 32 in five groups; capital letters.
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
  /// Reads hexadecimal digits alone: no sign.
  init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ $0 != 0x2B && $0 != 0x2D }) else { return nil }
    self.init(text, radix: 16)
  }
}
