/// Handlers for loads and stores of single registers; the handler tables are in the order of `Kind`.
enum LoadStore {
  /// The width and direction of a transfer.
  enum Kind: Int {
    case str, strh, strb, ldr, ldrh, ldrb, ldrsh, ldrsb
  }

  /// Returns the address of an access: N plus the immediate, or N plus the shifted M if `isIndexed`.
  @inline(__always)
  private static func address(_ step: ArmStep, _ isIndexed: Bool) -> UInt32 {
    step.n &+ (isIndexed ? step.m &<< UInt32(step.x) : step.imm)
  }

  @inline(__always)
  private static func moved(_ step: ArmStep, _ kind: Kind, _ address: UInt32) -> Bool {
    var value: UInt32?
    switch kind {
    case .str: return step.store(address, step.d, UInt32.self)
    case .strh: return step.store(address, step.d, UInt16.self)
    case .strb: return step.store(address, step.d, UInt8.self)
    case .ldr: value = step.load(address, UInt32.self)
    case .ldrh: value = step.load(address, UInt16.self)
    case .ldrb: value = step.load(address, UInt8.self)
    case .ldrsh:
      value = step.load(address, UInt16.self).map {
        UInt32(bitPattern: Int32(Int16(truncatingIfNeeded: $0)))
      }
    case .ldrsb:
      value = step.load(address, UInt8.self).map {
        UInt32(bitPattern: Int32(Int8(truncatingIfNeeded: $0)))
      }
    }
    guard let value else { return false }
    step.d = value
    return true
  }

  @inline(__always)
  private static func at(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ kind: Kind, _ isIndexed: Bool
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    let address = address(step, isIndexed)
    return movedPlainly(step, kind, address) ? step.next : slow(cpu, op, kind, address)
  }

  /// Performs an access to plain memory and returns `false` if the access needs the slow path.
  ///
  /// The slow path is a separate function, so the fast path need not save registers for a call.
  @inline(__always)
  private static func movedPlainly(_ step: ArmStep, _ kind: Kind, _ address: UInt32) -> Bool {
    let value: UInt32
    switch kind {
    case .str: return step.plainStore(address, step.d, UInt32.self)
    case .strh: return step.plainStore(address, step.d, UInt16.self)
    case .strb: return step.plainStore(address, step.d, UInt8.self)
    case .ldr:
      guard let word = step.plainLoad(address, UInt32.self) else { return false }
      value = word
    case .ldrh:
      guard let half = step.plainLoad(address, UInt16.self) else { return false }
      value = UInt32(half)
    case .ldrb:
      guard let byte = step.plainLoad(address, UInt8.self) else { return false }
      value = UInt32(byte)
    case .ldrsh:
      guard let half = step.plainLoad(address, UInt16.self) else { return false }
      value = UInt32(bitPattern: Int32(Int16(bitPattern: half)))
    case .ldrsb:
      guard let byte = step.plainLoad(address, UInt8.self) else { return false }
      value = UInt32(bitPattern: Int32(Int8(bitPattern: byte)))
    }
    step.d = value
    return true
  }

  @inline(never)
  private static func slow(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ kind: Kind, _ address: UInt32
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    return moved(step, kind, address) ? step.next : op
  }

  @inline(never)
  private static func slowWriting(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ kind: Kind, _ address: UInt32,
    _ moves: UInt32
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    guard moved(step, kind, address) else { return op }
    step[step.op.pointee.n] = moves
    return step.next
  }

  /// Performs an access with write-back to N; `x` bit 0 selects pre-indexing.
  @inline(__always)
  private static func writing(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ kind: Kind
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    let base = step.n
    let moves = base &+ step.imm
    let address = step.x & 1 != 0 ? moves : base
    guard movedPlainly(step, kind, address) else {
      return slowWriting(cpu, op, kind, address, moves)
    }
    step[step.op.pointee.n] = moves
    return step.next
  }

  /// Loads and stores at address N plus an immediate.
  static let constant: [ArmHandler] = [
    { at($0, $1, .str, false) }, { at($0, $1, .strh, false) }, { at($0, $1, .strb, false) },
    { at($0, $1, .ldr, false) }, { at($0, $1, .ldrh, false) }, { at($0, $1, .ldrb, false) },
    { at($0, $1, .ldrsh, false) }, { at($0, $1, .ldrsb, false) },
  ]

  /// Loads and stores at address N plus M, shifted left by `x` bits.
  static let indexed: [ArmHandler] = [
    { at($0, $1, .str, true) }, { at($0, $1, .strh, true) }, { at($0, $1, .strb, true) },
    { at($0, $1, .ldr, true) }, { at($0, $1, .ldrh, true) }, { at($0, $1, .ldrb, true) },
    { at($0, $1, .ldrsh, true) }, { at($0, $1, .ldrsb, true) },
  ]

  /// Loads and stores with an immediate offset and write-back to N.
  static let writeBack: [ArmHandler] = [
    { writing($0, $1, .str) }, { writing($0, $1, .strh) }, { writing($0, $1, .strb) },
    { writing($0, $1, .ldr) }, { writing($0, $1, .ldrh) }, { writing($0, $1, .ldrb) },
    { writing($0, $1, .ldrsh) }, { writing($0, $1, .ldrsb) },
  ]

  /// LDRT, STRT and the other unprivileged loads and stores at address N plus an immediate.
  static let unprivileged: [ArmHandler] = [
    { asUser($0, $1, .str) }, { asUser($0, $1, .strh) }, { asUser($0, $1, .strb) },
    { asUser($0, $1, .ldr) }, { asUser($0, $1, .ldrh) }, { asUser($0, $1, .ldrb) },
    { asUser($0, $1, .ldrsh) }, { asUser($0, $1, .ldrsb) },
  ]

  private static func asUser(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ kind: Kind
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    let address = step.n &+ step.imm
    switch kind {
    case .str, .strh, .strb:
      let bytes: UInt32 = kind == .str ? 4 : kind == .strh ? 2 : 1
      return step.slowStore(address, step.d, bytes, asUser: true) ? step.next : op
    case .ldr, .ldrh, .ldrb, .ldrsh, .ldrsb:
      let bytes: UInt32 = kind == .ldr ? 4 : kind == .ldrh || kind == .ldrsh ? 2 : 1
      guard let value = step.slowLoad(address, bytes, asUser: true) else { return op }
      switch kind {
      case .ldrsh: step.d = UInt32(bitPattern: Int32(Int16(truncatingIfNeeded: value)))
      case .ldrsb: step.d = UInt32(bitPattern: Int32(Int8(truncatingIfNeeded: value)))
      default: step.d = value
      }
      return step.next
    }
  }

  /// LDR to PC.
  ///
  /// In `x`, bit 6 is set for write-back and bit 0 for pre-indexing. If bit 7 is set, the offset is M shifted left by
  /// the number in bits 1:0, instead of the immediate.
  static let program: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let base = step.n
    let moves = base &+ (step.x & 0x80 != 0 ? step.m &<< UInt32(step.x & 3) : step.imm)
    let isBefore = step.x & 0x40 == 0 || step.x & 1 != 0
    guard let target = step.load(isBefore ? moves : base, UInt32.self) else { return op }
    if step.x & 0x40 != 0 { step[step.op.pointee.n] = moves }
    return step.exchange(target)
  }

  /// LDRD and STRD of D and A at address N plus an immediate.
  ///
  /// In `x`, bit 0 is set for pre-indexing, bit 1 for write-back, and bit 2 for a load.
  static let double: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let base = step.n
    let moves = base &+ step.imm
    let address = step.x & 1 != 0 ? moves : base
    guard step.isAligned(address) else { return op }
    if step.x & 4 != 0 {
      guard let low = step.load(address, UInt32.self),
        let high = step.load(address &+ 4, UInt32.self)
      else { return op }
      step.d = low
      step.a(set: high)
    } else {
      guard step.store(address, step.d, UInt32.self), step.store(address &+ 4, step.a, UInt32.self)
      else { return op }
    }
    if step.x & 2 != 0 { step[step.op.pointee.n] = moves }
    return step.next
  }

  /// LDREX, LDREXH and LDREXB: `x` is the size in bytes.
  static let loadExclusive: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let address = step.n &+ step.imm
    guard step.isAligned(address, UInt32(step.x) - 1) else { return op }
    let value =
      switch step.x {
      case 1: step.load(address, UInt8.self)
      case 2: step.load(address, UInt16.self)
      default: step.load(address, UInt32.self)
      }
    guard let value else { return op }
    step.d = value
    step.cpu.pointee.exclusive = true
    return step.next
  }

  /// STREX, STREXH and STREXB, which store A and set D to 0.
  ///
  /// If the exclusive monitor was not in the exclusive state, nothing is stored, and D becomes 1. `x` is the size in
  /// bytes.
  static let storeExclusive: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let address = step.n &+ step.imm
    guard step.isAligned(address, UInt32(step.x) - 1) else { return op }
    guard step.cpu.pointee.exclusive else {
      step.d = 1
      return step.next
    }
    let done =
      switch step.x {
      case 1: step.store(address, step.a, UInt8.self)
      case 2: step.store(address, step.a, UInt16.self)
      default: step.store(address, step.a, UInt32.self)
      }
    guard done else { return op }
    step.cpu.pointee.exclusive = false
    step.d = 0
    return step.next
  }
}

/// Loads and stores of multiple registers: `imm` is the register list and A is the number of registers.
///
/// In `x`, bit 0 is set to decrement the address before the transfer, and bit 1 for write-back.
enum Multiple {
  static let store: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let size = UInt32(step.op.pointee.a) &* 4
    let base = step.n
    var address = step.x & 1 != 0 ? base &- size : base
    let end = step.x & 1 != 0 ? address : base &+ size
    guard step.isAligned(address) else { return op }
    var list = step.imm
    if let pointer = step.writable(address, size) {
      storePlainly(step, list, pointer)
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

  /// PUSH: STMDB of R13 with write-back.
  ///
  /// The handler also checks the limit of the main stack.
  static let push: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let before = step[13]
    let end = before &- UInt32(step.op.pointee.a) &* 4
    if let pointer = step.writable(end, before &- end) {
      storePlainly(step, step.imm, pointer)
      step[13] = end
    } else if store(cpu, op) == op {
      return op
    }
    let limit = step.cpu.pointee.stackLimit
    let isPassed = end < limit && before >= limit
    return isPassed && !step.cpu.pointee.usesProcessStack ? step.askNext(.stackLimit) : step.next
  }

  /// Stores the registers of a list to plain memory.
  @inline(__always)
  private static func storePlainly(
    _ step: ArmStep, _ list: UInt32, _ pointer: UnsafeMutableRawPointer
  ) {
    var (rest, next) = (list, pointer)
    while rest != 0 {
      next.storeBytes(
        of: step[UInt8(truncatingIfNeeded: rest.trailingZeroBitCount)], as: UInt32.self)
      next += 4
      rest &= rest &- 1
    }
  }

  /// Loads the registers of a list from plain memory and returns the pointer after the last word.
  @inline(__always)
  private static func loadPlainly(
    _ step: ArmStep, _ list: UInt32, _ pointer: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    var (rest, next) = (list, pointer)
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
    if let pointer = step.readable(address, size) {
      let next = loadPlainly(step, list, pointer)
      if step.x & 2 != 0 { step[step.op.pointee.n] = end }
      guard step.imm & 0x8000 != 0 else { return step.next }
      return step.exchange(next.load(as: UInt32.self))
    }
    while list != 0 {
      let number = UInt8(truncatingIfNeeded: list.trailingZeroBitCount)
      guard let value = step.load(address, UInt32.self) else {
        // The base register is restored because the instruction may be restarted.
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
