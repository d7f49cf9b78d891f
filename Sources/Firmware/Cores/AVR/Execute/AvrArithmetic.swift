/// Sums, differences, comparisons and products.
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

  /// ADIW: the pair that begins with D, and the constant.
  static let addWide: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let before = step[pair: step.op.pointee.d]
    let result = before &+ step.op.pointee.k
    step[pair: step.op.pointee.d] = result
    step.setWide(result, overflow: ~before & result, carry: ~result & before)
    return step.next
  }
  /// SBIW.
  static let subtractWide: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let before = step[pair: step.op.pointee.d]
    let result = before &- step.op.pointee.k
    step[pair: step.op.pointee.d] = result
    step.setWide(result, overflow: before & ~result, carry: result & ~before)
    return step.next
  }

  /// R1 and R0 take a product; C is its bit 15, before a fractional one is moved left.
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
