/// An instruction during its execution: the core's state and the operation, with accessors for handlers.
struct ArmStep {
  let cpu: UnsafeMutablePointer<ArmState>
  let op: UnsafePointer<ArmOp>

  @inline(__always)
  init(_ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer) {
    self.cpu = cpu.assumingMemoryBound(to: ArmState.self)
    self.op = op.assumingMemoryBound(to: ArmOp.self)
  }

  /// Executes an instruction whose only effect is a write to its destination register.
  @inline(__always)
  static func each(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ body: (ArmStep) -> UInt32
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    step.d = body(step)
    return step.next
  }

  /// A register by number.
  @inline(__always)
  subscript(number: UInt8) -> UInt32 {
    get { cpu.pointee.r[unchecked: Int(number)] }
    nonmutating set { cpu.pointee.r[unchecked: Int(number)] = newValue }
  }

  /// The first operand.
  @inline(__always) var n: UInt32 { self[op.pointee.n] }
  /// The second operand.
  @inline(__always) var m: UInt32 { self[op.pointee.m] }
  /// The fourth register.
  @inline(__always) var a: UInt32 { self[op.pointee.a] }
  /// The destination.
  @inline(__always) var d: UInt32 {
    get { self[op.pointee.d] }
    nonmutating set { self[op.pointee.d] = newValue }
  }
  /// The immediate value.
  @inline(__always) var imm: UInt32 { op.pointee.imm }
  /// Further fields of the encoding.
  @inline(__always) var x: UInt8 { op.pointee.x }

  /// The following instruction.
  @inline(__always) var next: UnsafeRawPointer {
    UnsafeRawPointer(op + Int(op.pointee.slots))
  }

  /// Returns the instruction at a branch target and adds the cycles of the pipeline refill.
  @inline(__always)
  func jump(_ target: UInt32) -> UnsafeRawPointer {
    cpu.pointee.cycles &+= cpu.pointee.refill
    if target < AddressSpace.plainLimit,
      let page = cpu.pointee.decoded[Int(target >> AddressSpace.pageBits)]
    {
      return UnsafeRawPointer(page + Int((target & (AddressSpace.pageSize - 1)) >> 1))
    }
    return cpu.pointee.slowJump(cpu.pointee.owner, target)
  }

  /// Returns the instruction for a branch to a register or memory value (BX semantics).
  @inline(__always)
  func exchange(_ target: UInt32) -> UnsafeRawPointer {
    if target & 1 == 0 || target >= 0xF000_0000 && cpu.pointee.exception != 0 {
      return leave(target)
    }
    return jump(target & ~1)
  }

  /// Handles a branch to an even address, which faults, or to an EXC_RETURN value.
  @inline(never)
  func leave(_ target: UInt32) -> UnsafeRawPointer {
    if target >= 0xF000_0000, cpu.pointee.exception != 0 {
      return ask(.exceptionReturn, target)
    }
    return jumpWithoutThumb(target)
  }

  /// Handles a branch to an even address, which faults before the target instruction executes.
  @inline(never)
  func jumpWithoutThumb(_ target: UInt32) -> UnsafeRawPointer {
    cpu.pointee.thumb = false
    cpu.pointee.cycles &+= cpu.pointee.refill
    return cpu.pointee.slowJump(cpu.pointee.owner, target & ~1)
  }

  /// Requests an action from the core and ends the loop before the next instruction, with PC at this one.
  @inline(never)
  func ask(_ request: ArmRequest, _ value: UInt32 = 0) -> UnsafeRawPointer {
    cpu.pointee.request = request
    cpu.pointee.requestValue = value
    cpu.pointee.limit = 0
    return UnsafeRawPointer(op)
  }

  /// Requests an action from the core and ends the loop before the next instruction, with PC at the next one.
  @inline(never)
  func askNext(_ request: ArmRequest, _ value: UInt32 = 0) -> UnsafeRawPointer {
    _ = ask(request, value)
    return next
  }

  /// Sets N and Z from a result.
  @inline(__always)
  func setNZ(_ result: UInt32) {
    cpu.pointee.negative = result
    cpu.pointee.zero = result
  }
}

/// Addition with flags, and shifts.
extension ArmStep {
  /// Returns `a + b + carry` and sets all flags.
  @inline(__always)
  func addSetting(_ a: UInt32, _ b: UInt32, _ carry: UInt32) -> UInt32 {
    let wide = UInt64(a) &+ UInt64(b) &+ UInt64(carry)
    let result = UInt32(truncatingIfNeeded: wide)
    setNZ(result)
    cpu.pointee.carry = UInt32(truncatingIfNeeded: wide &>> 32)
    cpu.pointee.overflow = (a ^ result) & (b ^ result)
    return result
  }

  /// Returns a value shifted by an immediate, and the carry-out: type 0 LSL, 1 LSR, 2 ASR, 3 ROR, 4 RRX.
  @inline(__always)
  func shifted(_ value: UInt32, _ type: UInt8, _ amount: UInt32) -> (UInt32, carry: UInt32) {
    switch type {
    case 0:
      if amount == 0 { return (value, cpu.pointee.carry) }
      return (value &<< amount, value &>> (32 &- amount) & 1)
    case 1:
      if amount == 32 { return (0, value &>> 31) }
      return (value &>> amount, value &>> (amount &- 1) & 1)
    case 2:
      let signed = Int32(bitPattern: value)
      if amount == 32 { return (UInt32(bitPattern: signed &>> 31), value &>> 31) }
      return (UInt32(bitPattern: signed &>> Int32(amount)), value &>> (amount &- 1) & 1)
    case 3:
      let result = value &>> amount | value &<< (32 &- amount)
      return (result, result &>> 31)
    default: return (value &>> 1 | cpu.pointee.carry &<< 31, value & 1)
    }
  }

  /// Returns a value shifted by the low byte of a register, and the carry-out.
  @inline(__always)
  func shiftedByRegister(_ value: UInt32, _ type: UInt8, _ by: UInt32) -> (UInt32, carry: UInt32) {
    let amount = by & 0xFF
    if amount == 0 { return (value, cpu.pointee.carry) }
    switch type {
    case 0:
      if amount > 32 { return (0, 0) }
      return amount == 32 ? (0, value & 1) : shifted(value, 0, amount)
    case 1: return amount > 32 ? (0, 0) : shifted(value, 1, amount)
    case 2: return shifted(value, 2, min(amount, 32))
    default:
      let rotation = amount & 31
      return rotation == 0 ? (value, value &>> 31) : shifted(value, 3, rotation)
    }
  }
}

/// Loads and stores: one table look-up for plain memory, a call for everything else.
///
/// If an access faults, the load or store function requests the fault from the core and returns `nil` or `false`.
extension ArmStep {
  /// Returns a pointer to plain memory; `nil` if the access crosses a page or is unaligned and traps.
  @inline(__always)
  private func plain(
    _ table: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ address: UInt32, _ mask: UInt32
  ) -> UnsafeMutableRawPointer? {
    guard address & mask & cpu.pointee.alignedBits == 0 else { return nil }
    return within(table, address, mask &+ 1)
  }

  /// Returns a pointer to `count` readable bytes within one page of plain memory, at any alignment.
  @inline(__always)
  func readable(_ address: UInt32, _ count: UInt32) -> UnsafeMutableRawPointer? {
    within(cpu.pointee.readable, address, count)
  }

  /// Returns a pointer to `count` writable bytes within one page of plain memory, at any alignment.
  @inline(__always)
  func writable(_ address: UInt32, _ count: UInt32) -> UnsafeMutableRawPointer? {
    within(cpu.pointee.writable, address, count)
  }

  @inline(__always)
  private func within(
    _ table: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ address: UInt32, _ count: UInt32
  ) -> UnsafeMutableRawPointer? {
    let offset = address & (AddressSpace.pageSize - 1)
    guard address < AddressSpace.plainLimit, offset &+ count <= AddressSpace.pageSize,
      let page = table[Int(address >> AddressSpace.pageBits)]
    else { return nil }
    return page + Int(offset)
  }

  /// Loads a value on the fast path; `nil` if the access needs the slow path.
  @inline(__always)
  func plainLoad<Width: FixedWidthInteger & UnsignedInteger>(
    _ address: UInt32, _ width: Width.Type
  ) -> Width? {
    plain(cpu.pointee.readable, address, UInt32(MemoryLayout<Width>.size) &- 1)?
      .loadUnaligned(as: Width.self)
  }

  /// Stores a value on the fast path; `false` if the access needs the slow path.
  @inline(__always)
  func plainStore<Width: FixedWidthInteger & UnsignedInteger>(
    _ address: UInt32, _ value: UInt32, _ width: Width.Type
  ) -> Bool {
    guard
      let pointer = plain(cpu.pointee.writable, address, UInt32(MemoryLayout<Width>.size) &- 1)
    else { return false }
    pointer.storeBytes(of: Width(truncatingIfNeeded: value), as: Width.self)
    return true
  }

  /// Loads a value.
  @inline(__always)
  func load<Width: FixedWidthInteger & UnsignedInteger>(
    _ address: UInt32, _ width: Width.Type
  ) -> UInt32? {
    let bytes = UInt32(MemoryLayout<Width>.size)
    if let pointer = plain(cpu.pointee.readable, address, bytes &- 1) {
      return UInt32(truncatingIfNeeded: pointer.loadUnaligned(as: Width.self))
    }
    return slowLoad(address, bytes)
  }

  /// Stores a value.
  @inline(__always)
  func store<Width: FixedWidthInteger & UnsignedInteger>(
    _ address: UInt32, _ value: UInt32, _ width: Width.Type
  ) -> Bool {
    let bytes = UInt32(MemoryLayout<Width>.size)
    if let pointer = plain(cpu.pointee.writable, address, bytes &- 1) {
      pointer.storeBytes(of: Width(truncatingIfNeeded: value), as: Width.self)
      return true
    }
    return slowStore(address, value, bytes)
  }

  /// Loads a value off the fast path; `asUser` applies unprivileged access rights.
  @inline(never)
  func slowLoad(_ address: UInt32, _ bytes: UInt32, asUser: Bool = false) -> UInt32? {
    guard isAllowed(address, bytes) else { return nil }
    let request = asUser ? bytes | ArmAccess.asUser : bytes
    let value = cpu.pointee.slowLoad(cpu.pointee.owner, address, request)
    guard value >= 0 else {
      _ = ask(value == ArmAccessError.protection ? .dataProtection : .dataBus, address)
      return nil
    }
    return UInt32(truncatingIfNeeded: value)
  }

  /// Stores a value off the fast path; `asUser` applies unprivileged access rights.
  @inline(never)
  func slowStore(
    _ address: UInt32, _ value: UInt32, _ bytes: UInt32, asUser: Bool = false
  ) -> Bool {
    guard isAllowed(address, bytes) else { return false }
    let request = asUser ? bytes | ArmAccess.asUser : bytes
    let refusal = cpu.pointee.slowStore(cpu.pointee.owner, address, value, request)
    guard refusal >= 0 else {
      _ = ask(refusal == ArmAccessError.protection ? .dataProtection : .dataBus, address)
      return false
    }
    return true
  }

  /// Returns whether the alignment of an access is allowed, and requests a fault if it is not.
  private func isAllowed(_ address: UInt32, _ bytes: UInt32) -> Bool {
    if address & (bytes - 1) & cpu.pointee.alignedBits == 0 { return true }
    _ = ask(.unaligned, address)
    return false
  }

  /// Returns whether a multiple-word or exclusive access is aligned, and requests a fault if not.
  @inline(__always)
  func isAligned(_ address: UInt32, _ mask: UInt32 = 3) -> Bool {
    if address & mask == 0 { return true }
    _ = ask(.unaligned, address)
    return false
  }
}

/// Flags of an access in addition to its byte count.
enum ArmAccess {
  /// The access has unprivileged access rights in any mode.
  static let asUser: UInt32 = 0x100
}

/// Negative results of an access off the fast path.
enum ArmAccessError {
  /// Bus error, because no memory or device is at the address.
  static let bus: Int64 = -1
  /// MPU violation.
  static let protection: Int64 = -2
}
