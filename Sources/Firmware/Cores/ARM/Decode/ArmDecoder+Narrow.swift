/// Instructions of one halfword: shifts, sums, logic, registers of both halves.
extension ArmDecoder {
  mutating func decodeNarrow() {
    switch first >> 12 {
    case 0, 1: decodeShiftOrSum()
    case 2, 3: decodeNarrowConstant()
    case 4:
      switch one(10, 2) {
      case 0: decodeNarrowData()
      case 1: decodeHighRegisters()
      default: decodeLoad(.ldr, d: one(8, 3), n: 16, imm: (address & ~3) &+ 4 &+ one(0, 8) * 4)
      }
    case 5: decodeNarrowIndexed()
    case 6, 7, 8, 9: decodeNarrowMemory()
    case 10:
      let (d, constant) = (one(8, 3), one(0, 8) * 4)
      if one(11, 1) == 0 {
        set(DataProcessing.constant[DataProcessing.add], d: d, imm: (address & ~3) &+ 4 &+ constant)
      } else {
        set(DataProcessing.constant[DataProcessing.add], d: d, n: 13, imm: constant)
      }
    case 11: decodeMiscellaneous()
    case 12: decodeNarrowMultiple()
    case 13: decodeNarrowBranch()
    default:
      guard !isInsideIT else { return unpredictable() }
      set(Branch.always, imm: address &+ 4 &+ Self.signed(one(0, 11) << 1, 12))
    }
  }

  /// The list of handlers that set flags, outside an IT block, or that do not.
  private func data(_ operation: Int, isConstant: Bool = false) -> ArmHandler? {
    if isConstant {
      return it == 0
        ? DataProcessing.constantSetting[operation] : DataProcessing.constant[operation]
    }
    return it == 0
      ? DataProcessing.registerSetting[operation] : DataProcessing.register[operation]
  }

  private mutating func decodeShiftOrSum() {
    let (d, n, kind) = (one(0, 3), one(3, 3), one(11, 2))
    guard kind == 3 else {
      let amount = one(6, 5)
      if kind == 0, amount == 0, it != 0 { return unpredictable() }
      let index = Int(kind) + (it == 0 ? 5 : 0)
      set(DataProcessing.shifts[index], d: d, m: n, imm: amount == 0 && kind != 0 ? 32 : amount)
      return
    }
    let operation = one(9, 1) == 0 ? DataProcessing.add : DataProcessing.sub
    if one(10, 1) == 0 {
      set(data(operation), d: d, n: n, m: one(6, 3))
    } else {
      set(data(operation, isConstant: true), d: d, n: n, imm: one(6, 3))
    }
  }

  private mutating func decodeNarrowConstant() {
    let (d, constant) = (one(8, 3), one(0, 8))
    switch one(11, 2) {
    case 0: set(data(DataProcessing.orr, isConstant: true), d: d, imm: constant)
    case 1: set(DataProcessing.constantSetting[DataProcessing.sub], n: d, imm: constant)
    case 2: set(data(DataProcessing.add, isConstant: true), d: d, n: d, imm: constant)
    default: set(data(DataProcessing.sub, isConstant: true), d: d, n: d, imm: constant)
    }
  }

  private mutating func decodeNarrowData() {
    let (d, m) = (one(0, 3), one(3, 3))
    let setting = DataProcessing.registerSetting
    func shift(_ type: UInt32) -> UInt32 { type | (it == 0 ? 8 : 0) }
    switch one(6, 4) {
    case 0: set(data(DataProcessing.and), d: d, n: d, m: m)
    case 1: set(data(DataProcessing.eor), d: d, n: d, m: m)
    case 2: set(DataProcessing.shiftByRegister, d: d, n: d, m: m, x: shift(0))
    case 3: set(DataProcessing.shiftByRegister, d: d, n: d, m: m, x: shift(1))
    case 4: set(DataProcessing.shiftByRegister, d: d, n: d, m: m, x: shift(2))
    case 5: set(data(DataProcessing.adc), d: d, n: d, m: m)
    case 6: set(data(DataProcessing.sbc), d: d, n: d, m: m)
    case 7: set(DataProcessing.shiftByRegister, d: d, n: d, m: m, x: shift(3))
    case 8: set(setting[DataProcessing.and], n: d, m: m)
    case 9: set(data(DataProcessing.rsb, isConstant: true), d: d, n: m)
    case 10: set(setting[DataProcessing.sub], n: d, m: m)
    case 11: set(setting[DataProcessing.add], n: d, m: m)
    case 12: set(data(DataProcessing.orr), d: d, n: d, m: m)
    case 13: set(it == 0 ? Multiply.mulSetting : Multiply.mul, d: d, n: m, m: d)
    case 14: set(data(DataProcessing.bic), d: d, n: d, m: m)
    default: set(data(DataProcessing.orn), d: d, m: m)
    }
  }

  private mutating func decodeHighRegisters() {
    let (d, m) = (one(0, 3) | one(7, 1) << 3, one(3, 4))
    let here = address &+ 4
    let kind = one(8, 2)
    switch kind {
    case 0, 2:
      if d == 15 {
        if isInsideIT || kind == 0 && m == 15 { return unpredictable() }
        let isOwn = m == 15 || kind == 0
        set(Branch.computed, m: m == 15 ? 16 : m, imm: isOwn ? here : 0)
      } else {
        let operation = kind == 0 ? DataProcessing.add : DataProcessing.orr
        let n = kind == 0 ? d : 16
        masksStack = d == 13
        if m == 15 {
          set(DataProcessing.constant[operation], d: d, n: n, imm: here)
        } else {
          set(DataProcessing.register[operation], d: d, n: n, m: m)
        }
      }
    case 1:
      if d == 15 || m == 15 || d < 8 && m < 8 { return unpredictable() }
      set(DataProcessing.registerSetting[DataProcessing.sub], n: d, m: m)
    default:
      if isInsideIT || first & 7 != 0 { return unpredictable() }
      guard m != 15 else {
        return one(7, 1) == 0 ? set(Branch.exchange, m: 16) : unpredictable()
      }
      set(one(7, 1) == 0 ? Branch.exchange : Branch.linkExchange, m: m)
    }
  }
}
