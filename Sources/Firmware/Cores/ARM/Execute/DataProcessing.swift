/// Data processing with an immediate or an unshifted register, indexed by the opcode of the encoding.
///
/// A comparison writes its result to register slot 15, which is never read. A move has register slot 16, which is
/// always 0, as its first operand.
enum DataProcessing {
  /// Opcodes of the 32-bit encodings, which are the indices of the handler tables.
  static let and = 0, bic = 1, orr = 2, orn = 3, eor = 4, add = 8, adc = 10, sbc = 11, sub = 13
  static let rsb = 14

  @inline(__always)
  static func logic(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ isConstant: Bool, _ sets: Bool,
    _ body: (UInt32, UInt32) -> UInt32
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    let result = body(step.n, isConstant ? step.imm : step.m)
    step.d = result
    if sets {
      step.setNZ(result)
      // A rotated immediate sets the carry to its top bit; `x` is 2 or 3 in that case.
      if isConstant, step.x != 0 { step.cpu.pointee.carry = UInt32(step.x & 1) }
    }
    return step.next
  }

  @inline(__always)
  static func sum(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ isConstant: Bool, _ sets: Bool,
    _ body: (UInt32, UInt32, UInt32) -> (UInt32, UInt32, UInt32)
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    let (a, b, carry) = body(step.n, isConstant ? step.imm : step.m, step.cpu.pointee.carry)
    step.d = sets ? step.addSetting(a, b, carry) : a &+ b &+ carry
    return step.next
  }

  /// Handlers of instructions with an immediate operand that leave the flags unchanged, by opcode.
  static let constant: [ArmHandler?] = [
    { logic($0, $1, true, false) { $0 & $1 } }, { logic($0, $1, true, false) { $0 & ~$1 } },
    { logic($0, $1, true, false) { $0 | $1 } }, { logic($0, $1, true, false) { $0 | ~$1 } },
    { logic($0, $1, true, false) { $0 ^ $1 } }, nil, nil, nil,
    { sum($0, $1, true, false) { a, b, _ in (a, b, 0) } }, nil,
    { sum($0, $1, true, false) { a, b, c in (a, b, c) } },
    { sum($0, $1, true, false) { a, b, c in (a, ~b, c) } }, nil,
    { sum($0, $1, true, false) { a, b, _ in (a, ~b, 1) } },
    { sum($0, $1, true, false) { a, b, _ in (~a, b, 1) } }, nil,
  ]

  /// Handlers of instructions with an immediate operand that set the flags, by opcode.
  static let constantSetting: [ArmHandler?] = [
    { logic($0, $1, true, true) { $0 & $1 } }, { logic($0, $1, true, true) { $0 & ~$1 } },
    { logic($0, $1, true, true) { $0 | $1 } }, { logic($0, $1, true, true) { $0 | ~$1 } },
    { logic($0, $1, true, true) { $0 ^ $1 } }, nil, nil, nil,
    { sum($0, $1, true, true) { a, b, _ in (a, b, 0) } }, nil,
    { sum($0, $1, true, true) { a, b, c in (a, b, c) } },
    { sum($0, $1, true, true) { a, b, c in (a, ~b, c) } }, nil,
    { sum($0, $1, true, true) { a, b, _ in (a, ~b, 1) } },
    { sum($0, $1, true, true) { a, b, _ in (~a, b, 1) } }, nil,
  ]

  /// Handlers of instructions with a register operand that leave the flags unchanged, by opcode.
  static let register: [ArmHandler?] = [
    { logic($0, $1, false, false) { $0 & $1 } }, { logic($0, $1, false, false) { $0 & ~$1 } },
    { logic($0, $1, false, false) { $0 | $1 } }, { logic($0, $1, false, false) { $0 | ~$1 } },
    { logic($0, $1, false, false) { $0 ^ $1 } }, nil, nil, nil,
    { sum($0, $1, false, false) { a, b, _ in (a, b, 0) } }, nil,
    { sum($0, $1, false, false) { a, b, c in (a, b, c) } },
    { sum($0, $1, false, false) { a, b, c in (a, ~b, c) } }, nil,
    { sum($0, $1, false, false) { a, b, _ in (a, ~b, 1) } },
    { sum($0, $1, false, false) { a, b, _ in (~a, b, 1) } }, nil,
  ]

  /// Handlers of instructions with a register operand that set the flags, by opcode.
  static let registerSetting: [ArmHandler?] = [
    { logic($0, $1, false, true) { $0 & $1 } }, { logic($0, $1, false, true) { $0 & ~$1 } },
    { logic($0, $1, false, true) { $0 | $1 } }, { logic($0, $1, false, true) { $0 | ~$1 } },
    { logic($0, $1, false, true) { $0 ^ $1 } }, nil, nil, nil,
    { sum($0, $1, false, true) { a, b, _ in (a, b, 0) } }, nil,
    { sum($0, $1, false, true) { a, b, c in (a, b, c) } },
    { sum($0, $1, false, true) { a, b, c in (a, ~b, c) } }, nil,
    { sum($0, $1, false, true) { a, b, _ in (a, ~b, 1) } },
    { sum($0, $1, false, true) { a, b, _ in (~a, b, 1) } }, nil,
  ]
}

/// Data processing with a shifted register, and shifts.
extension DataProcessing {
  /// Data processing with a shifted second operand.
  ///
  /// `imm` is the shift amount. `x` contains the opcode in bits 7:4, the S bit (set the flags) in bit 3 and the shift
  /// type in bits 2:0.
  static let shifted: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let (second, carry) = step.shifted(step.m, step.x & 7, step.imm)
    let sets = step.x & 8 != 0
    let operation = Int(step.x >> 4)
    let first = step.n
    if operation >= add {
      let (a, b, carry) = addends(operation, first, second, step.cpu.pointee.carry)
      step.d = sets ? step.addSetting(a, b, carry) : a &+ b &+ carry
      return step.next
    }
    let result = bits(operation, first, second)
    step.d = result
    if sets {
      step.setNZ(result)
      step.cpu.pointee.carry = carry
    }
    return step.next
  }

  @inline(__always)
  private static func bits(_ operation: Int, _ a: UInt32, _ b: UInt32) -> UInt32 {
    switch operation {
    case and: a & b
    case bic: a & ~b
    case orr: a | b
    case orn: a | ~b
    default: a ^ b
    }
  }

  @inline(__always)
  private static func addends(
    _ operation: Int, _ a: UInt32, _ b: UInt32, _ carry: UInt32
  ) -> (UInt32, UInt32, UInt32) {
    switch operation {
    case add: (a, b, 0)
    case adc: (a, b, carry)
    case sbc: (a, ~b, carry)
    case sub: (a, ~b, 1)
    default: (~a, b, 1)
    }
  }

  @inline(__always)
  private static func shift(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ type: UInt8, _ sets: Bool
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    let (result, carry) = step.shifted(step.m, type, step.imm)
    step.d = result
    if sets {
      step.setNZ(result)
      step.cpu.pointee.carry = carry
    }
    return step.next
  }

  /// Handlers for shifts by an immediate: five that leave the flags unchanged, then five that set them, each in the
  /// order LSL, LSR, ASR, ROR, RRX.
  static let shifts: [ArmHandler] = [
    { shift($0, $1, 0, false) }, { shift($0, $1, 1, false) }, { shift($0, $1, 2, false) },
    { shift($0, $1, 3, false) }, { shift($0, $1, 4, false) },
    { shift($0, $1, 0, true) }, { shift($0, $1, 1, true) }, { shift($0, $1, 2, true) },
    { shift($0, $1, 3, true) }, { shift($0, $1, 4, true) },
  ]

  /// A shift of N by the low byte of M: `x` contains the shift type in bits 2:0 and the S bit (set the flags) in bit 3.
  static let shiftByRegister: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let (result, carry) = step.shiftedByRegister(step.n, step.x & 7, step.m)
    step.d = result
    if step.x & 8 != 0 {
      step.setNZ(result)
      step.cpu.pointee.carry = carry
    }
    return step.next
  }

  /// MOVT: replaces the upper halfword of D; `imm` is the new halfword, already shifted left by 16.
  static let moveTop: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.d = step.d & 0xFFFF | step.imm
    return step.next
  }
}

/// Bit fields, extensions, reversals, CLZ and packing.
enum Bits {
  /// Returns M rotated right by `x` bits.
  @inline(__always)
  private static func rotated(_ step: ArmStep) -> UInt32 {
    let by = UInt32(step.x)
    return step.m &>> by | step.m &<< (32 &- by)
  }

  @inline(__always)
  private static func signed(_ byte: UInt32) -> UInt32 {
    UInt32(bitPattern: Int32(Int8(truncatingIfNeeded: byte)))
  }

  @inline(__always)
  private static func signedHalf(_ half: UInt32) -> UInt32 {
    UInt32(bitPattern: Int32(Int16(truncatingIfNeeded: half)))
  }

  // These extend M, rotated right by `x` bits, and add N, which is register 16 (always 0) in the forms without addition.
  static let sxtb: ArmHandler = { ArmStep.each($0, $1) { $0.n &+ signed(rotated($0)) } }
  static let sxth: ArmHandler = { ArmStep.each($0, $1) { $0.n &+ signedHalf(rotated($0)) } }
  static let uxtb: ArmHandler = { ArmStep.each($0, $1) { $0.n &+ (rotated($0) & 0xFF) } }
  static let uxth: ArmHandler = { ArmStep.each($0, $1) { $0.n &+ (rotated($0) & 0xFFFF) } }
  static let sxtb16: ArmHandler = {
    ArmStep.each($0, $1) { step in
      let value = rotated(step)
      return halves(step.n, signed(value), signed(value &>> 16))
    }
  }
  static let uxtb16: ArmHandler = {
    ArmStep.each($0, $1) { step in
      let value = rotated(step)
      return halves(step.n, value & 0xFF, value &>> 16 & 0xFF)
    }
  }

  @inline(__always)
  private static func halves(_ n: UInt32, _ low: UInt32, _ high: UInt32) -> UInt32 {
    (n &+ low) & 0xFFFF | ((n &>> 16) &+ high) &<< 16
  }

  static let rev: ArmHandler = { ArmStep.each($0, $1) { $0.m.byteSwapped } }
  static let rev16: ArmHandler = {
    ArmStep.each($0, $1) { ($0.m & 0xFF00_FF00) &>> 8 | ($0.m & 0x00FF_00FF) &<< 8 }
  }
  static let revsh: ArmHandler = {
    ArmStep.each($0, $1) { signedHalf($0.m &>> 8 & 0xFF | $0.m &<< 8 & 0xFF00) }
  }
  static let rbit: ArmHandler = {
    ArmStep.each($0, $1) { step in
      var value = step.m.byteSwapped
      value = (value & 0xF0F0_F0F0) &>> 4 | (value & 0x0F0F_0F0F) &<< 4
      value = (value & 0xCCCC_CCCC) &>> 2 | (value & 0x3333_3333) &<< 2
      return (value & 0xAAAA_AAAA) &>> 1 | (value & 0x5555_5555) &<< 1
    }
  }
  static let clz: ArmHandler = { ArmStep.each($0, $1) { UInt32($0.m.leadingZeroBitCount) } }

  // In bit-field instructions `x` is the lowest bit of the field, and A is the width of the field rather than a register.
  @inline(__always)
  private static func mask(_ step: ArmStep) -> UInt32 {
    UInt32.max &>> (32 &- UInt32(step.op.pointee.a))
  }

  static let ubfx: ArmHandler = { ArmStep.each($0, $1) { $0.n &>> UInt32($0.x) & mask($0) } }
  static let sbfx: ArmHandler = {
    ArmStep.each($0, $1) { step in
      let unused = 32 &- UInt32(step.op.pointee.a)
      let left = step.n &<< (unused &- UInt32(step.x))
      return UInt32(bitPattern: Int32(bitPattern: left) &>> Int32(unused))
    }
  }
  /// BFI, or BFC if N is register slot 16, which is always 0.
  static let bfi: ArmHandler = {
    ArmStep.each($0, $1) { step in
      let field = mask(step) &<< UInt32(step.x)
      return step.d & ~field | step.n &<< UInt32(step.x) & field
    }
  }

  /// PKHBT, or PKHTB if `x` bit 7 is set, with a shifted second operand.
  static let pack: ArmHandler = {
    ArmStep.each($0, $1) { step in
      let (second, _) = step.shifted(step.m, step.x & 7, step.imm)
      return step.x & 0x80 != 0
        ? step.n & 0xFFFF_0000 | second & 0xFFFF : step.n & 0xFFFF | second & 0xFFFF_0000
    }
  }
}
