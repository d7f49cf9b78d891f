/// FPSCR, with the operations that depend on its rounding, NaN and denormal modes and raise its exception flags.
struct FloatStatus {
  /// The value of FPSCR, as VMRS reads it.
  var word: UInt32

  /// Cumulative exception flags: invalid operation, division by zero, overflow, underflow, inexact, input denormal.
  static let invalid: UInt32 = 1, division: UInt32 = 2, overflow: UInt32 = 4
  static let underflow: UInt32 = 8, inexact: UInt32 = 16, denormal: UInt32 = 128

  /// FZ: `true` if denormals are flushed to zero.
  var flushes: Bool { word >> 24 & 1 != 0 }
  /// DN: `true` if an operation with a NaN operand returns the default NaN.
  var hasDefaultNaN: Bool { word >> 25 & 1 != 0 }
  /// AHP: `true` for the alternative half-precision format, which has no infinities or NaNs.
  var hasAlternativeHalves: Bool { word >> 26 & 1 != 0 }
  /// RMode: 0 to nearest, 1 towards plus infinity, 2 towards minus infinity, 3 towards zero.
  var rounding: UInt32 { word >> 22 & 3 }

  /// Sets cumulative exception flags.
  mutating func raise(_ flags: UInt32) { word |= flags }

  static let defaultNaN: UInt32 = 0x7FC0_0000

  static func isNaN(_ bits: UInt32) -> Bool { bits & 0x7FFF_FFFF > 0x7F80_0000 }
  static func isSignaling(_ bits: UInt32) -> Bool { isNaN(bits) && bits & 0x40_0000 == 0 }
  static func isInfinite(_ bits: UInt32) -> Bool { bits & 0x7FFF_FFFF == 0x7F80_0000 }
  static func isZero(_ bits: UInt32) -> Bool { bits & 0x7FFF_FFFF == 0 }

  /// Returns the operand, or a zero with its sign if the operand is denormal and FZ is set.
  mutating func operand(_ bits: UInt32) -> UInt32 {
    guard flushes, bits & 0x7F80_0000 == 0, bits & 0x7F_FFFF != 0 else { return bits }
    raise(Self.denormal)
    return bits & 0x8000_0000
  }

  /// Returns the quiet NaN that results from a NaN operand; a signaling NaN raises invalid operation.
  mutating func quiet(_ bits: UInt32) -> UInt32 {
    if Self.isSignaling(bits) { raise(Self.invalid) }
    return hasDefaultNaN ? Self.defaultNaN : bits | 0x40_0000
  }

  /// Returns the NaN that results from two operands, preferring a signaling NaN; `nil` if neither is a NaN.
  mutating func nan(_ a: UInt32, _ b: UInt32) -> UInt32? {
    if Self.isSignaling(a) { return quiet(a) }
    if Self.isSignaling(b) { return quiet(b) }
    if Self.isNaN(a) { return quiet(a) }
    return Self.isNaN(b) ? quiet(b) : nil
  }

  /// Returns the NaN that results from three operands, preferring a signaling NaN; `nil` if none is a NaN.
  mutating func nan(_ a: UInt32, _ b: UInt32, _ c: UInt32) -> UInt32? {
    if Self.isSignaling(a) { return quiet(a) }
    if Self.isSignaling(b) { return quiet(b) }
    if Self.isSignaling(c) { return quiet(c) }
    if Self.isNaN(a) { return quiet(a) }
    return nan(b, c)
  }

  /// Raises invalid operation and returns the default NaN.
  mutating func invalidResult() -> UInt32 {
    raise(Self.invalid)
    return Self.defaultNaN
  }
}

/// Addition, subtraction, multiplication, division, square root and fused multiply-add on raw bits.
extension FloatStatus {
  private func wide(_ bits: UInt32) -> Double { Double(Float(bitPattern: bits)) }

  mutating func add(_ first: UInt32, _ second: UInt32) -> UInt32 {
    let (a, b) = (operand(first), operand(second))
    if let nan = nan(a, b) { return nan }
    switch (Self.isInfinite(a), Self.isInfinite(b)) {
    case (true, true): return a == b ? a : invalidResult()
    case (true, false): return a
    case (false, true): return b
    case (false, false): break
    }
    if Self.isZero(a), Self.isZero(b) { return a == b ? a : emptySum }
    let sum = Self.sum(wide(a), wide(b))
    return sum == 0 ? emptySum : narrow(sum)
  }

  mutating func multiply(_ first: UInt32, _ second: UInt32) -> UInt32 {
    let (a, b) = (operand(first), operand(second))
    if let nan = nan(a, b) { return nan }
    let sign = (a ^ b) & 0x8000_0000
    if Self.isInfinite(a) || Self.isInfinite(b) {
      return Self.isZero(a) || Self.isZero(b) ? invalidResult() : sign | 0x7F80_0000
    }
    if Self.isZero(a) || Self.isZero(b) { return sign }
    return narrow(wide(a) * wide(b))
  }

  mutating func divide(_ first: UInt32, _ second: UInt32) -> UInt32 {
    let (a, b) = (operand(first), operand(second))
    if let nan = nan(a, b) { return nan }
    let sign = (a ^ b) & 0x8000_0000
    switch (Self.isInfinite(a), Self.isInfinite(b)) {
    case (true, true): return invalidResult()
    case (true, false): return sign | 0x7F80_0000
    case (false, true): return sign
    case (false, false): break
    }
    if Self.isZero(b) {
      if Self.isZero(a) { return invalidResult() }
      raise(Self.division)
      return sign | 0x7F80_0000
    }
    if Self.isZero(a) { return sign }
    let quotient = wide(a) / wide(b)
    let left = wide(a).addingProduct(-quotient, wide(b))
    return narrow(Self.odd(quotient, left: wide(b) < 0 ? -left : left))
  }

  mutating func root(_ value: UInt32) -> UInt32 {
    let a = operand(value)
    if Self.isNaN(a) { return quiet(a) }
    if Self.isZero(a) { return a }
    if a & 0x8000_0000 != 0 { return invalidResult() }
    if Self.isInfinite(a) { return a }
    let root = wide(a).squareRoot()
    return narrow(Self.odd(root, left: wide(a).addingProduct(-root, root)))
  }

  /// Returns `addend + a * b` with a single rounding.
  mutating func fuse(_ addend: UInt32, _ first: UInt32, _ second: UInt32) -> UInt32 {
    let (c, a, b) = (operand(addend), operand(first), operand(second))
    let isInvalid =
      Self.isInfinite(a) && Self.isZero(b) || Self.isZero(a) && Self.isInfinite(b)
    if Self.isNaN(c), !Self.isSignaling(c), isInvalid { return invalidResult() }
    if let nan = nan(c, a, b) { return nan }
    if isInvalid { return invalidResult() }
    let sign = (a ^ b) & 0x8000_0000
    if Self.isInfinite(a) || Self.isInfinite(b) {
      return Self.isInfinite(c) && c & 0x8000_0000 != sign ? invalidResult() : sign | 0x7F80_0000
    }
    if Self.isInfinite(c) { return c }
    if Self.isZero(a) || Self.isZero(b) {
      if Self.isZero(c) { return c == sign ? c : emptySum }
      return narrow(wide(c))
    }
    let product = wide(a) * wide(b)
    let sum = Self.sum(product, wide(c))
    return sum == 0 ? emptySum : narrow(sum)
  }

  /// Compares two values and writes the result to the N, Z, C and V flags in FPSCR.
  mutating func compare(_ first: UInt32, _ second: UInt32, isQuiet: Bool) {
    let (a, b) = (operand(first), operand(second))
    let result: UInt32
    if Self.isNaN(a) || Self.isNaN(b) {
      if !isQuiet || Self.isSignaling(a) || Self.isSignaling(b) { raise(Self.invalid) }
      result = 0b0011
    } else {
      let (x, y) = (Float(bitPattern: a), Float(bitPattern: b))
      result = x == y ? 0b0110 : x < y ? 0b1000 : 0b0010
    }
    word = word & 0x0FFF_FFFF | result << 28
  }
}

/// Conversions to and from integers, fixed point of 16 and 32 bits, and half precision.
extension FloatStatus {
  /// Multiplies a float by 2 to the power of `fraction` and converts it to an integer, saturated to `bits` bits.
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

  /// Divides an integer by 2 to the power of `fraction` and converts it to a float.
  mutating func float(_ integer: Int64, fraction: Int, toNearest: Bool = false) -> UInt32 {
    guard integer != 0 else { return 0 }
    let value = Double(integer) * Double(sign: .plus, exponent: -fraction, significand: 1)
    guard toNearest else { return narrow(value) }
    let mode = word & 0xC0_0000
    word &= ~0xC0_0000
    defer { word |= mode }
    return narrow(value)
  }

  /// Converts half precision to single.
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

  /// Converts single precision to half.
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

/// Rounding to single precision from a double, which has more than twice as many bits of precision.
extension FloatStatus {
  /// Returns the double nearest to a result, changed so that its lowest bit is set if it is not exact (rounding to
  /// odd).
  ///
  /// `left` is the exact result minus `nearest`. After rounding to odd, a second rounding to fewer bits is correct in
  /// every rounding mode.
  static func odd(_ nearest: Double, left: Double) -> Double {
    guard left != 0, nearest.bitPattern & 1 == 0 else { return nearest }
    let isLarger = (left > 0) == (nearest > 0)
    return Double(bitPattern: isLarger ? nearest.bitPattern &+ 1 : nearest.bitPattern &- 1)
  }

  /// Returns `a + b`, rounded to odd.
  static func sum(_ a: Double, _ b: Double) -> Double {
    let sum = a + b
    let second = sum - a
    let left = (a - (sum - second)) + (b - second)
    return odd(sum, left: left)
  }

  /// Rounds a finite non-zero double to single precision.
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

  /// Returns whether the discarded bits, `rest`, cause the magnitude to be rounded up in the current rounding mode.
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

  /// The sum of two opposite numbers, which is -0 when rounding towards minus infinity and +0 otherwise.
  var emptySum: UInt32 { rounding == 2 ? 0x8000_0000 : 0 }
}
