/// The end of an exception: the frame comes back, or the next exception takes it over.
extension ArmCore {
  private func pop(_ address: UInt32) -> UInt32 {
    let value = slowLoad(address, 4)
    if value >= 0 { return UInt32(truncatingIfNeeded: value) }
    stackFault = value == ArmRefusal.protection ? .protectedUnstacking : .unstacking
    return 0
  }

  /// Ends the handling of an exception: the frame comes back from the stack that the value names.
  func returnFromException(_ value: UInt32) {
    let number = Int(state.pointee.exception)
    let origin = value & 15
    let isKnown = [1, 9, 13].contains(origin) && interrupts.isActive(number)
    interrupts.setActive(number, false)
    if interrupts.isHigh(number) { pend(number) }
    if number != ArmInterrupts.nonMaskable { state.pointee.faultmask = 0 }
    guard isKnown else {
      state.pointee.r[14] = value
      return fault(.badReturn)
    }
    if let next = nextToTake {
      state.pointee.r[14] = value
      state.pointee.cycles &+= 6
      return take(next)
    }
    state.pointee.exception = origin == 1 ? state.pointee.exception : 0
    state.pointee.useProcessStack(origin == 13)
    unstack(isExtended: value & 16 == 0)
    state.pointee.exclusive = false
    state.pointee.event = true
    state.pointee.cycles &+= 10
    if let fault = stackFault {
      stackFault = nil
      return self.fault(fault)
    }
    if (origin == 1) == (state.pointee.exception == 0) { return fault(.badReturn) }
    if control.sleepsOnExit, state.pointee.exception == 0 { fallAsleep() }
  }

  private func unstack(isExtended: Bool) {
    let frame = state.pointee.r[13]
    for (index, register) in [0, 1, 2, 3, 12, 14].enumerated() {
      state.pointee.r[register] = pop(frame &+ UInt32(index * 4))
    }
    let pc = pop(frame &+ 24)
    let xpsr = pop(frame &+ 28)
    if isExtended { unstackFloats(at: frame &+ 32) }
    state.pointee.fpActive = isExtended
    let end = frame &+ (isExtended ? 0x68 : 0x20)
    state.pointee.r[13] = xpsr >> 9 & 1 != 0 && control.alignsStack ? end | 4 : end
    state.pointee.xpsr = xpsr
    state.pointee.pc = pc & ~1
  }

  /// The FPU's part of a frame: nothing where it was never written, since the registers are as they were.
  private func unstackFloats(at address: UInt32) {
    if control.floatContext & 1 != 0 {
      control.floatContext &= ~1
      return
    }
    for index in 0..<16 { state.pointee.s[index] = pop(address &+ UInt32(index * 4)) }
    state.pointee.fpscr = pop(address &+ 64) & 0xF7C0_009F
    state.pointee.cycles &+= 17
  }
}
