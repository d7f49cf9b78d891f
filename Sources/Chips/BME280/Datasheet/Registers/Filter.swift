/// The time constant of the IIR filter on temperature and pressure (DS table 28).
public enum Filter: UInt8, Hashable, Sendable, CaseIterable {
  /// No filter.
  case off = 0
  /// Coefficient 2.
  case c2 = 1
  /// Coefficient 4.
  case c4 = 2
  /// Coefficient 8.
  case c8 = 3
  /// Coefficient 16.
  case c16 = 4

  /// Decodes three bits of config; 100 to 111 all mean coefficient 16.
  @inlinable
  public init(bits: UInt8) {
    self = Filter(rawValue: min(bits & 0b111, 4)) ?? .c16
  }

  /// Finds the setting with a coefficient: 0 or 1 (off), 2, 4, 8 or 16.
  @inlinable
  public init?(coefficient: Int) {
    switch coefficient {
    case 0, 1: self = .off
    case 2: self = .c2
    case 4: self = .c4
    case 8: self = .c8
    case 16: self = .c16
    default: return nil
    }
  }

  /// The coefficient c in `filtered = (old * (c - 1) + new) / c`; 1 when off.
  @inlinable public var coefficient: Int { 1 << Int(rawValue) }
}
