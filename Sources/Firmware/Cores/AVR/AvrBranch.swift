/// Jumps, branches, skips, calls and returns.
enum AvrBranch {
  @inline(__always)
  private static func branch(_ step: AvrStep, _ holds: Bool) -> UnsafeRawPointer {
    guard holds else { return step.next }
    step.cpu.pointee.cycles &+= 1
    return step.far
  }

  /// Handlers of BRBS, indexed by the bit number of the flag in SREG.
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

  /// Handlers of BRBC, indexed by the bit number of the flag in SREG.
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

  /// Skips the next instruction if the condition holds, which takes one cycle per skipped word.
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
  /// SBRC, where `k` is the bit mask.
  static let skipIfClear: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return skip(step, step.d & step.k == 0)
  }
  /// SBRS, where `k` is the bit mask.
  static let skipIfSet: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return skip(step, step.d & step.k != 0)
  }
  /// SBIC, where `d` is the address of the I/O register and `k` is the bit mask.
  static let skipIfPortClear: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return skip(step, step.load(UInt16(step.op.pointee.d)) & step.k == 0)
  }
  /// SBIS, where `d` is the address of the I/O register and `k` is the bit mask.
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
  static let ret: AvrHandler = { cpu, op in AvrStep(cpu, op).popReturn() }
  static let reti: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let target = step.popReturn()
    step.cpu.pointee.interrupts = true
    _ = step.ask(.enabled)
    return target
  }
}

/// Changes of single flags, and core control such as SLEEP and BREAK.
enum AvrControl {
  /// Handlers of BSET, indexed by the bit number of the flag in SREG.
  static let set: [AvrHandler] = [
    { flag($0, $1) { $0.carry = 1 } }, { flag($0, $1) { $0.zero = 0 } },
    { flag($0, $1) { $0.negative = 0x80 } }, { flag($0, $1) { $0.overflow = 0x80 } },
    { flag($0, $1) { $0.sign = 0x80 } }, { flag($0, $1) { $0.half = 8 } },
    { flag($0, $1) { $0.transfer = 1 } },
    { cpu, op in
      let step = AvrStep(cpu, op)
      if step.cpu.pointee.interrupts { return step.next }
      step.cpu.pointee.interrupts = true
      return step.askNext(.enabled)
    },
  ]

  /// Handlers of BCLR, indexed by the bit number of the flag in SREG.
  static let clear: [AvrHandler] = [
    { flag($0, $1) { $0.carry = 0 } }, { flag($0, $1) { $0.zero = 1 } },
    { flag($0, $1) { $0.negative = 0 } }, { flag($0, $1) { $0.overflow = 0 } },
    { flag($0, $1) { $0.sign = 0 } }, { flag($0, $1) { $0.half = 0 } },
    { flag($0, $1) { $0.transfer = 0 } }, { flag($0, $1) { $0.interrupts = false } },
  ]

  @inline(__always)
  private static func flag(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ body: (inout AvrState) -> Void
  ) -> UnsafeRawPointer {
    let step = AvrStep(cpu, op)
    body(&step.cpu.pointee)
    return step.next
  }

  static let nothing: AvrHandler = { cpu, op in AvrStep(cpu, op).next }
  static let undefined: AvrHandler = { cpu, op in AvrStep(cpu, op).ask(.undefined) }
  static let breakpoint: AvrHandler = { cpu, op in AvrStep(cpu, op).ask(.breakpoint) }
  static let sleep: AvrHandler = { cpu, op in AvrStep(cpu, op).askNext(.sleep) }
  static let storeProgram: AvrHandler = { cpu, op in AvrStep(cpu, op).askNext(.storeProgram) }
  static let resetWatchdog: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.slowReset(step.cpu.pointee.owner)
    return step.next
  }
}
