/// Conversions: integers and fixed point of 16 or 32 bits, and halves.
extension FloatStatus {
  /// The integer of a float times 2 to the power of `fraction`, held in the range of its width.
  mutating func integer(
    _ value: UInt32, fraction: Int, bits: Int, isSigned: Bool, towardsZero: Bool
  ) -> UInt32 {
    let a = operand(value)
    if Self.isNaN(a) {
      raise(Self.invalid)
      return 0
    }
    let low: Double = isSigned ? -Double(sign: .plus, exponent: bits - 1, significand: 1) : 0
    let high = Double(sign: .plus, exponent: isSigned ? bits - 1 : bits, significand: 1) - 1
    let exact =
      Double(Float(bitPattern: a)) * Double(sign: .plus, exponent: fraction, significand: 1)
    let rule: FloatingPointRoundingRule =
      towardsZero
      ? .towardZero : [.toNearestOrEven, .up, .down, .towardZero][Int(rounding)]
    let rounded = exact.rounded(rule)
    guard rounded >= low, rounded <= high else {
      raise(Self.invalid)
      return UInt32(truncatingIfNeeded: Int64(rounded < low ? low : high))
    }
    if rounded != exact { raise(Self.inexact) }
    return UInt32(truncatingIfNeeded: Int64(rounded))
  }

  /// The float of an integer divided by 2 to the power of `fraction`.
  mutating func float(_ integer: Int64, fraction: Int, toNearest: Bool = false) -> UInt32 {
    guard integer != 0 else { return 0 }
    let value = Double(integer) * Double(sign: .plus, exponent: -fraction, significand: 1)
    guard toNearest else { return narrow(value) }
    let mode = word & 0xC0_0000
    word &= ~0xC0_0000
    defer { word |= mode }
    return narrow(value)
  }

  /// The float of a half.
  mutating func float(half: UInt32) -> UInt32 {
    let sign = half << 16 & 0x8000_0000
    let exponent = half >> 10 & 31
    let fraction = half & 0x3FF
    if exponent == 31, !hasAlternativeHalves {
      return fraction == 0 ? sign | 0x7F80_0000 : quiet(half: sign, fraction)
    }
    if exponent == 0 {
      return sign | (Float(fraction) * 0x1p-24).bitPattern
    }
    return sign | (exponent + 112) << 23 | fraction << 13
  }

  private mutating func quiet(half sign: UInt32, _ fraction: UInt32) -> UInt32 {
    quiet(sign | 0x7F80_0000 | fraction << 13)
  }

  /// The half of a float.
  mutating func half(_ value: UInt32) -> UInt32 {
    let a = operand(value)
    let sign = a >> 16 & 0x8000
    if Self.isNaN(a) {
      if hasAlternativeHalves {
        raise(Self.invalid)
        return sign
      }
      let nan = quiet(a)
      return nan >> 16 & 0x8000 | 0x7C00 | nan >> 13 & 0x3FF
    }
    if Self.isInfinite(a) {
      if hasAlternativeHalves {
        raise(Self.invalid)
        return sign | 0x7FFF
      }
      return sign | 0x7C00
    }
    return Self.isZero(a) ? sign : narrowHalf(a, sign)
  }

  private mutating func narrowHalf(_ a: UInt32, _ sign: UInt32) -> UInt32 {
    let wide = Double(Float(bitPattern: a))
    let exponent = Int(wide.bitPattern >> 52 & 0x7FF) - 1023
    let significand = wide.bitPattern & (1 << 52 - 1) | 1 << 52
    let isTiny = exponent < -14
    let shift = UInt64(isTiny ? min(42 - 14 - exponent, 63) : 42)
    var kept = significand >> shift
    let rest = significand & (1 << shift - 1)
    let rises =
      rest != 0
      && roundsUp(rest, half: 1 << (shift - 1), isOdd: kept & 1 != 0, isNegative: sign != 0)
    if rises { kept += 1 }
    let bits = UInt64(isTiny ? 0 : exponent + 14) << 10 + kept
    let most: UInt64 = hasAlternativeHalves ? 0x7FFF : 0x7BFF
    if exponent < 30, bits <= most {
      if rest != 0 { raise(isTiny ? Self.inexact | Self.underflow : Self.inexact) }
      return sign | UInt32(bits)
    }
    if hasAlternativeHalves {
      raise(Self.invalid)
      return sign | 0x7FFF
    }
    raise(Self.overflow | Self.inexact)
    let isInfinite = rounding == 0 || rounding == (sign == 0 ? 1 : 2)
    return sign | (isInfinite ? 0x7C00 : 0x7BFF)
  }
}
