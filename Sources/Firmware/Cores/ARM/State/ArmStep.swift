/// An instruction at work: the state and the decoded instruction, with short names for what instructions do.
struct ArmStep {
  let cpu: UnsafeMutablePointer<ArmState>
  let op: UnsafePointer<ArmOp>

  @inline(__always)
  init(_ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer) {
    self.cpu = cpu.assumingMemoryBound(to: ArmState.self)
    self.op = op.assumingMemoryBound(to: ArmOp.self)
  }

  /// Does an instruction that gives its destination a value, and nothing else.
  @inline(__always)
  static func each(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ body: (ArmStep) -> UInt32
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    step.d = body(step)
    return step.next
  }

  /// The register with a number.
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
  /// What else the instruction says.
  @inline(__always) var x: UInt8 { op.pointee.x }

  /// The instruction behind this one.
  @inline(__always) var next: UnsafeRawPointer {
    UnsafeRawPointer(op + Int(op.pointee.slots))
  }

  /// The instruction at an address.
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

  /// The instruction that a value from a register or from memory leads to.
  @inline(__always)
  func exchange(_ target: UInt32) -> UnsafeRawPointer {
    if target & 1 == 0 || target >= 0xF000_0000 && cpu.pointee.exception != 0 {
      return leave(target)
    }
    return jump(target & ~1)
  }

  /// A jump that ends in a fault or that returns from an exception.
  @inline(never)
  func leave(_ target: UInt32) -> UnsafeRawPointer {
    if target >= 0xF000_0000, cpu.pointee.exception != 0 {
      return ask(.exceptionReturn, target)
    }
    return jumpWithoutThumb(target)
  }

  /// A jump to an even address: a fault before whatever stands there, also where that has been decoded before.
  @inline(never)
  func jumpWithoutThumb(_ target: UInt32) -> UnsafeRawPointer {
    cpu.pointee.thumb = false
    cpu.pointee.cycles &+= cpu.pointee.refill
    return cpu.pointee.slowJump(cpu.pointee.owner, target & ~1)
  }

  /// Leaves something to the core and stops at this instruction.
  @inline(never)
  func ask(_ request: ArmRequest, _ value: UInt32 = 0) -> UnsafeRawPointer {
    cpu.pointee.request = request
    cpu.pointee.requestValue = value
    cpu.pointee.limit = 0
    return UnsafeRawPointer(op)
  }

  /// Leaves something to the core and stops behind this instruction.
  @inline(never)
  func askNext(_ request: ArmRequest, _ value: UInt32 = 0) -> UnsafeRawPointer {
    _ = ask(request, value)
    return next
  }

  /// Sets N and Z.
  @inline(__always)
  func setNZ(_ result: UInt32) {
    cpu.pointee.negative = result
    cpu.pointee.zero = result
  }
}
