/// Special registers, hints, and instructions that raise exceptions.
enum System {
  static let nothing: ArmHandler = { cpu, op in ArmStep(cpu, op).next }
  /// An undefined or UNPREDICTABLE instruction.
  static let undefined: ArmHandler = { ArmStep($0, $1).ask(.undefined) }
  static let noCoprocessor: ArmHandler = { ArmStep($0, $1).ask(.noCoprocessor) }
  static let invalidState: ArmHandler = { ArmStep($0, $1).ask(.invalidState) }
  static let fetchFault: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return step.ask(.fetchBus, step.op.pointee.address)
  }
  static let fetchForbidden: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return step.ask(.fetchProtection, step.op.pointee.address)
  }
  static let breakpoint: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return step.ask(.breakpoint, step.imm)
  }
  static let supervisorCall: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return step.askNext(.supervisorCall, step.imm)
  }
  static let waitForInterrupt: ArmHandler = { ArmStep($0, $1).askNext(.waitForInterrupt) }
  static let waitForEvent: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    guard !step.cpu.pointee.event else {
      step.cpu.pointee.event = false
      return step.next
    }
    return step.askNext(.waitForEvent)
  }
  static let sendEvent: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.cpu.pointee.event = true
    return step.next
  }
  static let clearExclusive: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.cpu.pointee.exclusive = false
    return step.next
  }

  /// CPS: `x` bit 0 selects FAULTMASK and bit 1 PRIMASK; bit 4 is set to disable interrupts, clear to enable them.
  static let change: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    guard isPrivileged(step) else { return step.next }
    let value: UInt32 = step.x & 16 != 0 ? 1 : 0
    if step.x & 2 != 0 { step.cpu.pointee.primask = value }
    if step.x & 1 != 0 { step.cpu.pointee.faultmask = value }
    return value == 0 ? step.askNext(.priorities) : step.next
  }

  private static func isPrivileged(_ step: ArmStep) -> Bool {
    !step.cpu.pointee.unprivileged || step.cpu.pointee.exception != 0
  }

  /// MRS: `imm` is SYSm, the number of the special register.
  static let read: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.d = value(step, step.imm)
    return step.next
  }

  private static func value(_ step: ArmStep, _ number: UInt32) -> UInt32 {
    let state = step.cpu
    switch number {
    case 0...7:
      var result: UInt32 = 0
      if number & 4 == 0 { result |= state.pointee.flags }
      if number & 1 != 0 { result |= state.pointee.exception }
      return result
    case 8...9 where isPrivileged(step):
      let isOther = state.pointee.usesProcessStack == (number == 8)
      return isOther ? state.pointee.otherStack : step[13]
    case 16 where isPrivileged(step): return state.pointee.primask
    case 17...18 where isPrivileged(step): return state.pointee.basepri
    case 19 where isPrivileged(step): return state.pointee.faultmask
    case 20: return state.pointee.control
    default: return 0
    }
  }

  /// MSR: `imm` is SYSm, the number of the special register; `x` is the mask (bit 1 NZCVQ, bit 0 GE).
  static let write: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let (state, value) = (step.cpu, step.n)
    switch step.imm {
    case 0...7:
      guard step.imm & 4 == 0 else { break }
      if step.x & 2 != 0 {
        state.pointee.setConditions(value)
        state.pointee.saturated = value >> 27 & 1
      }
      if step.x & 1 != 0 { state.pointee.greaterEqual = value >> 16 & 15 }
    case 8...20 where isPrivileged(step):
      writePrivileged(step, value)
      return step.askNext(.priorities)
    default: break
    }
    return step.next
  }

  private static func writePrivileged(_ step: ArmStep, _ value: UInt32) {
    let state = step.cpu
    switch step.imm {
    case 8, 9:
      if state.pointee.usesProcessStack == (step.imm == 8) {
        state.pointee.otherStack = value & ~3
      } else {
        step[13] = value & ~3
      }
    case 16: state.pointee.primask = value & 1
    case 17: state.pointee.basepri = value & 0xFF
    case 18:
      let (new, old) = (value & 0xFF, state.pointee.basepri)
      if new != 0, old == 0 || new < old { state.pointee.basepri = new }
    case 19: state.pointee.faultmask = value & 1
    case 20:
      state.pointee.unprivileged = value & 1 != 0
      if state.pointee.exception == 0 { state.pointee.useProcessStack(value & 2 != 0) }
      if !state.pointee.isBaseline { state.pointee.fpActive = value & 4 != 0 }
    default: break
    }
  }
}

enum Branch {
  /// B to a constant address.
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

  /// MOV and ADD to PC: branches to M plus the immediate.
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

  /// Conditional B to a constant address, indexed by condition code.
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

  /// TBB, or TBH if `x` is 1: the table is at address N, or at `imm` if N is 16.
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
