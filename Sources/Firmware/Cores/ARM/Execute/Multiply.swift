/// Multiplication and division.
enum Multiply {
  static let mul: ArmHandler = { ArmStep.each($0, $1) { $0.n &* $0.m } }
  static let mla: ArmHandler = { ArmStep.each($0, $1) { $0.a &+ $0.n &* $0.m } }
  static let mls: ArmHandler = { ArmStep.each($0, $1) { $0.a &- $0.n &* $0.m } }
  static let mulSetting: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let result = step.n &* step.m
    step.d = result
    step.setNZ(result)
    return step.next
  }

  @inline(__always)
  private static func long(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ body: (ArmStep, UInt64) -> UInt64
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    let result = body(step, UInt64(step.d) &<< 32 | UInt64(step.a))
    step.a(set: UInt32(truncatingIfNeeded: result))
    step.d = UInt32(truncatingIfNeeded: result &>> 32)
    return step.next
  }

  @inline(__always)
  private static func signed(_ step: ArmStep) -> UInt64 {
    UInt64(bitPattern: Int64(Int32(bitPattern: step.n)) &* Int64(Int32(bitPattern: step.m)))
  }

  @inline(__always)
  private static func unsigned(_ step: ArmStep) -> UInt64 { UInt64(step.n) &* UInt64(step.m) }

  /// Long multiplications: D receives the upper word of the result and A the lower word.
  static let smull: ArmHandler = { long($0, $1) { step, _ in signed(step) } }
  static let umull: ArmHandler = { long($0, $1) { step, _ in unsigned(step) } }
  static let smlal: ArmHandler = { long($0, $1) { step, old in old &+ signed(step) } }
  static let umlal: ArmHandler = { long($0, $1) { step, old in old &+ unsigned(step) } }
  static let umaal: ArmHandler = {
    long($0, $1) { step, old in (old & 0xFFFF_FFFF) &+ (old &>> 32) &+ unsigned(step) }
  }

  static let sdiv: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let divisor = Int32(bitPattern: step.m)
    if divisor == 0 {
      if step.cpu.pointee.trapsDivision { return step.ask(.divideByZero) }
      step.d = 0
    } else {
      let quotient = Int32(bitPattern: step.n).dividedReportingOverflow(by: divisor)
      step.d = UInt32(bitPattern: quotient.partialValue)
    }
    return step.next
  }

  static let udiv: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    if step.m == 0 {
      if step.cpu.pointee.trapsDivision { return step.ask(.divideByZero) }
      step.d = 0
    } else {
      step.d = step.n / step.m
    }
    return step.next
  }
}

extension ArmStep {
  /// Writes register A.
  @inline(__always)
  func a(set value: UInt32) { self[op.pointee.a] = value }
}

/// Halfword and most-significant-word multiplication (DSP extension).
enum HalfMultiply {
  /// Returns the top or bottom halfword, sign-extended.
  @inline(__always)
  static func half(_ value: UInt32, _ top: Bool) -> Int64 {
    Int64(Int16(truncatingIfNeeded: top ? value &>> 16 : value))
  }

  @inline(__always)
  private static func word(_ value: UInt32) -> Int64 { Int64(Int32(bitPattern: value)) }

  /// Writes a sum to D and sets Q if the sum overflows 32 bits.
  @inline(__always)
  private static func finish(_ step: ArmStep, _ sum: Int64) -> UnsafeRawPointer {
    let result = Int32(truncatingIfNeeded: sum)
    if Int64(result) != sum { step.cpu.pointee.saturated = 1 }
    step.d = UInt32(bitPattern: result)
    return step.next
  }

  /// Returns the addend: register A, or 0 if A is 16.
  @inline(__always)
  private static func added(_ step: ArmStep) -> Int64 { word(step.a) }

  /// SMULxy and SMLAxy: `x` bit 1 selects the top halfword of N, and bit 0 selects the top halfword of M.
  static let smla: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let product = half(step.n, step.x & 2 != 0) &* half(step.m, step.x & 1 != 0)
    return finish(step, product &+ added(step))
  }

  /// SMULWy and SMLAWy: `x` bit 0 selects the top halfword of M.
  static let smlaw: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let product = (word(step.n) &* half(step.m, step.x & 1 != 0)) &>> 16
    return finish(step, product &+ added(step))
  }

  /// SMUAD, SMUSD, SMLAD and SMLSD: `x` bit 0 swaps the halfwords of M, and bit 1 selects subtraction.
  static let dual: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let swaps = step.x & 1 != 0
    let low = half(step.n, false) &* half(step.m, swaps)
    let high = half(step.n, true) &* half(step.m, !swaps)
    return finish(step, (step.x & 2 != 0 ? low &- high : low &+ high) &+ added(step))
  }

  /// SMMUL, SMMLA and SMMLS: `x` bit 0 selects rounding, and bit 1 selects subtraction.
  static let most: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let product = word(step.n) &* word(step.m)
    let start = added(step) &<< 32
    var sum = step.x & 2 != 0 ? start &- product : start &+ product
    if step.x & 1 != 0 { sum = sum &+ 0x8000_0000 }
    step.d = UInt32(truncatingIfNeeded: sum &>> 32)
    return step.next
  }

  /// SMLALxy: `x` has the same meaning as in `smla`.
  static let smlalHalf: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    return accumulate(step, half(step.n, step.x & 2 != 0) &* half(step.m, step.x & 1 != 0))
  }

  /// SMLALD and SMLSLD: `x` has the same meaning as in `dual`.
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
