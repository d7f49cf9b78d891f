/// Logic, shifts, moves and single bits.
enum AvrLogic {
  @inline(__always)
  private static func logic(_ step: AvrStep, _ result: UInt8) -> UnsafeRawPointer {
    step.d = result
    step.setFlags(result, overflow: 0)
    return step.next
  }

  static let and: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return logic(step, step.d & step.r)
  }
  static let andConstant: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return logic(step, step.d & step.k)
  }
  static let or: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return logic(step, step.d | step.r)
  }
  static let orConstant: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return logic(step, step.d | step.k)
  }
  static let exclusiveOr: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return logic(step, step.d ^ step.r)
  }
  static let complement: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.carry = 1
    return logic(step, ~step.d)
  }

  /// What is moved right by one: V is N and C taken together.
  @inline(__always)
  private static func right(_ step: AvrStep, _ highest: UInt8) -> UnsafeRawPointer {
    let before = step.d
    let result = before &>> 1 | highest
    step.d = result
    step.cpu.pointee.carry = before & 1
    step.setFlags(result, overflow: result ^ before &<< 7)
    return step.next
  }
  static let shiftRight: AvrHandler = { right(AvrStep($0, $1), 0) }
  static let rotateRight: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return right(step, step.cpu.pointee.carry &<< 7)
  }
  static let arithmeticRight: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return right(step, step.d & 0x80)
  }

  static let swap: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.d &>> 4 | step.d &<< 4
    return step.next
  }
  static let move: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.r
    return step.next
  }
  static let moveWide: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step[pair: step.op.pointee.d] = step[pair: step.op.pointee.r]
    return step.next
  }
  static let constant: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.k
    return step.next
  }

  /// BST and BLD: `k` is the bit's mask.
  static let bitStore: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.transfer = step.d & step.k != 0 ? 1 : 0
    return step.next
  }
  static let bitLoad: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.cpu.pointee.transfer != 0 ? step.d | step.k : step.d & ~step.k
    return step.next
  }
}
