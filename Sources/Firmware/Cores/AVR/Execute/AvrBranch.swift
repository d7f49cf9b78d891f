/// Jumps, branches, skips, calls and returns.
enum AvrBranch {
  @inline(__always)
  private static func branch(_ step: AvrStep, _ holds: Bool) -> UnsafeRawPointer {
    guard holds else { return step.next }
    step.cpu.pointee.cycles &+= 1
    return step.far
  }

  /// BRBS by the number of the flag.
  static let whenSet: [AvrHandler] = [
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.carry != 0) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.zero == 0) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.negative >= 0x80) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.overflow >= 0x80) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.sign >= 0x80) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.half & 8 != 0) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.transfer != 0) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.interrupts) },
  ]

  /// BRBC likewise.
  static let whenClear: [AvrHandler] = [
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.carry == 0) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.zero != 0) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.negative < 0x80) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.overflow < 0x80) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.sign < 0x80) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.half & 8 == 0) },
    { branch(AvrStep($0, $1), AvrStep($0, $1).cpu.pointee.transfer == 0) },
    { branch(AvrStep($0, $1), !AvrStep($0, $1).cpu.pointee.interrupts) },
  ]

  /// A skip costs a cycle for each word that is skipped.
  @inline(__always)
  private static func skip(_ step: AvrStep, _ holds: Bool) -> UnsafeRawPointer {
    guard holds else { return step.next }
    step.cpu.pointee.cycles &+= UInt64(truncatingIfNeeded: step.op.pointee.offset &- 1)
    return step.far
  }
  static let skipIfEqual: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return skip(step, step.d == step.r)
  }
  /// SBRC and SBRS: `k` is the bit's mask.
  static let skipIfClear: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return skip(step, step.d & step.k == 0)
  }
  static let skipIfSet: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return skip(step, step.d & step.k != 0)
  }
  /// SBIC and SBIS: `d` is the register's address, `k` the bit's mask.
  static let skipIfPortClear: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return skip(step, step.load(UInt16(step.op.pointee.d)) & step.k == 0)
  }
  static let skipIfPortSet: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return skip(step, step.load(UInt16(step.op.pointee.d)) & step.k != 0)
  }

  /// RJMP and JMP.
  static let jump: AvrHandler = { cpu, op in AvrStep(cpu, op).far }
  static let jumpIndirect: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return step.jump(step[pair: 30])
  }
  /// RCALL and CALL.
  static let call: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.pushReturn()
    return step.far
  }
  static let callIndirect: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.pushReturn()
    return step.jump(step[pair: 30])
  }
  static let giveBack: AvrHandler = { cpu, op in AvrStep(cpu, op).popReturn() }
  static let giveBackEnabling: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let target = step.popReturn()
    step.cpu.pointee.interrupts = true
    _ = step.ask(.enabled)
    return target
  }
}
