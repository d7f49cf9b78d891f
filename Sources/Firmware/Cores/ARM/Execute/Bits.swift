/// Bit fields, extensions, reversals, counts and packing.
enum Bits {
  /// M turned right by `x` bits.
  @inline(__always)
  private static func turned(_ step: ArmStep) -> UInt32 {
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

  // Extensions of M turned right by `x` bits, added to N (16, which is 0, where nothing is added).
  static let sxtb: ArmHandler = { ArmStep.each($0, $1) { $0.n &+ signed(turned($0)) } }
  static let sxth: ArmHandler = { ArmStep.each($0, $1) { $0.n &+ signedHalf(turned($0)) } }
  static let uxtb: ArmHandler = { ArmStep.each($0, $1) { $0.n &+ (turned($0) & 0xFF) } }
  static let uxth: ArmHandler = { ArmStep.each($0, $1) { $0.n &+ (turned($0) & 0xFFFF) } }
  static let sxtb16: ArmHandler = {
    ArmStep.each($0, $1) { step in
      let value = turned(step)
      return halves(step.n, signed(value), signed(value &>> 16))
    }
  }
  static let uxtb16: ArmHandler = {
    ArmStep.each($0, $1) { step in
      let value = turned(step)
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

  // Fields: `x` is the lowest bit, A not a register but the width.
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
  /// BFI, and BFC where N is 16.
  static let bfi: ArmHandler = {
    ArmStep.each($0, $1) { step in
      let field = mask(step) &<< UInt32(step.x)
      return step.d & ~field | step.n &<< UInt32(step.x) & field
    }
  }

  /// PKHBT and PKHTB (`x` bit 7) with the second operand shifted.
  static let pack: ArmHandler = {
    ArmStep.each($0, $1) { step in
      let (second, _) = step.shifted(step.m, step.x & 7, step.imm)
      return step.x & 0x80 != 0
        ? step.n & 0xFFFF_0000 | second & 0xFFFF : step.n & 0xFFFF | second & 0xFFFF_0000
    }
  }
}
