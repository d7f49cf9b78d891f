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

  /// Long products: D is the upper half, A the lower.
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
  /// Writes the fourth register.
  @inline(__always)
  func a(set value: UInt32) { self[op.pointee.a] = value }
}
