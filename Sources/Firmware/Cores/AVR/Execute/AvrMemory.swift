/// Loads and stores: of the data space, of I/O registers, of the flash.
enum AvrMemory {
  static let loadDirect: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.load(step.op.pointee.k)
    return step.next
  }
  static let storeDirect: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.store(step.op.pointee.k, step.d)
    return step.next
  }

  /// LD and LDD: `r` is the pair's first register, `k` what is added.
  static let load: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.load(step[pair: step.op.pointee.r] &+ step.op.pointee.k)
    return step.next
  }
  static let loadIncrementing: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let address = step[pair: step.op.pointee.r]
    let value = step.load(address)
    step[pair: step.op.pointee.r] = address &+ 1
    step.d = value
    return step.next
  }
  static let loadDecrementing: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let address = step[pair: step.op.pointee.r] &- 1
    step[pair: step.op.pointee.r] = address
    step.d = step.load(address)
    return step.next
  }
  static let store: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.store(step[pair: step.op.pointee.r] &+ step.op.pointee.k, step.d)
    return step.next
  }
  static let storeIncrementing: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let address = step[pair: step.op.pointee.r]
    step.store(address, step.d)
    step[pair: step.op.pointee.r] = address &+ 1
    return step.next
  }
  static let storeDecrementing: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let (address, value) = (step[pair: step.op.pointee.r] &- 1, step.d)
    step[pair: step.op.pointee.r] = address
    step.store(address, value)
    return step.next
  }

  static let push: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.push(step.d)
    return step.next
  }
  static let pop: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.pop()
    return step.next
  }

  @inline(__always)
  private static func flash(_ step: AvrStep, _ address: UInt16) -> UInt8 {
    if step.cpu.pointee.loadsSpecially {
      return step.cpu.pointee.slowLoadProgram(step.cpu.pointee.owner, address)
    }
    return step.cpu.pointee.flash[Int(address & (step.cpu.pointee.wordMask &* 2 &+ 1))]
  }
  static let loadProgram: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = flash(step, step[pair: 30])
    return step.next
  }
  static let loadProgramIncrementing: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let address = step[pair: 30]
    let value = flash(step, address)
    step[pair: 30] = address &+ 1
    step.d = value
    return step.next
  }
}
