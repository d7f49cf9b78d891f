/// Parallel addition and subtraction of bytes and halfwords (DSP extension), and SEL.
enum Parallel {
  /// Computes the sums in all lanes of `bits` bits and writes them to D; also sets the GE flags, unless the operation
  /// saturates or halves.
  ///
  /// Bits 2:0 of `x` contain the kind of the operation: 0 signed, 1 signed saturating, 2 signed halving, 4 unsigned, 5
  /// unsigned saturating, 6 unsigned halving.
  @inline(__always)
  private static func lanes(
    _ step: ArmStep, bits: UInt32, _ sum: (Int32, UInt32) -> Int32
  ) -> UnsafeRawPointer {
    let kind = step.x & 7
    let isUnsigned = kind & 4 != 0
    let mask: UInt32 = bits == 8 ? 0xFF : 0xFFFF
    var result: UInt32 = 0
    var flags: UInt32 = 0
    for lane in 0..<(32 / bits) {
      let value = sum(isUnsigned ? 1 : 0, lane)
      var kept = value
      switch kind & 3 {
      case 1:
        let low = isUnsigned ? 0 : -(Int32(mask) &+ 1) / 2
        let high = isUnsigned ? Int32(mask) : Int32(mask) / 2
        kept = min(max(value, low), high)
      case 2: kept = value &>> 1
      default: break
      }
      result |= (UInt32(bitPattern: kept) & mask) &<< (lane &* bits)
      if kind & 3 == 0, isSet(step, lane, bits, value, mask) {
        flags |= (bits == 8 ? 1 : 3) &<< (lane &* bits / 8)
      }
    }
    step.d = result
    if kind & 3 == 0 { step.cpu.pointee.greaterEqual = flags }
    return step.next
  }

  /// Returns the GE bit of a lane, which is set if an unsigned addition has a carry, if an unsigned subtraction has no
  /// borrow, or if a signed result is at least 0.
  @inline(__always)
  private static func isSet(
    _ step: ArmStep, _ lane: UInt32, _ bits: UInt32, _ value: Int32, _ mask: UInt32
  ) -> Bool {
    guard step.x & 4 != 0, isAddition(step.x, lane, bits) else { return value >= 0 }
    return value > Int32(mask)
  }

  /// Returns whether a lane adds rather than subtracts.
  ///
  /// The operation is in bits 6:4 of `x`: 0 ADD8, 1 ADD16, 2 ASX, 4 SUB8, 5 SUB16, 6 SAX.
  @inline(__always)
  private static func isAddition(_ x: UInt8, _ lane: UInt32, _ bits: UInt32) -> Bool {
    switch x >> 4 {
    case 0, 1: true
    case 2: lane == 1
    case 6: lane == 0
    default: false
    }
  }

  @inline(__always)
  private static func lane(_ value: UInt32, _ at: UInt32, _ bits: UInt32, _ isUnsigned: Bool)
    -> Int32
  {
    let shifted = value &>> (at &* bits)
    if bits == 8 {
      return isUnsigned ? Int32(shifted & 0xFF) : Int32(Int8(truncatingIfNeeded: shifted))
    }
    return isUnsigned ? Int32(shifted & 0xFFFF) : Int32(Int16(truncatingIfNeeded: shifted))
  }

  /// The handler for all 36 operations: `x` contains the operation in bits 6:4 and the kind in bits 2:0.
  static let sums: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let operation = step.x >> 4
    let bits: UInt32 = operation & 3 == 0 ? 8 : 16
    let crosses = operation == 2 || operation == 6
    let (first, second, x) = (step.n, step.m, step.x)
    return lanes(step, bits: bits) { unsigned, at in
      let a = lane(first, at, bits, unsigned != 0)
      let b = lane(second, crosses ? 1 &- at : at, bits, unsigned != 0)
      return isAddition(x, at, bits) ? a &+ b : a &- b
    }
  }

  /// SEL: takes each byte from N if its GE bit is set, and otherwise from M.
  static let sel: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    var mask: UInt32 = 0
    for byte in UInt32(0)..<4 where step.cpu.pointee.greaterEqual &>> byte & 1 != 0 {
      mask |= 0xFF &<< (byte &* 8)
    }
    step.d = step.n & mask | step.m & ~mask
    return step.next
  }

  /// USAD8 and USADA8: A plus the absolute differences between the bytes of N and M.
  static let usad8: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    var sum = step.a
    for byte in UInt32(0)..<4 {
      let a = Int32(step.n &>> (byte &* 8) & 0xFF)
      let b = Int32(step.m &>> (byte &* 8) & 0xFF)
      sum &+= UInt32(bitPattern: abs(a &- b))
    }
    step.d = sum
    return step.next
  }
}

/// Saturation to a bit width, and saturating addition and subtraction.
enum Saturate {
  @inline(__always)
  private static func clamp(_ step: ArmStep, _ value: Int64, _ low: Int64, _ high: Int64) -> UInt32
  {
    let kept = min(max(value, low), high)
    if kept != value { step.cpu.pointee.saturated = 1 }
    return UInt32(truncatingIfNeeded: kept)
  }

  /// SSAT, or USAT if `x` bit 7 is set, of a shifted register.
  ///
  /// Bits 2:0 of `x` contain the shift type, `imm` is the shift amount, and A is the width rather than a register.
  static let word: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let (shifted, _) = step.shifted(step.n, step.x & 7, step.imm)
    let value = Int64(Int32(bitPattern: shifted))
    let width = Int64(op.assumingMemoryBound(to: ArmOp.self).pointee.a)
    step.d =
      step.x & 0x80 != 0
      ? clamp(step, value, 0, (1 &<< width) &- 1)
      : clamp(step, value, -(1 &<< (width &- 1)), (1 &<< (width &- 1)) &- 1)
    return step.next
  }

  /// SSAT16, or USAT16 if `x` bit 7 is set; A is the width rather than a register.
  static let halves: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let width = Int64(step.op.pointee.a)
    let isUnsigned = step.x & 0x80 != 0
    let low = isUnsigned ? 0 : -(1 &<< (width &- 1))
    let high = isUnsigned ? (1 &<< width) &- 1 : (1 &<< (width &- 1)) &- 1
    let value = step.n
    let bottom = clamp(step, HalfMultiply.half(value, false), low, high)
    let top = clamp(step, HalfMultiply.half(value, true), low, high)
    step.d = top &<< 16 | bottom & 0xFFFF
    return step.next
  }

  /// QADD, QDADD, QSUB and QDSUB of M and N: `x` bit 0 selects doubling of N, and bit 1 selects subtraction.
  static let sum: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let (least, most) = (Int64(Int32.min), Int64(Int32.max))
    var second = Int64(Int32(bitPattern: step.n))
    if step.x & 1 != 0 {
      second = Int64(Int32(bitPattern: clamp(step, second &* 2, least, most)))
    }
    let first = Int64(Int32(bitPattern: step.m))
    step.d = clamp(step, step.x & 2 != 0 ? first &- second : first &+ second, least, most)
    return step.next
  }
}
