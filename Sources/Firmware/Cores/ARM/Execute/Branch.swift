/// Jumps.
enum Branch {
  /// To a constant address.
  static let always: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return step.jump(step.imm)
  }

  /// BL.
  static let link: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step[14] = (step.op.pointee.address &+ 4) | 1
    return step.jump(step.imm)
  }

  /// BX.
  static let exchange: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return step.exchange(step.m)
  }

  /// BLX.
  static let linkExchange: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let target = step.m
    step[14] = (step.op.pointee.address &+ 2) | 1
    return target & 1 == 0 ? step.jumpWithoutThumb(target) : step.jump(target & ~1)
  }

  /// MOV and ADD with the program counter as destination: M, plus the constant.
  static let computed: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return step.jump((step.m &+ step.imm) & ~1)
  }

  @inline(__always)
  private static func when(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer,
    _ holds: (UnsafeMutablePointer<ArmState>) -> Bool
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    return holds(step.cpu) ? step.jump(step.imm) : step.next
  }

  /// To a constant address, by condition.
  static let conditional: [ArmHandler] = [
    { when($0, $1) { $0.pointee.zero == 0 } }, { when($0, $1) { $0.pointee.zero != 0 } },
    { when($0, $1) { $0.pointee.carry != 0 } }, { when($0, $1) { $0.pointee.carry == 0 } },
    { when($0, $1) { $0.pointee.negative >> 31 != 0 } },
    { when($0, $1) { $0.pointee.negative >> 31 == 0 } },
    { when($0, $1) { $0.pointee.overflow >> 31 != 0 } },
    { when($0, $1) { $0.pointee.overflow >> 31 == 0 } },
    { when($0, $1) { $0.pointee.carry != 0 && $0.pointee.zero != 0 } },
    { when($0, $1) { $0.pointee.carry == 0 || $0.pointee.zero == 0 } },
    { when($0, $1) { ($0.pointee.negative ^ $0.pointee.overflow) >> 31 == 0 } },
    { when($0, $1) { ($0.pointee.negative ^ $0.pointee.overflow) >> 31 != 0 } },
    {
      when($0, $1) {
        $0.pointee.zero != 0 && ($0.pointee.negative ^ $0.pointee.overflow) >> 31 == 0
      }
    },
    {
      when($0, $1) {
        $0.pointee.zero == 0 || ($0.pointee.negative ^ $0.pointee.overflow) >> 31 != 0
      }
    },
  ]

  static let onZero: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return step.n == 0 ? step.jump(step.imm) : step.next
  }

  static let onNotZero: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return step.n != 0 ? step.jump(step.imm) : step.next
  }

  /// TBB and TBH: `x` is 1 for halves; the table is at N, or at the constant where N is 16.
  static let table: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let base = step.n &+ step.imm
    let entry =
      step.x != 0
      ? step.load(base &+ step.m &* 2, UInt16.self) : step.load(base &+ step.m, UInt8.self)
    guard let entry else { return op }
    return step.jump(step.op.pointee.address &+ 4 &+ entry &* 2)
  }
}
