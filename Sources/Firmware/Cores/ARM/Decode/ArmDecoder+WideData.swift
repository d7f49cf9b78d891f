/// Instructions of two halfwords: registers alone, and products.
extension ArmDecoder {
  mutating func decodeRegisterData() {
    let (d, n, m) = (two(8, 4), one(0, 4), two(0, 4))
    let (kind, detail) = (one(4, 4), two(4, 4))
    guard two(12, 4) == 15 else { return undefined() }
    switch (kind, detail) {
    case (0...7, 0):
      guard !isBad(d, n, m) else { return unpredictable() }
      set(DataProcessing.shiftByRegister, d: d, n: n, m: m, x: one(5, 2) | one(4, 1) << 3)
    case (0...5, 8...15):
      guard !isBad(d, m), n != 13, two(6, 1) == 0 else { return unpredictable() }
      let handlers = [Bits.sxth, Bits.uxth, Bits.sxtb16, Bits.uxtb16, Bits.sxtb, Bits.uxtb]
      set(handlers[Int(kind)], d: d, n: n == 15 ? 16 : n, m: m, x: two(4, 2) * 8)
    case (8...15, 0...7):
      guard kind & 3 != 3, detail & 3 != 3 else { return undefined() }
      guard !isBad(d, n, m) else { return unpredictable() }
      set(Parallel.sums, d: d, n: n, m: m, x: (kind & 7) << 4 | detail)
    case (8, 8...11):
      guard !isBad(d, n, m) else { return unpredictable() }
      set(Saturate.sum, d: d, n: n, m: m, x: detail & 3)
    case (9, 8...11), (11, 8):
      guard !isBad(d, m), n == m else { return unpredictable() }
      let handlers = [Bits.rev, Bits.rev16, Bits.rbit, Bits.revsh]
      set(kind == 11 ? Bits.clz : handlers[Int(detail & 3)], d: d, m: m)
    case (10, 8):
      guard !isBad(d, n, m) else { return unpredictable() }
      set(Parallel.sel, d: d, n: n, m: m)
    default: undefined()
    }
  }

  mutating func decodeMultiply() {
    let (d, n, m, a) = (two(8, 4), one(0, 4), two(0, 4), two(12, 4))
    let (kind, detail) = (one(4, 3), two(4, 2))
    guard two(6, 2) == 0 else { return undefined() }
    if [2, 3, 4, 5, 6].contains(kind), detail > 1 { return undefined() }
    if kind == 0 && detail > 1 || kind == 7 && detail > 0 { return undefined() }
    guard !isBad(d, n, m), a != 13 else { return unpredictable() }
    let added = a == 15 ? 16 : a
    let hasNone = a == 15
    switch kind {
    case 0:
      if detail == 0 {
        set(
          hasNone ? Multiply.mul : Multiply.mla, d: d, n: n, m: m, a: added)
      } else {
        hasNone ? unpredictable() : set(Multiply.mls, d: d, n: n, m: m, a: a)
      }
    case 1: set(HalfMultiply.smla, d: d, n: n, m: m, a: added, x: detail)
    case 2: set(HalfMultiply.dual, d: d, n: n, m: m, a: added, x: detail)
    case 3: set(HalfMultiply.smlaw, d: d, n: n, m: m, a: added, x: detail)
    case 4: set(HalfMultiply.dual, d: d, n: n, m: m, a: added, x: detail | 2)
    case 5: set(HalfMultiply.most, d: d, n: n, m: m, a: added, x: detail)
    case 6:
      hasNone
        ? unpredictable() : set(HalfMultiply.most, d: d, n: n, m: m, a: a, x: detail | 2)
    default:
      detail == 0 ? set(Parallel.usad8, d: d, n: n, m: m, a: added) : undefined()
    }
  }

  mutating func decodeLongMultiply() {
    let (d, n, m, a) = (two(8, 4), one(0, 4), two(0, 4), two(12, 4))
    let (kind, detail) = (one(4, 3), two(4, 4))
    var handler: ArmHandler?
    var x: UInt32 = 0
    switch (kind, detail) {
    case (0, 0): handler = Multiply.smull
    case (2, 0): handler = Multiply.umull
    case (4, 0): handler = Multiply.smlal
    case (6, 0): handler = Multiply.umlal
    case (6, 6): handler = Multiply.umaal
    case (4, 8...11): (handler, x) = (HalfMultiply.smlalHalf, detail & 3)
    case (4, 12...13): (handler, x) = (HalfMultiply.dualLong, detail & 1)
    case (5, 12...13): (handler, x) = (HalfMultiply.dualLong, detail & 1 | 2)
    case (1, 15), (3, 15):
      guard !isBad(d, n, m), a == 15 else { return unpredictable() }
      return set(kind == 1 ? Multiply.sdiv : Multiply.udiv, d: d, n: n, m: m, cycles: 7)
    default: return undefined()
    }
    guard !isBad(d, n, m, a), d != a else { return unpredictable() }
    set(handler, d: d, n: n, m: m, a: a, x: x)
  }
}
