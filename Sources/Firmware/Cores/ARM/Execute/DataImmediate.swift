/// Data processing with a constant, or with a register that is not shifted, by the operation's number in the encoding.
///
/// A comparison writes register 15, which nobody reads; a move has register 16, which is 0, as first operand.
enum DataProcessing {
  /// The numbers of the operations.
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
      // A constant that was turned gives its highest bit as carry: 2 or 3 here.
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

  /// With a constant, flags kept; by operation.
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

  /// With a constant, flags set; by operation.
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

  /// With a register, flags kept; by operation.
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

  /// With a register, flags set; by operation.
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
