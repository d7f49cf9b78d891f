/// FPU data processing on the single-precision registers D, N and M.
enum FloatData {
  /// Values of `x` that select the operation of `arithmetic`.
  static let mla: UInt8 = 0, mls: UInt8 = 1, nmls: UInt8 = 2, nmla: UInt8 = 3, mul: UInt8 = 4
  static let nmul: UInt8 = 5, add: UInt8 = 6, sub: UInt8 = 7, div: UInt8 = 8, fma: UInt8 = 9
  static let fms: UInt8 = 10, fnms: UInt8 = 11, fnma: UInt8 = 12
  static let sign: UInt32 = 0x8000_0000

  /// The arithmetic operations, of which the opcode in `x` selects one.
  static let arithmetic: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let (d, n, m) = (step.floats(step.op.pointee.d), step.fn, step.fm)
    step.withStatus { status in
      switch step.x {
      case mla: return status.add(d, status.multiply(n, m))
      case mls: return status.add(d, status.multiply(n, m) ^ sign)
      case nmls: return status.add(d ^ sign, status.multiply(n, m))
      case nmla: return status.add(d ^ sign, status.multiply(n, m) ^ sign)
      case mul: return status.multiply(n, m)
      case nmul: return status.multiply(n, m) ^ sign
      case add: return status.add(n, m)
      case sub: return status.subtract(n, m)
      case div: return status.divide(n, m)
      case fma: return status.fuse(d, n, m)
      case fms: return status.fuse(d, n ^ sign, m)
      case fnms: return status.fuse(d ^ sign, n, m)
      default: return status.fuse(d ^ sign, n ^ sign, m)
      }
    }
    return step.next
  }

  @inline(__always)
  private static func each(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ body: (UInt32) -> UInt32
  ) -> UnsafeRawPointer {
    let step = ArmStep(cpu, op)
    step.setFloat(body(step.fm))
    return step.next
  }

  static let move: ArmHandler = { each($0, $1) { $0 } }
  static let abs: ArmHandler = { each($0, $1) { $0 & ~sign } }
  static let neg: ArmHandler = { each($0, $1) { $0 ^ sign } }
  static let constant: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.setFloat(step.imm)
    return step.next
  }
  static let root: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.withStatus { $0.root(step.fm) }
    return step.next
  }

  /// VCMP, or VCMPE if `x` bit 0 is set; bit 1 selects comparison with 0.
  static let compare: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.beginFloat()
    var status = FloatStatus(word: step.cpu.pointee.fpscr)
    status.compare(
      step.floats(step.op.pointee.d), step.x & 2 != 0 ? 0 : step.fm, isQuiet: step.x & 1 == 0)
    step.cpu.pointee.fpscr = status.word
    return step.next
  }

  /// VCVT and VCVTR to integer and fixed point: `imm` is the number of fraction bits.
  ///
  /// In `x`, bit 0 is set for a signed result, bit 1 for a 16-bit result, bit 2 to round towards zero, and bit 3 for
  /// fixed point. A 16-bit result is extended to 32 bits.
  static let toInteger: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let x = step.x
    step.withStatus { status in
      let value = status.integer(
        step.fm, fraction: Int(step.imm), bits: x & 2 != 0 ? 16 : 32, isSigned: x & 1 != 0,
        towardsZero: x & 4 != 0)
      guard x & 2 != 0 else { return value }
      return x & 1 != 0
        ? UInt32(bitPattern: Int32(Int16(truncatingIfNeeded: value))) : value & 0xFFFF
    }
    return step.next
  }

  /// VCVT from integer and fixed point.
  ///
  /// `imm` and `x` have the same meaning as in `toInteger`, except that bit 3 of `x` selects rounding to nearest.
  static let fromInteger: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let (x, bits) = (step.x, step.fm)
    let value: Int64 =
      switch x & 3 {
      case 0: Int64(bits)
      case 1: Int64(Int32(bitPattern: bits))
      case 2: Int64(bits & 0xFFFF)
      default: Int64(Int16(truncatingIfNeeded: bits))
      }
    step.withStatus { $0.float(value, fraction: Int(step.imm), toNearest: x & 8 != 0) }
    return step.next
  }

  /// VCVTB and VCVTT: `x` bit 0 selects the top halfword, and bit 1 selects conversion to half precision.
  static let halves: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let shift: UInt32 = step.x & 1 != 0 ? 16 : 0
    let old = step.floats(step.op.pointee.d)
    step.withStatus { status in
      guard step.x & 2 != 0 else { return status.float(half: step.fm >> shift & 0xFFFF) }
      return old & ~(0xFFFF << shift) | status.half(step.fm) << shift
    }
    return step.next
  }
}

extension ArmStep {
  /// Reads an FPU register.
  @inline(__always)
  func floats(_ number: UInt8) -> UInt32 { cpu.pointee.s[unchecked: Int(number)] }
  @inline(__always) var fn: UInt32 { floats(op.pointee.n) }
  @inline(__always) var fm: UInt32 { floats(op.pointee.m) }

  /// Writes the FPU destination register.
  @inline(__always)
  func setFloat(_ value: UInt32) {
    beginFloat()
    cpu.pointee.s[unchecked: Int(op.pointee.d)] = value
  }

  /// Prepares the FPU context, which every FPU instruction must do before it executes.
  @inline(__always)
  func beginFloat() {
    if !cpu.pointee.fpActive { cpu.pointee.slowFloat(cpu.pointee.owner) }
  }

  /// Executes an operation that rounds and may raise exception flags, and writes its result to D.
  @inline(__always)
  func withStatus(_ body: (inout FloatStatus) -> UInt32) {
    beginFloat()
    var status = FloatStatus(word: cpu.pointee.fpscr)
    cpu.pointee.s[unchecked: Int(op.pointee.d)] = body(&status)
    cpu.pointee.fpscr = status.word
  }
}

extension FloatStatus {
  /// Returns `a - b`; a NaN operand keeps its sign.
  mutating func subtract(_ a: UInt32, _ b: UInt32) -> UInt32 {
    Self.isNaN(b) ? add(a, b) : add(a, b ^ 0x8000_0000)
  }
}

/// Transfers between the FPU, the core registers and memory.
enum FloatMoves {
  static let mask = 31

  /// VMOV from core register D to FPU register N.
  static let fromCore: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.beginFloat()
    step.cpu.pointee.s[unchecked: Int(step.op.pointee.n)] = step.d
    return step.next
  }
  /// VMOV from FPU register N to core register D.
  static let toCore: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.beginFloat()
    step.d = step.fn
    return step.next
  }

  /// VMOV between core registers D and A and the FPU registers M and M + 1: `x` is 1 if the core registers are written.
  static let pair: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let first = Int(step.op.pointee.m)
    step.beginFloat()
    if step.x != 0 {
      step.d = step.cpu.pointee.s[unchecked: first & mask]
      step.a(set: step.cpu.pointee.s[unchecked: (first + 1) & mask])
    } else {
      step.cpu.pointee.s[unchecked: first & mask] = step.d
      step.cpu.pointee.s[unchecked: (first + 1) & mask] = step.a
    }
    return step.next
  }

  /// VMRS, which copies the condition flags to APSR if D is 15.
  static let readStatus: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.beginFloat()
    if step.op.pointee.d == 15 {
      step.cpu.pointee.setConditions(step.cpu.pointee.fpscr)
    } else {
      step.d = step.cpu.pointee.fpscr
    }
    return step.next
  }
  /// VMSR.
  static let writeStatus: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.beginFloat()
    step.cpu.pointee.fpscr = step.d & 0xF7C0_009F
    return step.next
  }

  /// VLDR, VLDM, VSTR and VSTM of A words, starting with FPU register D, at address N plus `imm`.
  ///
  /// In `x`, bit 0 is set for a load, bit 1 for write-back, and bit 2 to decrement the address.
  static let memory: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    let count = UInt32(step.op.pointee.a)
    let base = step.n
    var address = base &+ step.imm
    let end = step.x & 4 != 0 ? address : address &+ count &* 4
    guard step.isAligned(address) else { return op }
    step.beginFloat()
    for index in 0..<Int(count) {
      let register = (Int(step.op.pointee.d) + index) & mask
      if step.x & 1 != 0 {
        guard let value = step.load(address, UInt32.self) else { return op }
        step.cpu.pointee.s[unchecked: register] = value
      } else {
        guard step.store(address, step.cpu.pointee.s[unchecked: register], UInt32.self) else {
          return op
        }
      }
      address &+= 4
    }
    if step.x & 2 != 0 { step[step.op.pointee.n] = end }
    return step.next
  }
}
