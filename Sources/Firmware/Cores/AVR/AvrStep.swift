/// An instruction during its execution: the core's state and the operation, with accessors for handlers.
struct AvrStep {
  let cpu: UnsafeMutablePointer<AvrState>
  let op: UnsafePointer<AvrOp>

  @inline(__always)
  init(_ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer) {
    self.cpu = cpu.assumingMemoryBound(to: AvrState.self)
    self.op = op.assumingMemoryBound(to: AvrOp.self)
  }

  /// The destination, which is also the first operand.
  @inline(__always) var d: UInt8 {
    get { cpu.pointee.data[Int(op.pointee.d)] }
    nonmutating set { cpu.pointee.data[Int(op.pointee.d)] = newValue }
  }
  /// The source register.
  @inline(__always) var r: UInt8 { cpu.pointee.data[Int(op.pointee.r)] }
  /// The low byte of the constant.
  @inline(__always) var k: UInt8 { UInt8(truncatingIfNeeded: op.pointee.k) }

  /// The register pair whose low register has this number.
  @inline(__always)
  subscript(pair number: UInt8) -> UInt16 {
    get {
      let bytes = cpu.pointee.data + Int(number)
      return UInt16(bytes[0]) | UInt16(bytes[1]) &<< 8
    }
    nonmutating set {
      let bytes = cpu.pointee.data + Int(number)
      bytes[0] = UInt8(truncatingIfNeeded: newValue)
      bytes[1] = UInt8(truncatingIfNeeded: newValue &>> 8)
    }
  }

  /// The following instruction.
  @inline(__always) var next: UnsafeRawPointer {
    UnsafeRawPointer(op + Int(op.pointee.slots))
  }
  /// The target of this jump, branch or skip.
  @inline(__always) var far: UnsafeRawPointer {
    UnsafeRawPointer(op + Int(op.pointee.offset))
  }
  /// The word address of this instruction.
  @inline(__always) var address: UInt16 {
    UInt16(truncatingIfNeeded: op - UnsafePointer(cpu.pointee.ops))
  }

  /// Returns the instruction at a word address.
  @inline(__always)
  func jump(_ target: UInt16) -> UnsafeRawPointer {
    UnsafeRawPointer(cpu.pointee.ops + Int(target & cpu.pointee.wordMask))
  }

  /// Requests an action from the core and ends the loop before the next instruction, with PC at this one.
  @inline(never)
  func ask(_ request: AvrRequest) -> UnsafeRawPointer {
    cpu.pointee.request = request
    cpu.pointee.limit = 0
    return UnsafeRawPointer(op)
  }

  /// Requests an action from the core and ends the loop before the next instruction, with PC at the next one.
  @inline(never)
  func askNext(_ request: AvrRequest) -> UnsafeRawPointer {
    _ = ask(request)
    return next
  }
}

/// Memory and the stack.
extension AvrStep {
  /// Reads a byte of the data space.
  @inline(__always)
  func load(_ address: UInt16) -> UInt8 {
    if address &- cpu.pointee.ramStart < cpu.pointee.ramCount {
      return cpu.pointee.data[Int(address)]
    }
    return cpu.pointee.slowLoad(cpu.pointee.owner, address)
  }

  /// Writes a byte of the data space.
  @inline(__always)
  func store(_ address: UInt16, _ value: UInt8) {
    if address &- cpu.pointee.ramStart < cpu.pointee.ramCount {
      cpu.pointee.data[Int(address)] = value
    } else {
      cpu.pointee.slowStore(cpu.pointee.owner, address, value)
    }
  }

  @inline(__always)
  func push(_ value: UInt8) {
    let stack = cpu.pointee.stack
    cpu.pointee.stack = stack &- 1
    store(stack, value)
    if stack == cpu.pointee.stackLimit { _ = ask(.stackLimit) }
  }

  @inline(__always)
  func pop() -> UInt8 {
    let stack = cpu.pointee.stack &+ 1
    cpu.pointee.stack = stack
    return load(stack)
  }

  /// Pushes the return address, with the low byte at the higher address.
  @inline(__always)
  func pushReturn() {
    let back = (address &+ UInt16(op.pointee.slots)) & cpu.pointee.wordMask
    push(UInt8(truncatingIfNeeded: back))
    push(UInt8(truncatingIfNeeded: back &>> 8))
  }

  @inline(__always)
  func popReturn() -> UnsafeRawPointer {
    let high = pop()
    let target = UInt16(high) &<< 8 | UInt16(pop())
    if cpu.pointee.isPastTop { cpu.pointee.lastReturn = address }
    return jump(target)
  }
}

/// Arithmetic that sets flags, as in the AVR instruction set manual.
extension AvrStep {
  /// Sets N, Z and S from a result and from V, which is bit 7 of `overflow`.
  @inline(__always)
  func setFlags(_ result: UInt8, overflow: UInt8) {
    cpu.pointee.zero = result
    cpu.pointee.negative = result
    cpu.pointee.overflow = overflow
    cpu.pointee.sign = result ^ overflow
  }

  /// Returns a sum and sets all flags.
  @inline(__always)
  func add(_ a: UInt8, _ b: UInt8, _ carry: UInt8) -> UInt8 {
    let result = a &+ b &+ carry
    let carries = a & b | (a | b) & ~result
    cpu.pointee.carry = carries &>> 7
    cpu.pointee.half = carries
    setFlags(result, overflow: (a ^ result) & (b ^ result))
    return result
  }

  /// Returns a difference and sets all flags; with `keepsZero`, a Z flag that is clear stays clear.
  @inline(__always)
  func subtract(_ a: UInt8, _ b: UInt8, _ borrow: UInt8, keepsZero: Bool = false) -> UInt8 {
    let result = a &- b &- borrow
    let borrows = ~a & b | (~a | b) & result
    let before = cpu.pointee.zero
    cpu.pointee.carry = borrows &>> 7
    cpu.pointee.half = borrows
    setFlags(result, overflow: (a ^ b) & (a ^ result))
    if keepsZero { cpu.pointee.zero = result | before }
    return result
  }

  /// Sets N, Z, V, S and C from the result of a 16-bit operation; H is unchanged.
  @inline(__always)
  func setWide(_ result: UInt16, overflow: UInt16, carry: UInt16) {
    cpu.pointee.zero = UInt8(truncatingIfNeeded: result | result &>> 8)
    cpu.pointee.negative = UInt8(truncatingIfNeeded: result &>> 8)
    cpu.pointee.overflow = UInt8(truncatingIfNeeded: overflow &>> 8)
    cpu.pointee.sign = UInt8(truncatingIfNeeded: (result ^ overflow) &>> 8)
    cpu.pointee.carry = UInt8(truncatingIfNeeded: carry &>> 15)
  }
}
