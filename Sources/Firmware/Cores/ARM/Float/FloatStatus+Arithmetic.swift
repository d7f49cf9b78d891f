/// The four operations, the root and the fused product, on bits.
extension FloatStatus {
  private func wide(_ bits: UInt32) -> Double { Double(Float(bitPattern: bits)) }

  mutating func add(_ first: UInt32, _ second: UInt32) -> UInt32 {
    let (a, b) = (operand(first), operand(second))
    if let nan = nan(a, b) { return nan }
    switch (Self.isInfinite(a), Self.isInfinite(b)) {
    case (true, true): return a == b ? a : refuse()
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
      return Self.isZero(a) || Self.isZero(b) ? refuse() : sign | 0x7F80_0000
    }
    if Self.isZero(a) || Self.isZero(b) { return sign }
    return narrow(wide(a) * wide(b))
  }

  mutating func divide(_ first: UInt32, _ second: UInt32) -> UInt32 {
    let (a, b) = (operand(first), operand(second))
    if let nan = nan(a, b) { return nan }
    let sign = (a ^ b) & 0x8000_0000
    switch (Self.isInfinite(a), Self.isInfinite(b)) {
    case (true, true): return refuse()
    case (true, false): return sign | 0x7F80_0000
    case (false, true): return sign
    case (false, false): break
    }
    if Self.isZero(b) {
      if Self.isZero(a) { return refuse() }
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
    if a & 0x8000_0000 != 0 { return refuse() }
    if Self.isInfinite(a) { return a }
    let root = wide(a).squareRoot()
    return narrow(Self.odd(root, left: wide(a).addingProduct(-root, root)))
  }

  /// `addend + a * b`, rounded once.
  mutating func fuse(_ addend: UInt32, _ first: UInt32, _ second: UInt32) -> UInt32 {
    let (c, a, b) = (operand(addend), operand(first), operand(second))
    let isInvalid =
      Self.isInfinite(a) && Self.isZero(b) || Self.isZero(a) && Self.isInfinite(b)
    if Self.isNaN(c), !Self.isSignaling(c), isInvalid { return refuse() }
    if let nan = nan(c, a, b) { return nan }
    if isInvalid { return refuse() }
    let sign = (a ^ b) & 0x8000_0000
    if Self.isInfinite(a) || Self.isInfinite(b) {
      return Self.isInfinite(c) && c & 0x8000_0000 != sign ? refuse() : sign | 0x7F80_0000
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

  /// Compares: NZCV into the status.
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
