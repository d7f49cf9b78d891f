/// How finely the HDC1000 measures a quantity, in bits; humidity alone knows eight.
public enum HDC1000Resolution: UInt8, Hashable, Sendable, CaseIterable {
  /// 14 bits.
  case bits14 = 0b00
  /// 11 bits.
  case bits11 = 0b01
  /// 8 bits, for humidity only.
  case bits8 = 0b10

  /// The number of bits.
  public var bits: Int {
    switch self {
    case .bits14: 14
    case .bits11: 11
    case .bits8: 8
    }
  }

  /// The time of a conversion in nanoseconds (DS 7.5); the data sheet gives no longest.
  public func time(of quantity: HDC1000Quantity) -> UInt64 {
    switch (quantity, self) {
    case (.temperature, .bits14): 6_350_000
    case (.temperature, _): 3_650_000
    case (.humidity, .bits14): 6_500_000
    case (.humidity, .bits11): 3_850_000
    case (.humidity, .bits8): 2_500_000
    }
  }
}
