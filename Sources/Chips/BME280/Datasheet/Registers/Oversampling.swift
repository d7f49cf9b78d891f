/// How many readings a channel adds up for one result (DS tables 20, 23 and 24).
public enum Oversampling: UInt8, Hashable, Sendable, CaseIterable {
  /// The channel is skipped; its output reads 0x80000 (0x8000 for humidity).
  case skipped = 0
  /// One reading.
  case x1 = 1
  /// Two readings.
  case x2 = 2
  /// Four readings.
  case x4 = 3
  /// Eight readings.
  case x8 = 4
  /// Sixteen readings.
  case x16 = 5

  /// Decodes three bits of a control register; 101, 110 and 111 all mean sixteen.
  @inlinable
  public init(bits: UInt8) {
    self = Oversampling(rawValue: min(bits & 0b111, 5)) ?? .x16
  }

  /// Finds the setting with a number of readings: 0, 1, 2, 4, 8 or 16.
  @inlinable
  public init?(samples: Int) {
    switch samples {
    case 0: self = .skipped
    case 1: self = .x1
    case 2: self = .x2
    case 4: self = .x4
    case 8: self = .x8
    case 16: self = .x16
    default: return nil
    }
  }

  /// The number of readings, 0 when skipped.
  @inlinable public var samples: Int { self == .skipped ? 0 : 1 << (Int(rawValue) - 1) }

  /// The resolution in bits of temperature and pressure while the filter is off: 16...20 (DS 3.4.1).
  @inlinable public var resolutionBits: Int { self == .skipped ? 0 : 15 + Int(rawValue) }
}
