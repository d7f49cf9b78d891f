/// A decoder that turns the one or two halfwords of an instruction into an operation.
///
/// UNPREDICTABLE encodings decode as undefined, so a program that uses one takes a UsageFault.
struct ArmDecoder {
  /// The instruction set extensions of a core.
  struct Features {
    /// `true` for ARMv6-M, which has the 16-bit instructions and a few 32-bit ones.
    var isBaseline = false
    /// `true` if the core has an FPU.
    var hasFloat = true
    /// `true` if CPACR enables the FPU.
    var allowsFloat = true
  }

  /// The first halfword of the instruction.
  let first: UInt32
  /// The second halfword of the instruction; 0 if the memory ends before it.
  let second: UInt32
  let address: UInt32
  /// ITSTATE before the instruction.
  let it: UInt8
  let features: Features
  /// The decoded operation.
  var op: ArmOp
  /// `true` if the encoding is UNPREDICTABLE.
  var isUnpredictable = false
  /// `true` if the instruction may write R13 with a value whose bits 1:0 are not 0, which the core must then clear.
  var masksStack = false

  /// `true` if the instruction lowers the stack pointer, so the core must check the stack limit.
  ///
  /// These instructions are VPUSH, STR and STRD with write-back to R13, and subtractions from R13. PUSH is not among
  /// them because its handler checks the limit. Moves to R13 are excluded because programs switch stacks that way.
  var lowersStack: Bool {
    switch first {
    case 0xB080...0xB0FF, 0xE96D: true
    case 0x4400...0x44FF: first & 0x87 == 0x85
    case 0xED2D, 0xED6D: true
    case 0xF84D: second & 0x0F00 == 0x0D00
    case 0xF1AD, 0xF5AD, 0xF2AD, 0xF6AD: second & 0x8F00 == 0x0D00
    case 0xEBAD: second & 0x0F00 == 0x0D00
    default: false
    }
  }

  /// Decodes an instruction.
  init(
    first: UInt16, second: UInt16, address: UInt32, it: UInt8 = 0, features: Features = .init()
  ) {
    self.first = UInt32(first)
    self.second = UInt32(second)
    self.address = address
    self.it = it
    self.features = features
    op = ArmOp(System.undefined, at: address)
    op.it = it
    op.slots = Self.isWide(first) ? 2 : 1
    if op.slots == 2 { decodeWide() } else { decodeNarrow() }
  }

  /// Returns whether the halfword is the first of a 32-bit instruction.
  static func isWide(_ halfword: UInt16) -> Bool { halfword >> 11 >= 0b11101 }

  /// Returns whether the halfword is an IT instruction.
  static func isIT(_ halfword: UInt16) -> Bool { halfword & 0xFF00 == 0xBF00 && halfword & 15 != 0 }

  /// Returns ITSTATE after an instruction, given ITSTATE before it (ITAdvance).
  static func advance(_ it: UInt8) -> UInt8 {
    it & 7 == 0 ? 0 : it & 0xE0 | it << 1 & 0x1F
  }

  /// `true` if the instruction is inside an IT block but is not the last one, so it must not branch.
  var isInsideIT: Bool { it & 7 != 0 }

  /// Marks the encoding as UNPREDICTABLE.
  mutating func unpredictable() {
    op.run = System.undefined
    isUnpredictable = true
    masksStack = false
  }

  mutating func undefined() {
    op.run = System.undefined
    masksStack = false
  }

  /// Sets the handler and operands of the operation.
  mutating func set(
    _ run: ArmHandler?, d: UInt32 = 15, n: UInt32 = 16, m: UInt32 = 16, a: UInt32 = 16,
    x: UInt32 = 0, imm: UInt32 = 0, cycles: UInt8 = 1
  ) {
    guard let run else { return undefined() }
    op.run = run
    (op.d, op.n, op.m, op.a) = (UInt8(d), UInt8(n), UInt8(m), UInt8(a))
    op.x = UInt8(x)
    op.imm = imm
    op.cycles = cycles
  }

  /// Returns `count` bits of the first halfword, starting at bit `low`.
  func one(_ low: UInt32, _ count: UInt32) -> UInt32 { first >> low & (1 << count - 1) }
  /// Returns `count` bits of the second halfword, starting at bit `low`.
  func two(_ low: UInt32, _ count: UInt32) -> UInt32 { second >> low & (1 << count - 1) }

  /// Sign-extends a value of `bits` bits.
  static func signed(_ value: UInt32, _ bits: UInt32) -> UInt32 {
    UInt32(bitPattern: Int32(bitPattern: value << (32 - bits)) >> Int32(32 - bits))
  }

  /// Returns whether one of the registers is R13 or R15, which most 32-bit instructions do not allow.
  func isBad(_ registers: UInt32...) -> Bool { registers.contains { $0 == 13 || $0 == 15 } }
}

/// Decoding of 16-bit instructions: shifts, arithmetic, logic, and high registers.
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

  /// Returns the handler for a 16-bit data-processing operation, which sets the flags outside IT blocks only.
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

/// Decoding of 16-bit loads, stores, branches and miscellaneous instructions.
extension ArmDecoder {
  /// Sets the operation to a load or store with an immediate offset.
  mutating func decodeLoad(_ kind: LoadStore.Kind, d: UInt32, n: UInt32, imm: UInt32) {
    set(LoadStore.constant[kind.rawValue], d: d, n: n, imm: imm, cycles: 2)
  }

  mutating func decodeNarrowIndexed() {
    let kinds: [LoadStore.Kind] = [.str, .strh, .strb, .ldrsb, .ldr, .ldrh, .ldrb, .ldrsh]
    let kind = kinds[Int(one(9, 3))]
    set(
      LoadStore.indexed[kind.rawValue], d: one(0, 3), n: one(3, 3), m: one(6, 3), cycles: 2)
  }

  mutating func decodeNarrowMemory() {
    let (d, n, distance) = (one(0, 3), one(3, 3), one(6, 5))
    let isLoad = one(11, 1) != 0
    switch first >> 12 {
    case 6: decodeLoad(isLoad ? .ldr : .str, d: d, n: n, imm: distance * 4)
    case 7: decodeLoad(isLoad ? .ldrb : .strb, d: d, n: n, imm: distance)
    case 8: decodeLoad(isLoad ? .ldrh : .strh, d: d, n: n, imm: distance * 2)
    default: decodeLoad(isLoad ? .ldr : .str, d: one(8, 3), n: 13, imm: one(0, 8) * 4)
    }
  }

  /// Sets the operation to a load or store of multiple registers, with the number of registers as A.
  ///
  /// The instruction takes one cycle, and one more for each register.
  mutating func setMultiple(_ run: ArmHandler, n: UInt32, x: UInt32, _ list: UInt32) {
    let count = list.nonzeroBitCount
    set(run, n: n, a: UInt32(count), x: x, imm: list, cycles: UInt8(1 + count))
  }

  mutating func decodeNarrowMultiple() {
    let (n, list) = (one(8, 3), one(0, 8))
    guard list != 0 else { return unpredictable() }
    let isInList = list >> n & 1 != 0
    if one(11, 1) == 0 {
      if isInList, list & (1 << n - 1) != 0 { return unpredictable() }
      setMultiple(Multiple.store, n: n, x: 2, list)
    } else {
      setMultiple(Multiple.load, n: n, x: isInList ? 0 : 2, list)
    }
  }

  mutating func decodeNarrowBranch() {
    let condition = one(8, 4)
    switch condition {
    case 14: undefined()
    case 15: set(System.supervisorCall, imm: one(0, 8))
    default:
      guard it == 0 else { return unpredictable() }
      set(
        Branch.conditional[Int(condition)],
        imm: address &+ 4 &+ Self.signed(one(0, 8) << 1, 9))
    }
  }

  mutating func decodeMiscellaneous() {
    let (d, m) = (one(0, 3), one(3, 3))
    switch one(8, 4) {
    case 0:
      let operation = one(7, 1) == 0 ? DataProcessing.add : DataProcessing.sub
      set(DataProcessing.constant[operation], d: 13, n: 13, imm: one(0, 7) * 4)
    case 2:
      set([Bits.sxth, Bits.sxtb, Bits.uxth, Bits.uxtb][Int(one(6, 2))], d: d, m: m)
    case 1, 3, 9, 11: decodeCompareBranch()
    case 4, 5:
      let list = one(0, 8) | one(8, 1) << 14
      guard list != 0 else { return unpredictable() }
      setMultiple(Multiple.push, n: 13, x: 3, list)
    case 12, 13:
      let list = one(0, 8) | one(8, 1) << 15
      guard list != 0, list >> 15 == 0 || !isInsideIT else { return unpredictable() }
      setMultiple(Multiple.load, n: 13, x: 2, list)
    case 6:
      guard first & 0xFFEC == 0xB660, one(0, 2) != 0, it == 0 else {
        return first & 0xFFE0 == 0xB660 ? unpredictable() : undefined()
      }
      set(System.change, x: one(0, 5))
    case 10:
      let handlers: [ArmHandler?] = [Bits.rev, Bits.rev16, nil, Bits.revsh]
      set(handlers[Int(one(6, 2))], d: d, m: m)
    case 14:
      set(System.breakpoint, imm: one(0, 8))
      if it != 0 { op.it = it & 15 | 0xE0 }
    case 15: decodeHint()
    default: undefined()
    }
  }

  private mutating func decodeCompareBranch() {
    guard !features.isBaseline else { return undefined() }
    guard it == 0 else { return unpredictable() }
    let distance = one(3, 5) << 1 | one(9, 1) << 6
    set(
      one(11, 1) == 0 ? Branch.onZero : Branch.onNotZero, n: one(0, 3),
      imm: address &+ 4 &+ distance)
  }

  private mutating func decodeHint() {
    if one(0, 4) != 0 {
      guard !features.isBaseline else { return undefined() }
      let condition = one(4, 4)
      let isSingle = one(0, 4).nonzeroBitCount == 1
      guard it == 0, condition != 15, condition != 14 || isSingle else { return unpredictable() }
      return set(System.nothing)
    }
    switch one(4, 4) {
    case 2: set(System.waitForEvent)
    case 3: set(System.waitForInterrupt)
    case 4: set(System.sendEvent)
    default: set(System.nothing)
    }
  }
}
