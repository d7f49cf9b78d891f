/// How many readings a pressure of the BMP180 adds up, the field oss (DS 3.3.1).
public enum BMP180Oversampling: UInt8, Hashable, Sendable, CaseIterable {
  /// One: ultra low power.
  case x1 = 0
  /// Two: standard.
  case x2 = 1
  /// Four: high resolution.
  case x4 = 2
  /// Eight: ultra high resolution.
  case x8 = 3

  /// The number of readings.
  public var samples: Int { 1 << Int(rawValue) }

  /// The number of bits of a code of pressure, 16 to 19.
  public var bits: Int { 16 + Int(rawValue) }
}
