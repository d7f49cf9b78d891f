/// Loads and stores of several registers: `imm` holds the list, A their number, `x` bit 0 says downwards, bit 1 that N
/// changes.
enum Multiple {
  static let store: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let size = UInt32(step.op.pointee.a) &* 4
    let base = step.n
    var address = step.x & 1 != 0 ? base &- size : base
    let end = step.x & 1 != 0 ? address : base &+ size
    guard step.isAligned(address) else { return op }
    var list = step.imm
    if let place = step.writable(address, size) {
      storePlainly(step, list, place)
      list = 0
    }
    while list != 0 {
      let number = UInt8(truncatingIfNeeded: list.trailingZeroBitCount)
      guard step.store(address, step[number], UInt32.self) else { return op }
      address &+= 4
      list &= list &- 1
    }
    if step.x & 2 != 0 { step[step.op.pointee.n] = end }
    return step.next
  }

  /// PUSH: downwards from R13, which changes.
  ///
  /// The main stack has an end, which is looked at here.
  static let push: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let before = step[13]
    let end = before &- UInt32(step.op.pointee.a) &* 4
    if let place = step.writable(end, before &- end) {
      storePlainly(step, step.imm, place)
      step[13] = end
    } else if store(cpu, op) == op {
      return op
    }
    let floor = step.cpu.pointee.stackFloor
    let isPassed = end < floor && before >= floor
    return isPassed && !step.cpu.pointee.usesProcessStack ? step.askNext(.stackFloor) : step.next
  }

  /// Stores registers into memory that is plain.
  @inline(__always)
  private static func storePlainly(
    _ step: ArmStep, _ list: UInt32, _ place: UnsafeMutableRawPointer
  ) {
    var (rest, next) = (list, place)
    while rest != 0 {
      next.storeBytes(
        of: step[UInt8(truncatingIfNeeded: rest.trailingZeroBitCount)], as: UInt32.self)
      next += 4
      rest &= rest &- 1
    }
  }

  /// Loads registers from memory that is plain; returns what lies behind.
  @inline(__always)
  private static func loadPlainly(
    _ step: ArmStep, _ list: UInt32, _ place: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    var (rest, next) = (list, place)
    while rest != 0 {
      step[UInt8(truncatingIfNeeded: rest.trailingZeroBitCount)] = next.load(as: UInt32.self)
      next += 4
      rest &= rest &- 1
    }
    return next
  }

  static let load: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let size = UInt32(step.op.pointee.a) &* 4
    let base = step.n
    var address = step.x & 1 != 0 ? base &- size : base
    let end = step.x & 1 != 0 ? address : base &+ size
    guard step.isAligned(address) else { return op }
    var list = step.imm & 0x7FFF
    if let place = step.readable(address, size) {
      let behind = loadPlainly(step, list, place)
      if step.x & 2 != 0 { step[step.op.pointee.n] = end }
      guard step.imm & 0x8000 != 0 else { return step.next }
      return step.exchange(behind.load(as: UInt32.self))
    }
    while list != 0 {
      let number = UInt8(truncatingIfNeeded: list.trailingZeroBitCount)
      guard let value = step.load(address, UInt32.self) else {
        // The base is as before, so that the instruction can be repeated.
        step[step.op.pointee.n] = base
        return op
      }
      step[number] = value
      address &+= 4
      list &= list &- 1
    }
    guard step.imm & 0x8000 != 0 else {
      if step.x & 2 != 0 { step[step.op.pointee.n] = end }
      return step.next
    }
    guard let target = step.load(address, UInt32.self) else {
      step[step.op.pointee.n] = base
      return op
    }
    if step.x & 2 != 0 { step[step.op.pointee.n] = end }
    return step.exchange(target)
  }
}
