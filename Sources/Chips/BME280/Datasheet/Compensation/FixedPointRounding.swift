/// How the integer formulas drop low bits: the one difference between the datasheet and Bosch's code.
public protocol FixedPointRounding {
  /// Divides by two to the power of `bits`.
  static func scale<Integer: FixedWidthInteger & SignedInteger>(
    _ value: Integer, down bits: Int
  ) -> Integer
}

/// Arithmetic shift: towards minus infinity, as the datasheet writes it.
public enum Shifting: FixedPointRounding {
  /// Divides by two to the power of `bits`, rounding down.
  @inlinable @inline(__always)
  public static func scale<Integer: FixedWidthInteger & SignedInteger>(
    _ value: Integer, down bits: Int
  ) -> Integer { value &>> Integer(truncatingIfNeeded: bits) }
}

/// Division: towards zero, as Bosch's code writes it.
public enum Dividing: FixedPointRounding {
  /// Divides by two to the power of `bits`, rounding towards zero.
  @inlinable @inline(__always)
  public static func scale<Integer: FixedWidthInteger & SignedInteger>(
    _ value: Integer, down bits: Int
  ) -> Integer {
    let shift = Integer(truncatingIfNeeded: bits)
    let bias = (value &>> Integer(truncatingIfNeeded: Integer.bitWidth - 1)) & ((1 &<< shift) &- 1)
    return (value &+ bias) &>> shift
  }
}
