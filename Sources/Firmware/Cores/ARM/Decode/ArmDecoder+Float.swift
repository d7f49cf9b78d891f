/// Decoding of FPU instructions.
extension ArmDecoder {
  mutating func decodeCoprocessor() {
    guard two(9, 3) == 5, features.hasFloat else { return set(System.noCoprocessor) }
    guard features.allowsFloat else { return set(System.noCoprocessor) }
    guard one(12, 1) == 0 else { return undefined() }
    switch first >> 8 & 3 {
    case 0, 1: decodeFloatMemory()
    case 2: two(4, 1) == 0 ? decodeFloatData() : decodeFloatTransfer()
    default: set(System.noCoprocessor)
    }
  }

  /// The number of the single-precision register that the D field of the encoding selects.
  private var singleD: UInt32 { two(12, 4) << 1 | one(6, 1) }
  /// The number of the single-precision register that the N field of the encoding selects.
  private var singleN: UInt32 { one(0, 4) << 1 | two(7, 1) }
  /// The number of the single-precision register that the M field of the encoding selects.
  private var singleM: UInt32 { two(0, 4) << 1 | two(5, 1) }

  private mutating func decodeFloatData() {
    guard two(8, 1) == 0 else { return undefined() }
    let other = two(6, 1)
    let kind = one(7, 1) << 2 | one(4, 2)
    if kind == 7 { return other == 0 ? decodeFloatConstant() : decodeFloatSingle() }
    let operations: [(UInt8, UInt8)] = [
      (FloatData.mla, 3), (FloatData.nmls, 3), (FloatData.mul, 1), (FloatData.add, 1),
      (FloatData.div, 14), (FloatData.fnms, 3), (FloatData.fma, 3),
    ]
    if kind == 4, other != 0 { return undefined() }
    let (operation, cycles) = operations[Int(kind)]
    set(
      FloatData.arithmetic, d: singleD, n: singleN, m: singleM, x: UInt32(operation) + other,
      cycles: cycles)
  }

  private mutating func decodeFloatConstant() {
    guard two(7, 1) == 0, two(5, 1) == 0 else { return unpredictable() }
    let code = one(0, 4) << 4 | two(0, 4)
    let exponent: UInt32 = code >> 6 & 1 != 0 ? 0x7C : 0x80
    set(
      FloatData.constant, d: singleD,
      imm: (code >> 7) << 31 | (exponent | code >> 4 & 3) << 23 | (code & 15) << 19)
  }

  private mutating func decodeFloatSingle() {
    let (d, m, other) = (singleD, singleM, two(7, 1))
    switch one(0, 4) {
    case 0: set(other == 0 ? FloatData.move : FloatData.abs, d: d, m: m)
    case 1:
      other == 0
        ? set(FloatData.neg, d: d, m: m) : set(FloatData.root, d: d, m: m, cycles: 14)
    case 2, 3: set(FloatData.halves, d: d, m: m, x: other | one(0, 1) << 1)
    case 4: set(FloatData.compare, d: d, m: m, x: other)
    case 5:
      guard two(5, 1) == 0, two(0, 4) == 0 else { return unpredictable() }
      set(FloatData.compare, d: d, x: other | 2)
    case 8: set(FloatData.fromInteger, d: d, m: m, x: other)
    case 12, 13: set(FloatData.toInteger, d: d, m: m, x: one(0, 1) | other << 2)
    case 10, 11, 14, 15:
      let (size, code): (UInt32, UInt32) = (other != 0 ? 32 : 16, two(0, 4) << 1 | two(5, 1))
      guard code <= size else { return unpredictable() }
      let x = (one(0, 1) ^ 1) | (other ^ 1) << 1 | 8
      if one(2, 1) == 0 {
        set(FloatData.fromInteger, d: d, m: d, x: x, imm: size - code)
      } else {
        set(FloatData.toInteger, d: d, m: d, x: x | 4, imm: size - code)
      }
    default: undefined()
    }
  }

  private mutating func decodeFloatTransfer() {
    let (t, isLoad) = (two(12, 4), one(4, 1) != 0)
    let handler = isLoad ? FloatMoves.toCore : FloatMoves.fromCore
    if two(8, 1) != 0 {
      guard one(6, 2) == 0, two(5, 2) == 0, two(7, 1) == 0 else { return undefined() }
      guard !isBad(t), two(0, 4) == 0 else { return unpredictable() }
      return set(handler, d: t, n: one(0, 4) << 1 | one(5, 1))
    }
    switch one(5, 3) {
    case 0:
      guard !isBad(t), two(0, 4) == 0, two(5, 2) == 0 else { return unpredictable() }
      set(handler, d: t, n: singleN)
    case 7:
      guard one(0, 4) == 1 else { return undefined() }
      guard t != 13, t != 15 || isLoad, second & 0xEF == 0 else { return unpredictable() }
      set(isLoad ? FloatMoves.readStatus : FloatMoves.writeStatus, d: t)
    default: undefined()
    }
  }

  private mutating func decodeFloatMemory() {
    let (before, up, changes, isLoad) = (one(8, 1), one(7, 1), one(5, 1), one(4, 1))
    let (n, isDouble, words) = (one(0, 4), two(8, 1) != 0, two(0, 8))
    if before == 0, up == 0, changes == 0 { return decodeFloatPair() }
    if before == up, changes != 0 { return undefined() }
    if isDouble, one(6, 1) != 0 { return undefined() }
    let d = isDouble ? two(12, 4) << 1 : singleD
    guard before == 0 || changes != 0 else {
      guard n != 15 || isLoad != 0 else { return unpredictable() }
      let distance = up != 0 ? words * 4 : 0 &- words * 4
      let base = n == 15 ? (address & ~3) &+ 4 : 0
      return set(
        FloatMoves.memory, d: d, n: n == 15 ? 16 : n, a: isDouble ? 2 : 1, x: isLoad,
        imm: base &+ distance, cycles: isDouble ? 3 : 2)
    }
    guard n != 15, words != 0, d + words <= 32, !isDouble || words & 1 == 0 else {
      return unpredictable()
    }
    set(
      FloatMoves.memory, d: d, n: n, a: words, x: isLoad | changes << 1 | (up == 0 ? 4 : 0),
      imm: up != 0 ? 0 : 0 &- words * 4, cycles: UInt8(1 + words))
  }

  private mutating func decodeFloatPair() {
    guard one(6, 1) != 0 else { return undefined() }
    let (t, second, isLoad, isDouble) = (two(12, 4), one(0, 4), one(4, 1), two(8, 1) != 0)
    guard two(6, 2) == 0, two(4, 1) != 0 else { return undefined() }
    if isDouble, two(5, 1) != 0 { return undefined() }
    let m = isDouble ? two(0, 4) << 1 : singleM
    guard !isBad(t, second), isLoad == 0 || t != second, m != 31 else { return unpredictable() }
    set(FloatMoves.pair, d: t, m: m, a: second, x: isLoad, cycles: 2)
  }
}
