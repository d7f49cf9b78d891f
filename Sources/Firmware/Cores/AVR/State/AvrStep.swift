/// An instruction at work: the state and the decoded instruction, with short names for what instructions do.
struct AvrStep {
  let cpu: UnsafeMutablePointer<AvrState>
  let op: UnsafePointer<AvrOp>

  @inline(__always)
  init(_ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer) {
    self.cpu = cpu.assumingMemoryBound(to: AvrState.self)
    self.op = op.assumingMemoryBound(to: AvrOp.self)
  }

  /// The destination, also the first operand.
  @inline(__always) var d: UInt8 {
    get { cpu.pointee.data[Int(op.pointee.d)] }
    nonmutating set { cpu.pointee.data[Int(op.pointee.d)] = newValue }
  }
  /// The source.
  @inline(__always) var r: UInt8 { cpu.pointee.data[Int(op.pointee.r)] }
  /// The constant, as a byte.
  @inline(__always) var k: UInt8 { UInt8(truncatingIfNeeded: op.pointee.k) }

  /// The pair of registers that begins with a number.
  @inline(__always)
  subscript(pair number: UInt8) -> UInt16 {
    get {
      let place = cpu.pointee.data + Int(number)
      return UInt16(place[0]) | UInt16(place[1]) &<< 8
    }
    nonmutating set {
      let place = cpu.pointee.data + Int(number)
      place[0] = UInt8(truncatingIfNeeded: newValue)
      place[1] = UInt8(truncatingIfNeeded: newValue &>> 8)
    }
  }

  /// The instruction behind this one.
  @inline(__always) var next: UnsafeRawPointer {
    UnsafeRawPointer(op + Int(op.pointee.slots))
  }
  /// The instruction that lies as far away as this one says.
  @inline(__always) var far: UnsafeRawPointer {
    UnsafeRawPointer(op + Int(op.pointee.offset))
  }
  /// Its own address, in words.
  @inline(__always) var address: UInt16 {
    UInt16(truncatingIfNeeded: op - UnsafePointer(cpu.pointee.ops))
  }

  /// The instruction at an address in words.
  @inline(__always)
  func jump(_ target: UInt16) -> UnsafeRawPointer {
    UnsafeRawPointer(cpu.pointee.ops + Int(target & cpu.pointee.wordMask))
  }

  /// Leaves something to the core and stops at this instruction.
  @inline(never)
  func ask(_ request: AvrRequest) -> UnsafeRawPointer {
    cpu.pointee.request = request
    cpu.pointee.limit = 0
    return UnsafeRawPointer(op)
  }

  /// Leaves something to the core and stops behind this instruction.
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
    if stack == cpu.pointee.stackFloor { _ = ask(.stackFloor) }
  }

  @inline(__always)
  func pop() -> UInt8 {
    let stack = cpu.pointee.stack &+ 1
    cpu.pointee.stack = stack
    return load(stack)
  }

  /// Pushes the address behind this instruction: its low byte lies higher.
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
