/// Data processing of the FPU: D, N, M are its single registers.
enum FloatData {
  /// The numbers of the operations with two operands and, from 16, of those with one.
  static let mla: UInt8 = 0, mls: UInt8 = 1, nmls: UInt8 = 2, nmla: UInt8 = 3, mul: UInt8 = 4
  static let nmul: UInt8 = 5, add: UInt8 = 6, sub: UInt8 = 7, div: UInt8 = 8, fma: UInt8 = 9
  static let fms: UInt8 = 10, fnms: UInt8 = 11, fnma: UInt8 = 12
  static let sign: UInt32 = 0x8000_0000

  /// An operation by its number in `x`.
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

  /// VCMP and VCMPE: `x` bit 0 is E, bit 1 compares with 0.
  static let compare: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.beginFloat()
    var status = FloatStatus(word: step.cpu.pointee.fpscr)
    status.compare(
      step.floats(step.op.pointee.d), step.x & 2 != 0 ? 0 : step.fm, isQuiet: step.x & 1 == 0)
    step.cpu.pointee.fpscr = status.word
    return step.next
  }

  /// VCVT and VCVTR to integers and fixed point: `imm` is the fraction's bits, `x` bit 0 signed, bit 1 16 bits, bit 2
  /// rounds to zero, bit 3 a fixed-point number, which is written over 32 bits with its sign.
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

  /// VCVT from integers and fixed point, likewise.
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

  /// VCVTB and VCVTT: `x` bit 0 the upper half, bit 1 to a half.
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
