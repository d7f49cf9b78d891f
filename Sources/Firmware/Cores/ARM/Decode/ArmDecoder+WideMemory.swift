/// Instructions of two halfwords that load and store.
extension ArmDecoder {
  /// One register.
  mutating func decodeSingle() {
    let (n, d, size) = (one(0, 4), two(12, 4), one(5, 2))
    let (isSigned, isLoad) = (one(8, 1) != 0, one(4, 1) != 0)
    if size == 3 || isSigned && (!isLoad || size == 2) || !isLoad && n == 15 { return undefined() }
    let kinds: [LoadStore.Kind] =
      isSigned ? [.ldrsb, .ldrsh] : isLoad ? [.ldrb, .ldrh, .ldr] : [.strb, .strh, .str]
    let kind = kinds[Int(size)]
    if n == 15 {
      let here = (address & ~3) &+ 4
      let imm = one(7, 1) != 0 ? here &+ two(0, 12) : here &- two(0, 12)
      return finishLoad(kind, d: d, n: 16, imm: imm)
    }
    if one(7, 1) != 0 { return finishLoad(kind, d: d, n: n, imm: two(0, 12)) }
    guard two(11, 1) != 0 else {
      guard two(6, 5) == 0 else { return undefined() }
      guard !isBad(two(0, 4)) else { return unpredictable() }
      return finishIndexed(kind, d: d, n: n)
    }
    let (before, up, changes) = (two(10, 1) != 0, two(9, 1) != 0, two(8, 1) != 0)
    let imm = up ? two(0, 8) : 0 &- two(0, 8)
    guard before || changes else { return undefined() }
    if before, !changes { return finishLoad(kind, d: d, n: n, imm: imm, asUser: up) }
    finishChanging(kind, d: d, n: n, imm: imm, isBefore: before)
  }

  /// Whether a register may be moved: the stack pointer only as a word, the program counter only by a load of one.
  private func mayMove(_ kind: LoadStore.Kind, _ d: UInt32) -> Bool {
    switch kind {
    case .ldr: d != 15 || !isInsideIT
    case .str: d != 15
    default: !isBad(d)
    }
  }

  private mutating func finishLoad(
    _ kind: LoadStore.Kind, d: UInt32, n: UInt32, imm: UInt32, asUser: Bool = false
  ) {
    if asUser {
      // The form with a positive constant of 8 bits, without a change of N, is the unprivileged one.
      if isBad(d) { return unpredictable() }
      return set(LoadStore.unprivileged[kind.rawValue], d: d, n: n, imm: imm, cycles: 2)
    }
    if d == 15, kind.rawValue > LoadStore.Kind.ldr.rawValue { return set(System.nothing) }
    guard mayMove(kind, d) else { return unpredictable() }
    if d == 15 { return set(LoadStore.program, n: n, imm: imm, cycles: 2) }
    decodeLoad(kind, d: d, n: n, imm: imm)
    masksStack = d == 13 && kind == .ldr
  }

  private mutating func finishIndexed(_ kind: LoadStore.Kind, d: UInt32, n: UInt32) {
    if d == 15, kind.rawValue > LoadStore.Kind.ldr.rawValue { return set(System.nothing) }
    guard mayMove(kind, d) else { return unpredictable() }
    let (m, shift) = (two(0, 4), two(4, 2))
    if d == 15 { return set(LoadStore.program, n: n, m: m, x: 0x80 | shift, cycles: 2) }
    set(LoadStore.indexed[kind.rawValue], d: d, n: n, m: m, x: shift, cycles: 2)
    masksStack = d == 13 && kind == .ldr
  }

  private mutating func finishChanging(
    _ kind: LoadStore.Kind, d: UInt32, n: UInt32, imm: UInt32, isBefore: Bool
  ) {
    guard mayMove(kind, d), n != d else { return unpredictable() }
    let x: UInt32 = isBefore ? 1 : 0
    if d == 15 {
      set(LoadStore.program, n: n, x: 0x40 | x, imm: imm, cycles: 2)
      if n == 13, imm & 3 != 0 { unpredictable() }
      return
    }
    set(LoadStore.writeBack[kind.rawValue], d: d, n: n, x: x, imm: imm, cycles: 2)
    masksStack = d == 13 && kind == .ldr || n == 13 && imm & 3 != 0
  }

  /// Several registers.
  mutating func decodeWideMultiple() {
    let (n, list, changes) = (one(0, 4), second, one(5, 1))
    let (isLoad, way) = (one(4, 1) != 0, one(7, 2))
    guard way == 1 || way == 2 else { return undefined() }
    guard n != 15, list.nonzeroBitCount > 1, list >> 13 & 1 == 0 else { return unpredictable() }
    if changes != 0, list >> n & 1 != 0 { return unpredictable() }
    let x = (way == 2 ? 1 : 0) | changes << 1
    if isLoad {
      guard list >> 14 != 3, list >> 15 == 0 || !isInsideIT else { return unpredictable() }
      setMultiple(Multiple.load, n: n, x: x, list)
    } else {
      guard list >> 15 == 0 else { return unpredictable() }
      setMultiple(n == 13 && x == 3 ? Multiple.push : Multiple.store, n: n, x: x, list)
    }
  }

  /// Two registers, exclusive ones, and tables of jumps.
  mutating func decodeDual() {
    let (n, d, a, imm) = (one(0, 4), two(12, 4), two(8, 4), two(0, 8) * 4)
    let (before, up, changes, isLoad) = (one(8, 1), one(7, 1), one(5, 1), one(4, 1))
    if before == 0, changes == 0 {
      if up != 0 { return decodeExclusiveOrTable() }
      guard n != 15, !isBad(d) else { return unpredictable() }
      if isLoad != 0 {
        guard a == 15 else { return unpredictable() }
        return set(LoadStore.loadExclusive, d: d, n: n, x: 4, imm: imm, cycles: 2)
      }
      guard !isBad(a), a != n, a != d else { return unpredictable() }
      return set(LoadStore.storeExclusive, d: a, n: n, a: d, x: 4, imm: imm, cycles: 2)
    }
    guard !isBad(d, a), d != a || isLoad == 0 else { return unpredictable() }
    guard n != 15 || isLoad != 0 && changes == 0 else { return unpredictable() }
    if changes != 0, n == d || n == a { return unpredictable() }
    let distance = up != 0 ? imm : 0 &- imm
    let base = n == 15 ? (address & ~3) &+ 4 : 0
    set(
      LoadStore.double, d: d, n: n == 15 ? 16 : n, a: a, x: before | changes << 1 | isLoad << 2,
      imm: base &+ distance, cycles: 3)
  }

  private mutating func decodeExclusiveOrTable() {
    let (n, d, m, isLoad) = (one(0, 4), two(12, 4), two(0, 4), one(4, 1) != 0)
    switch (two(4, 4), isLoad) {
    case (0, true), (1, true):
      guard second >> 8 == 0xF0, !isBad(m), n != 13, !isInsideIT else { return unpredictable() }
      set(
        Branch.table, n: n == 15 ? 16 : n, m: m, x: two(4, 1), imm: n == 15 ? address &+ 4 : 0,
        cycles: 2)
    case (4, true), (5, true):
      guard two(8, 4) == 15, m == 15, n != 15, !isBad(d) else { return unpredictable() }
      set(LoadStore.loadExclusive, d: d, n: n, x: 1 + two(4, 1), cycles: 2)
    case (4, false), (5, false):
      guard two(8, 4) == 15, n != 15, !isBad(d, m), m != n, m != d else { return unpredictable() }
      set(LoadStore.storeExclusive, d: m, n: n, a: d, x: 1 + two(4, 1), cycles: 2)
    default: undefined()
    }
  }
}
