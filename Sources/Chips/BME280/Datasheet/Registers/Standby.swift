/// The inactive time between two measurements of normal mode, three bits of config (DS table 27).
public struct Standby: RawRepresentable, Hashable, Sendable {
  /// The three bits.
  public let rawValue: UInt8

  /// Creates a setting from three bits; higher bits are dropped.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue & 0b111 }

  /// The nominal time in nanoseconds; the two chips differ in the codes 110 and 111.
  public func nanoseconds(on chip: Chip) -> UInt64 {
    switch rawValue {
    case 0: 500_000
    case 1: 62_500_000
    case 2: 125_000_000
    case 3: 250_000_000
    case 4: 500_000_000
    case 5: 1_000_000_000
    case 6: chip == .bme280 ? 10_000_000 : 2_000_000_000
    default: chip == .bme280 ? 20_000_000 : 4_000_000_000
    }
  }

  /// Finds the setting of a nominal time on a chip, or `nil` when it has no such time.
  public init?(nanoseconds: UInt64, on chip: Chip) {
    for bits in 0..<UInt8(8) where Standby(rawValue: bits).nanoseconds(on: chip) == nanoseconds {
      self.init(rawValue: bits)
      return
    }
    return nil
  }
}
