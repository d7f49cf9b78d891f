extension ArmStep {
  /// A register of the FPU.
  @inline(__always)
  func floats(_ number: UInt8) -> UInt32 { cpu.pointee.s[unchecked: Int(number)] }
  @inline(__always) var fn: UInt32 { floats(op.pointee.n) }
  @inline(__always) var fm: UInt32 { floats(op.pointee.m) }

  /// Writes the destination in the FPU.
  @inline(__always)
  func setFloat(_ value: UInt32) {
    beginFloat()
    cpu.pointee.s[unchecked: Int(op.pointee.d)] = value
  }

  /// What each instruction of the FPU does first.
  @inline(__always)
  func beginFloat() {
    if !cpu.pointee.fpActive { cpu.pointee.slowFloat(cpu.pointee.owner) }
  }

  /// Writes what an operation gives that rounds and raises flags.
  @inline(__always)
  func withStatus(_ body: (inout FloatStatus) -> UInt32) {
    beginFloat()
    var status = FloatStatus(word: cpu.pointee.fpscr)
    cpu.pointee.s[unchecked: Int(op.pointee.d)] = body(&status)
    cpu.pointee.fpscr = status.word
  }
}

extension FloatStatus {
  /// The difference; a NaN keeps its sign.
  mutating func subtract(_ a: UInt32, _ b: UInt32) -> UInt32 {
    Self.isNaN(b) ? add(a, b) : add(a, b ^ 0x8000_0000)
  }
}

/// Moves between the FPU, the core and memory.
enum FloatMoves {
  static let mask = 31

  /// VMOV to the FPU from D, and back.
  static let fromCore: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.beginFloat()
    step.cpu.pointee.s[unchecked: Int(step.op.pointee.n)] = step.d
    return step.next
  }
  static let toCore: ArmHandler = { cpu, op in
    let step = ArmStep(cpu, op)
    step.beginFloat()
    step.d = step.fn
    return step.next
  }

  /// Two registers of the core, D and A, and two of the FPU from M: `x` 1 to the core.
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

  /// VMRS; D 15 takes the flags.
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

  /// VLDR, VLDM, VSTR, VSTM: from register D on A words, at N and the constant; `x` bit 0 a load, bit 1 that N changes,
  /// bit 2 downwards.
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
