/// Addition, subtraction, comparison and multiplication.
enum AvrArithmetic {
  static let add: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.add(step.d, step.r, 0)
    return step.next
  }
  static let addWithCarry: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.add(step.d, step.r, step.cpu.pointee.carry)
    return step.next
  }
  static let subtract: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.subtract(step.d, step.r, 0)
    return step.next
  }
  static let subtractConstant: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.subtract(step.d, step.k, 0)
    return step.next
  }
  static let subtractWithCarry: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.subtract(step.d, step.r, step.cpu.pointee.carry, keepsZero: true)
    return step.next
  }
  static let subtractConstantWithCarry: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.subtract(step.d, step.k, step.cpu.pointee.carry, keepsZero: true)
    return step.next
  }
  static let compare: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    _ = step.subtract(step.d, step.r, 0)
    return step.next
  }
  static let compareConstant: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    _ = step.subtract(step.d, step.k, 0)
    return step.next
  }
  static let compareWithCarry: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    _ = step.subtract(step.d, step.r, step.cpu.pointee.carry, keepsZero: true)
    return step.next
  }

  static let negate: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.subtract(0, step.d, 0)
    return step.next
  }
  static let increment: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let result = step.d &+ 1
    step.d = result
    step.setFlags(result, overflow: result == 0x80 ? 0x80 : 0)
    return step.next
  }
  static let decrement: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let result = step.d &- 1
    step.d = result
    step.setFlags(result, overflow: result == 0x7F ? 0x80 : 0)
    return step.next
  }

  /// ADIW: adds a constant to the register pair that starts at D.
  static let addWide: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let before = step[pair: step.op.pointee.d]
    let result = before &+ step.op.pointee.k
    step[pair: step.op.pointee.d] = result
    step.setWide(result, overflow: ~before & result, carry: ~result & before)
    return step.next
  }
  /// SBIW: subtracts a constant from the register pair that starts at D.
  static let subtractWide: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let before = step[pair: step.op.pointee.d]
    let result = before &- step.op.pointee.k
    step[pair: step.op.pointee.d] = result
    step.setWide(result, overflow: before & ~result, carry: result & ~before)
    return step.next
  }

  /// Writes a product to R1:R0.
  ///
  /// C is bit 15 of the product, taken before a fractional product is shifted left.
  @inline(__always)
  private static func product(_ step: AvrStep, _ value: Int16, isFraction: Bool)
    -> UnsafeRawPointer
  {
    let bits = UInt16(bitPattern: value)
    let result = isFraction ? bits &<< 1 : bits
    step[pair: 0] = result
    step.cpu.pointee.carry = UInt8(truncatingIfNeeded: bits &>> 15)
    step.cpu.pointee.zero = UInt8(truncatingIfNeeded: result | result &>> 8)
    return step.next
  }

  @inline(__always)
  private static func signed(_ value: UInt8) -> Int16 { Int16(Int8(bitPattern: value)) }
  @inline(__always)
  private static func plain(_ a: UInt8, _ b: UInt8) -> Int16 {
    Int16(bitPattern: UInt16(a) &* UInt16(b))
  }

  static let multiply: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return product(step, plain(step.d, step.r), isFraction: false)
  }
  static let multiplySigned: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return product(step, signed(step.d) &* signed(step.r), isFraction: false)
  }
  static let multiplyMixed: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return product(step, signed(step.d) &* Int16(step.r), isFraction: false)
  }
  static let fraction: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return product(step, plain(step.d, step.r), isFraction: true)
  }
  static let fractionSigned: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return product(step, signed(step.d) &* signed(step.r), isFraction: true)
  }
  static let fractionMixed: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return product(step, signed(step.d) &* Int16(step.r), isFraction: true)
  }
}

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

  /// Shifts D right by one bit, with `highest` as the new bit 7, and sets the flags; V becomes N
  /// xor C.
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

  /// BST, where `k` is the bit mask.
  static let bitStore: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.transfer = step.d & step.k != 0 ? 1 : 0
    return step.next
  }
  /// BLD, where `k` is the bit mask.
  static let bitLoad: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.cpu.pointee.transfer != 0 ? step.d | step.k : step.d & ~step.k
    return step.next
  }
}
