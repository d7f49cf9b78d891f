/// Instructions of two halfwords: which group they belong to, and data processing.
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

  /// A constant of 12 bits, expanded; the carry is 2 or 3 where it has one.
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
    let turn = code >> 7
    let value = (code & 0x7F | 0x80)
    let result = value >> turn | value << (32 - turn)
    return (result, 2 | result >> 31)
  }

  /// What D and N may be in data processing: whether this is a comparison or a move, and what is allowed.
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
    // MOV and MOVS of the stack pointer are allowed, without a shift.
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
