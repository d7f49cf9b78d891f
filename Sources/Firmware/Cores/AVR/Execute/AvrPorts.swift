/// IN, OUT and single bits of I/O registers; the stack pointer and SREG are the core's own.
enum AvrPorts {
  /// Where they lie in the data space.
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

  /// SBI and CBI: `d` is the register's address, `r` the bit's number.
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
