/// Decoding of 32-bit instructions: dispatch by encoding group, and data processing with constants.
extension ArmDecoder {
  mutating func decodeWide() {
    if features.isBaseline {
      return first & 0xF800 == 0xF000 && second & 0x8000 != 0 ? decodeWideBranch() : undefined()
    }
    switch first >> 9 & 0x3F {
    case 0b110100: one(6, 1) == 0 ? decodeWideMultiple() : decodeDual()
    case 0b110101: decodeShiftedRegister()
    case 0b110110, 0b110111, 0b111110, 0b111111: decodeCoprocessor()
    case 0b111000, 0b111001, 0b111010, 0b111011:
      if second & 0x8000 != 0 { return decodeWideBranch() }
      one(9, 1) == 0 ? decodeModifiedConstant() : decodePlainConstant()
    case 0b111100: decodeSingle()
    default:
      switch first >> 7 & 3 {
      case 0, 1: decodeRegisterData()
      case 2: decodeMultiply()
      default: decodeLongMultiply()
      }
    }
  }

  /// The value of the 12-bit modified immediate (ThumbExpandImm_C), or `nil` if its encoding is UNPREDICTABLE.
  ///
  /// `carry` is 0 if the carry flag is unchanged, and otherwise 2 plus the carry-out.
  private var expanded: (value: UInt32, carry: UInt32)? {
    let code = one(10, 1) << 11 | two(12, 3) << 8 | two(0, 8)
    let byte = code & 0xFF
    if code >> 10 == 0 {
      if code >> 8 != 0, byte == 0 { return nil }
      switch code >> 8 {
      case 0: return (byte, 0)
      case 1: return (byte << 16 | byte, 0)
      case 2: return (byte << 24 | byte << 8, 0)
      default: return (byte * 0x0101_0101, 0)
      }
    }
    let rotation = code >> 7
    let value = (code & 0x7F | 0x80)
    let result = value >> rotation | value << (32 - rotation)
    return (result, 2 | result >> 31)
  }

  /// Checks the registers of a data-processing instruction.
  ///
  /// - Returns: the number of the register that is the first operand, and `isTest`, which is `true` for a comparison
  ///   without a result; `nil` if the register combination is UNPREDICTABLE.
  private func operands(_ operation: Int, _ sets: Bool) -> (n: UInt32, isTest: Bool)? {
    let (n, d) = (one(0, 4), two(8, 4))
    let hasTest = [0, 4, 8, 13].contains(operation) && sets && d == 15
    let isMove = (operation == 2 || operation == 3) && n == 15
    let isSum = operation == 8 || operation == 13
    guard d != 15 || hasTest, n != 15 || isMove else { return nil }
    let isStack = isSum && n == 13
    guard n != 13 || isStack, d != 13 || isStack else { return nil }
    return (isMove ? 16 : n, hasTest)
  }

  private mutating func decodeModifiedConstant() {
    let (operation, sets) = (Int(one(5, 4)), one(4, 1) != 0)
    guard DataProcessing.constant[operation] != nil else { return undefined() }
    guard let (value, carry) = expanded, let (n, isTest) = operands(operation, sets) else {
      return unpredictable()
    }
    let d = two(8, 4)
    masksStack = d == 13 && !isTest
    let list = sets ? DataProcessing.constantSetting : DataProcessing.constant
    set(list[operation], d: d, n: n, x: carry, imm: value)
  }

  mutating func decodeShiftedRegister() {
    let (operation, sets) = (Int(one(5, 4)), one(4, 1) != 0)
    let (d, m, type) = (two(8, 4), two(0, 4), two(4, 2))
    let amount = two(12, 3) << 2 | two(6, 2)
    if operation == 6 { return decodePack(amount) }
    guard DataProcessing.register[operation] != nil else { return undefined() }
    let n = one(0, 4)
    // MOV and MOVS may use the stack pointer if there is no shift.
    let isPlainMove = operation == 2 && n == 15 && type == 0 && amount == 0 && !sets
    if isPlainMove, m != 15, d != 15, m != 13 || d != 13 {
      guard two(15, 1) == 0 else { return unpredictable() }
      masksStack = d == 13
      return set(DataProcessing.register[operation], d: d, m: m)
    }
    guard let (n, isTest) = operands(operation, sets), !isBad(m), two(15, 1) == 0 else {
      return unpredictable()
    }
    if d == 13, type != 0 || amount > 3 { return unpredictable() }
    masksStack = d == 13 && !isTest
    let shift = type == 3 && amount == 0 ? 4 : type
    let by = amount == 0 && (type == 1 || type == 2) ? 32 : amount
    if shift == 0, by == 0 {
      let list = sets ? DataProcessing.registerSetting : DataProcessing.register
      set(list[operation], d: d, n: n, m: m)
    } else if operation == 2, n == 16 {
      set(DataProcessing.shifts[Int(shift) + (sets ? 5 : 0)], d: d, m: m, imm: by)
    } else {
      let x = UInt32(operation) << 4 | (sets ? 8 : 0) | shift
      set(DataProcessing.shifted, d: d, n: n, m: m, x: x, imm: by)
    }
  }

  private mutating func decodePack(_ amount: UInt32) {
    let (d, n, m, isTop) = (two(8, 4), one(0, 4), two(0, 4), two(5, 1))
    if one(4, 1) != 0 || two(4, 1) != 0 { return undefined() }
    guard !isBad(d, n, m), two(15, 1) == 0 else { return unpredictable() }
    let shift: UInt32 = isTop != 0 ? 2 : 0
    set(
      Bits.pack, d: d, n: n, m: m, x: shift | isTop << 7,
      imm: isTop != 0 && amount == 0 ? 32 : amount)
  }

  private mutating func decodePlainConstant() {
    let (d, n) = (two(8, 4), one(0, 4))
    let constant = one(10, 1) << 11 | two(12, 3) << 8 | two(0, 8)
    switch one(4, 5) {
    case 0, 10:
      let operation = one(4, 5) == 0 ? DataProcessing.add : DataProcessing.sub
      guard d != 15, d != 13 || n == 13 else { return unpredictable() }
      if n == 15 {
        let here = (address & ~3) &+ 4
        return set(
          DataProcessing.constant[DataProcessing.add], d: d,
          imm: operation == DataProcessing.add ? here &+ constant : here &- constant)
      }
      masksStack = d == 13
      set(DataProcessing.constant[operation], d: d, n: n, imm: constant)
    case 4, 12:
      guard !isBad(d) else { return unpredictable() }
      let value = n << 12 | constant
      if one(7, 1) == 0 {
        set(DataProcessing.constant[DataProcessing.orr], d: d, imm: value)
      } else {
        set(DataProcessing.moveTop, d: d, imm: value << 16)
      }
    case 16, 18, 24, 26: decodeSaturation()
    case 20, 22, 28: decodeField()
    default: undefined()
    }
  }

  private mutating func decodeSaturation() {
    let (d, n, amount) = (two(8, 4), one(0, 4), two(12, 3) << 2 | two(6, 2))
    let isUnsigned = one(7, 1)
    let isShiftedRight = one(5, 1) != 0
    guard !isBad(d, n), one(10, 1) == 0, two(5, 1) == 0 else { return unpredictable() }
    if isShiftedRight, amount == 0 {
      guard two(4, 1) == 0 else { return unpredictable() }
      let width = two(0, 4) + 1 - isUnsigned
      return set(Saturate.halves, d: d, n: n, a: width, x: isUnsigned << 7)
    }
    let width = two(0, 5) + 1 - isUnsigned
    set(
      Saturate.word, d: d, n: n, a: width, x: isUnsigned << 7 | (isShiftedRight ? 2 : 0),
      imm: amount)
  }

  private mutating func decodeField() {
    let (d, n, low, last) = (two(8, 4), one(0, 4), two(12, 3) << 2 | two(6, 2), two(0, 5))
    guard !isBad(d), n != 13, one(10, 1) == 0, two(5, 1) == 0 else { return unpredictable() }
    if one(4, 5) == 22 {
      guard last >= low else { return unpredictable() }
      return set(Bits.bfi, d: d, n: n == 15 ? 16 : n, a: last - low + 1, x: low)
    }
    guard n != 15, low + last <= 31 else { return unpredictable() }
    set(one(4, 5) == 20 ? Bits.sbfx : Bits.ubfx, d: d, n: n, a: last + 1, x: low)
  }
}

/// Decoding of 32-bit register-only data processing, and of multiplication and division.
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

/// Decoding of 32-bit loads and stores.
extension ArmDecoder {
  /// Decodes a load or store of a single register.
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

  /// Returns whether a load or store may transfer the register: LDR and STR may transfer SP, only LDR may transfer PC.
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
      // This is an unprivileged access (LDRT, STRT): a positive 8-bit immediate without write-back.
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

  /// Decodes LDM and STM.
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

  /// Decodes LDRD, STRD, exclusive accesses, TBB and TBH.
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

/// Decoding of 32-bit branches and miscellaneous control instructions.
extension ArmDecoder {
  mutating func decodeWideBranch() {
    switch two(12, 3) & 5 {
    case 0:
      if features.isBaseline || one(7, 3) == 7 { return decodeControl() }
      guard it == 0 else { return unpredictable() }
      let low = one(0, 6) << 12 | two(0, 11) << 1
      let distance = one(10, 1) << 20 | two(11, 1) << 19 | two(13, 1) << 18 | low
      set(Branch.conditional[Int(one(6, 4))], imm: address &+ 4 &+ Self.signed(distance, 21))
    case 1 where !features.isBaseline:
      guard !isInsideIT else { return unpredictable() }
      set(Branch.always, imm: farTarget)
    case 5:
      guard !isInsideIT else { return unpredictable() }
      set(Branch.link, imm: farTarget)
    default: undefined()
    }
  }

  private var farTarget: UInt32 {
    let sign = one(10, 1)
    let high = sign << 24 | (~(two(13, 1) ^ sign) & 1) << 23 | (~(two(11, 1) ^ sign) & 1) << 22
    return address &+ 4 &+ Self.signed(high | one(0, 10) << 12 | two(0, 11) << 1, 25)
  }

  private mutating func decodeControl() {
    switch (first, two(12, 3)) {
    case (0xF380...0xF38F, 0), (0xF380...0xF38F, 2): decodeSpecialWrite()
    case (0xF3AF, 0) where !features.isBaseline:
      guard two(8, 4) == 0 else { return two(8, 3) == 0 ? unpredictable() : undefined() }
      switch two(0, 8) {
      case 2: set(System.waitForEvent)
      case 3: set(System.waitForInterrupt)
      case 4: set(System.sendEvent)
      default: set(System.nothing)
      }
    case (0xF3BF, 0):
      guard two(8, 4) == 15 else { return unpredictable() }
      switch two(4, 4) {
      case 2 where !features.isBaseline:
        two(0, 4) == 15 ? set(System.clearExclusive) : unpredictable()
      case 4, 5, 6: set(System.nothing, cycles: 2)
      default: undefined()
      }
    case (0xF3EF, 0):
      guard !isBad(two(8, 4)), isSpecial(two(0, 8)) else { return unpredictable() }
      set(System.read, d: two(8, 4), imm: two(0, 8))
    default: undefined()
    }
  }

  private func isSpecial(_ number: UInt32) -> Bool {
    switch number {
    case 0...3, 5...9, 16, 20: true
    case 17...19: !features.isBaseline
    default: false
    }
  }

  private mutating func decodeSpecialWrite() {
    let (mask, number) = (two(10, 2), two(0, 8))
    guard first & 0xFFF0 == 0xF380, two(8, 2) == 0, two(13, 1) == 0, !isBad(one(0, 4)),
      isSpecial(number), mask == 2 || mask != 0 && number <= 3
    else { return unpredictable() }
    set(System.write, n: one(0, 4), x: mask, imm: number)
  }
}
