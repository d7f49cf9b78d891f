/// Flags one by one, and what is about the core itself.
enum AvrControl {
  /// BSET by the number of the flag.
  static let set: [AvrHandler] = [
    { flag($0, $1) { $0.carry = 1 } }, { flag($0, $1) { $0.zero = 0 } },
    { flag($0, $1) { $0.negative = 0x80 } }, { flag($0, $1) { $0.overflow = 0x80 } },
    { flag($0, $1) { $0.sign = 0x80 } }, { flag($0, $1) { $0.half = 8 } },
    { flag($0, $1) { $0.transfer = 1 } },
    { cpu, op in
      let step = AvrStep(cpu, op)
      if step.cpu.pointee.interrupts { return step.next }
      step.cpu.pointee.interrupts = true
      return step.askNext(.enabled)
    },
  ]

  /// BCLR likewise.
  static let clear: [AvrHandler] = [
    { flag($0, $1) { $0.carry = 0 } }, { flag($0, $1) { $0.zero = 1 } },
    { flag($0, $1) { $0.negative = 0 } }, { flag($0, $1) { $0.overflow = 0 } },
    { flag($0, $1) { $0.sign = 0 } }, { flag($0, $1) { $0.half = 0 } },
    { flag($0, $1) { $0.transfer = 0 } }, { flag($0, $1) { $0.interrupts = false } },
  ]

  @inline(__always)
  private static func flag(
    _ cpu: UnsafeMutableRawPointer, _ op: UnsafeRawPointer, _ body: (inout AvrState) -> Void
  ) -> UnsafeRawPointer {
    let step = AvrStep(cpu, op)
    body(&step.cpu.pointee)
    return step.next
  }

  static let nothing: AvrHandler = { cpu, op in AvrStep(cpu, op).next }
  static let undefined: AvrHandler = { cpu, op in AvrStep(cpu, op).ask(.undefined) }
  static let breakpoint: AvrHandler = { cpu, op in AvrStep(cpu, op).ask(.breakpoint) }
  static let sleep: AvrHandler = { cpu, op in AvrStep(cpu, op).askNext(.sleep) }
  static let storeProgram: AvrHandler = { cpu, op in AvrStep(cpu, op).askNext(.storeProgram) }
  static let resetWatchdog: AvrHandler = { cpu, op in
    let step = AvrStep(cpu, op)
    step.cpu.pointee.slowReset(step.cpu.pointee.owner)
    return step.next
  }
}
