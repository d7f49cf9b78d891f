/// Data processing with a shifted register, and shifts as such.
extension DataProcessing {
  /// The second operand is shifted: `x` holds the operation (bits 7:4), S (bit 3) and the shift's type (2:0), `imm` by
  /// how much.
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

  /// Shifts by a constant, by type (LSL, LSR, ASR, ROR, RRX); then the same with flags.
  static let shifts: [ArmHandler] = [
    { shift($0, $1, 0, false) }, { shift($0, $1, 1, false) }, { shift($0, $1, 2, false) },
    { shift($0, $1, 3, false) }, { shift($0, $1, 4, false) },
    { shift($0, $1, 0, true) }, { shift($0, $1, 1, true) }, { shift($0, $1, 2, true) },
    { shift($0, $1, 3, true) }, { shift($0, $1, 4, true) },
  ]

  /// A shift of N by M's lowest byte: `x` holds the type, and S in bit 3.
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

  /// MOVT: the upper half becomes the constant, which stands there already.
  static let moveTop: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.d = step.d & 0xFFFF | step.imm
    return step.next
  }
}
