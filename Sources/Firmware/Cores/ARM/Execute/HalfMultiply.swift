/// Products of halves and of most significant words (the DSP extension).
enum HalfMultiply {
  /// The half of a value that a bit chooses, with its sign.
  @inline(__always)
  static func half(_ value: UInt32, _ top: Bool) -> Int64 {
    Int64(Int16(truncatingIfNeeded: top ? value &>> 16 : value))
  }

  @inline(__always)
  private static func word(_ value: UInt32) -> Int64 { Int64(Int32(bitPattern: value)) }

  /// Writes a sum and sets Q when it does not fit.
  @inline(__always)
  private static func finish(_ step: ArmStep, _ sum: Int64) -> UnsafeRawPointer {
    let result = Int32(truncatingIfNeeded: sum)
    if Int64(result) != sum { step.cpu.pointee.saturated = 1 }
    step.d = UInt32(bitPattern: result)
    return step.next
  }

  /// The number that is added: register A, or 0 where A is 16.
  @inline(__always)
  private static func added(_ step: ArmStep) -> Int64 { word(step.a) }

  /// SMULxy and SMLAxy: `x` bit 1 is N's half, bit 0 M's.
  static let smla: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let product = half(step.n, step.x & 2 != 0) &* half(step.m, step.x & 1 != 0)
    return finish(step, product &+ added(step))
  }

  /// SMULWy and SMLAWy.
  static let smlaw: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let product = (word(step.n) &* half(step.m, step.x & 1 != 0)) &>> 16
    return finish(step, product &+ added(step))
  }

  /// SMUAD, SMUSD, SMLAD, SMLSD: `x` bit 0 swaps M's halves, bit 1 subtracts.
  static let dual: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let swaps = step.x & 1 != 0
    let low = half(step.n, false) &* half(step.m, swaps)
    let high = half(step.n, true) &* half(step.m, !swaps)
    return finish(step, (step.x & 2 != 0 ? low &- high : low &+ high) &+ added(step))
  }

  /// SMMUL, SMMLA, SMMLS: `x` bit 0 rounds, bit 1 subtracts.
  static let most: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let product = word(step.n) &* word(step.m)
    let start = added(step) &<< 32
    var sum = step.x & 2 != 0 ? start &- product : start &+ product
    if step.x & 1 != 0 { sum = sum &+ 0x8000_0000 }
    step.d = UInt32(truncatingIfNeeded: sum &>> 32)
    return step.next
  }

  /// SMLALxy: `x` as in SMLAxy.
  static let smlalHalf: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return accumulate(step, half(step.n, step.x & 2 != 0) &* half(step.m, step.x & 1 != 0))
  }

  /// SMLALD and SMLSLD: `x` as in SMLAD.
  static let dualLong: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let swaps = step.x & 1 != 0
    let low = half(step.n, false) &* half(step.m, swaps)
    let high = half(step.n, true) &* half(step.m, !swaps)
    return accumulate(step, step.x & 2 != 0 ? low &- high : low &+ high)
  }

  @inline(__always)
  private static func accumulate(_ step: ArmStep, _ value: Int64) -> UnsafeRawPointer {
    let old = UInt64(step.d) &<< 32 | UInt64(step.a)
    let sum = old &+ UInt64(bitPattern: value)
    step.a(set: UInt32(truncatingIfNeeded: sum))
    step.d = UInt32(truncatingIfNeeded: sum &>> 32)
    return step.next
  }
}
