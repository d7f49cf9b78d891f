/// Rounding from a double, which holds more than twice a float's digits.
extension FloatStatus {
  /// The double next to a sum or quotient, its last bit set when anything is left over.
  ///
  /// Rounding to odd once makes a second rounding, to fewer digits, right in every mode.
  static func odd(_ nearest: Double, left: Double) -> Double {
    guard left != 0, nearest.bitPattern & 1 == 0 else { return nearest }
    let isLarger = (left > 0) == (nearest > 0)
    return Double(bitPattern: isLarger ? nearest.bitPattern &+ 1 : nearest.bitPattern &- 1)
  }

  /// `a + b`, rounded to odd.
  static func sum(_ a: Double, _ b: Double) -> Double {
    let sum = a + b
    let second = sum - a
    let left = (a - (sum - second)) + (b - second)
    return odd(sum, left: left)
  }

  /// The float of a finite double that is not 0.
  mutating func narrow(_ value: Double) -> UInt32 {
    let sign = UInt32(truncatingIfNeeded: value.bitPattern >> 32) & 0x8000_0000
    let exponent = Int(value.bitPattern >> 52 & 0x7FF) - 1023
    let significand = value.bitPattern & (1 << 52 - 1) | 1 << 52
    let isTiny = exponent < -126
    if isTiny, flushes {
      raise(Self.underflow)
      return sign
    }
    let shift = UInt64(isTiny ? min(29 - 126 - exponent, 63) : 29)
    var kept = significand >> shift
    let rest = significand & (1 << shift - 1)
    if rest != 0 {
      raise(isTiny ? Self.inexact | Self.underflow : Self.inexact)
      if roundsUp(rest, half: 1 << (shift - 1), isOdd: kept & 1 != 0, isNegative: sign != 0) {
        kept += 1
      }
    }
    let bits = UInt64(isTiny ? 0 : exponent + 126) << 23 + kept
    guard bits < 0x7F80_0000 else { return overflowed(sign) }
    return sign | UInt32(bits)
  }

  /// Whether what is cut off raises the magnitude.
  func roundsUp(_ rest: UInt64, half: UInt64, isOdd: Bool, isNegative: Bool) -> Bool {
    switch rounding {
    case 0: rest > half || rest == half && isOdd
    case 1: !isNegative
    case 2: isNegative
    default: false
    }
  }

  private mutating func overflowed(_ sign: UInt32) -> UInt32 {
    raise(Self.overflow | Self.inexact)
    let isInfinite = rounding == 0 || rounding == (sign == 0 ? 1 : 2)
    return sign | (isInfinite ? 0x7F80_0000 : 0x7F7F_FFFF)
  }

  /// The zero that a sum of opposite numbers gives.
  var emptySum: UInt32 { rounding == 2 ? 0x8000_0000 : 0 }
}
