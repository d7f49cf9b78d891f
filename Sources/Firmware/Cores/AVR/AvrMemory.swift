/// Loads and stores of the data space, of I/O registers and of the flash.
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

  /// LD and LDD, where `r` is the low register of the pointer and `k` is the displacement.
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

/// IN, OUT, SBI and CBI; the core itself contains the stack pointer and SREG.
enum AvrPorts {
  /// Addresses of SPL, SPH and SREG in the data space.
  static let stackLow: UInt16 = 0x5D, stackHigh: UInt16 = 0x5E, status: UInt16 = 0x5F

  static let input: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.cpu.pointee.slowLoad(step.cpu.pointee.owner, step.op.pointee.k)
    return step.next
  }
  static let output: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.slowStore(step.cpu.pointee.owner, step.op.pointee.k, step.d)
    return step.next
  }
  static let readStatus: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = step.cpu.pointee.status
    return step.next
  }
  static let writeStatus: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    let before = step.cpu.pointee.interrupts
    step.cpu.pointee.status = step.d
    return !before && step.cpu.pointee.interrupts ? step.askNext(.enabled) : step.next
  }
  static let readStackLow: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = UInt8(truncatingIfNeeded: step.cpu.pointee.stack)
    return step.next
  }
  static let readStackHigh: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.d = UInt8(truncatingIfNeeded: step.cpu.pointee.stack &>> 8)
    return step.next
  }
  static let writeStackLow: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    return step.cpu.pointee.setStackLow(step.d) ? step.askNext(.stackMove) : step.next
  }
  static let writeStackHigh: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.setStackHigh(step.d)
    return step.next
  }

  /// SBI and CBI, where `d` is the address of the I/O register and `r` is the bit number.
  static let setBit: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.slowChange(
      step.cpu.pointee.owner, UInt16(step.op.pointee.d), step.op.pointee.r, true)
    return step.next
  }
  static let clearBit: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.slowChange(
      step.cpu.pointee.owner, UInt16(step.op.pointee.d), step.op.pointee.r, false)
    return step.next
  }
}
