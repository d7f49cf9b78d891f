/// Saturation: to a width, and of sums.
enum Saturate {
  @inline(__always)
  private static func clamp(_ step: ArmStep, _ value: Int64, _ low: Int64, _ high: Int64) -> UInt32
  {
    let kept = min(max(value, low), high)
    if kept != value { step.cpu.pointee.saturated = 1 }
    return UInt32(truncatingIfNeeded: kept)
  }

  /// SSAT (`x` bit 7 clear) and USAT of a shifted register: `x` holds the shift's type, A is not a register but the
  /// width, `imm` by how much is shifted.
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

  /// SSAT16 and USAT16.
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

  /// QADD, QDADD, QSUB, QDSUB of M and N: `x` bit 0 doubles N, bit 1 subtracts.
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
