/// Reset, exceptions with their frames, and the way back.
extension ArmCore {
  /// Resets the core: it begins where the vectors at an address say.
  package func reset(vectors: UInt32 = 0) {
    let cycles = state.pointee.cycles
    interrupts = ArmInterrupts(priorityBits: model.priorityBits)
    tick = ArmSysTick()
    control = ArmControl()
    control.vectors = vectors
    control.countStart = cycles
    forgetDecoded()
    isAsleep = false
    waitsForEvent = false
    lockedBy = nil
    for index in 0..<17 { state.pointee.r[index] = 0 }
    state.pointee.usesProcessStack = false
    state.pointee.otherStack = 0
    state.pointee.xpsr = 1 << 24
    (state.pointee.primask, state.pointee.faultmask, state.pointee.basepri) = (0, 0, 0)
    (state.pointee.unprivileged, state.pointee.fpActive) = (false, false)
    (state.pointee.fpscr, state.pointee.fpDefault) = (0, 0)
    (state.pointee.trapsDivision, state.pointee.trapsUnaligned) = (false, false)
    state.pointee.request = .none
    state.pointee.r[13] = (memory.read(vectors, bytes: 4) ?? 0) & ~3
    state.pointee.r[14] = 0xFFFF_FFFF
    begin(memory.read(vectors &+ 4, bytes: 4) ?? 0)
  }

  private func begin(_ vector: UInt32) {
    state.pointee.pc = vector & ~1
    state.pointee.thumb = vector & 1 != 0
    state.pointee.it = 0
  }

  private func push(_ value: UInt32, at address: UInt32) {
    if slowStore(address, value, 4) { return }
    control.faults |= 1 << ArmFault.stacking.rawValue
    hasStackFault = true
  }

  private func pop(_ address: UInt32) -> UInt32 {
    let value = slowLoad(address, 4)
    if value >= 0 { return UInt32(truncatingIfNeeded: value) }
    control.faults |= 1 << ArmFault.unstacking.rawValue
    hasStackFault = true
    return 0
  }

  /// Begins to handle an exception: a frame on the stack in use, and the handler's address.
  func enter(_ number: Int) {
    let isExtended = state.pointee.fpActive
    let before = state.pointee.r[13]
    let isOdd = control.alignsStack && before & 4 != 0
    var frame = before &- (isExtended ? 0x68 : 0x20)
    if control.alignsStack { frame &= ~7 }
    let xpsr = state.pointee.xpsr | (isOdd ? 1 << 9 : 0)
    state.pointee.r[13] = frame
    for (index, register) in [0, 1, 2, 3, 12, 14].enumerated() {
      push(state.pointee.r[register], at: frame &+ UInt32(index * 4))
    }
    push(state.pointee.pc, at: frame &+ 24)
    push(xpsr, at: frame &+ 28)
    if isExtended {
      for index in 0..<16 { push(state.pointee.s[index], at: frame &+ UInt32(32 + index * 4)) }
      push(state.pointee.fpscr, at: frame &+ 96)
      control.floatAddress = frame &+ 32
      state.pointee.fpscr = state.pointee.fpDefault
    }
    let origin: UInt32 =
      state.pointee.exception != 0 ? 1 : state.pointee.usesProcessStack ? 13 : 9
    state.pointee.r[14] = 0xFFFF_FFF0 & ~(isExtended ? 16 : 0) | origin
    state.pointee.useProcessStack(false)
    state.pointee.fpActive = false
    state.pointee.exception = UInt32(number)
    state.pointee.exclusive = false
    state.pointee.event = true
    state.pointee.cycles &+= 12
    interrupts.setPending(number, false)
    interrupts.setActive(number, true)
    isAsleep = false
    let vector = memory.read(control.vectors &+ UInt32(number * 4), bytes: 4)
    begin(vector ?? 0)
    finishStacking(number)
  }

  /// A stack that is not there: the handler is not begun, HardFault is.
  private func finishStacking(_ number: Int) {
    guard hasStackFault else { return }
    hasStackFault = false
    lastFault = .stacking
    if executionPriority <= -1 { lockedBy = .stacking } else { enter(ArmInterrupts.hardFault) }
  }

  /// Ends the handling of an exception: the frame comes back from the stack that the value names.
  func returnFromException(_ value: UInt32) {
    let number = Int(state.pointee.exception)
    let origin = value & 15
    let isExtended = value & 16 == 0
    let leavesNothing = [1, 9, 13].contains(origin) && interrupts.isActive(number)
    interrupts.setActive(number, false)
    if interrupts.isHigh(number) { pend(number) }
    if number != ArmInterrupts.nonMaskable { state.pointee.faultmask = 0 }
    guard leavesNothing else {
      state.pointee.r[14] = value
      return fault(.badReturn)
    }
    state.pointee.exception = origin == 1 ? state.pointee.exception : 0
    state.pointee.useProcessStack(origin == 13)
    let frame = state.pointee.r[13]
    for (index, register) in [0, 1, 2, 3, 12, 14].enumerated() {
      state.pointee.r[register] = pop(frame &+ UInt32(index * 4))
    }
    let pc = pop(frame &+ 24)
    let xpsr = pop(frame &+ 28)
    if isExtended {
      for index in 0..<16 { state.pointee.s[index] = pop(frame &+ UInt32(32 + index * 4)) }
      state.pointee.fpscr = pop(frame &+ 96) & 0xF7C0_009F
    }
    state.pointee.fpActive = isExtended
    let end = frame &+ (isExtended ? 0x68 : 0x20)
    state.pointee.r[13] = xpsr >> 9 & 1 != 0 && control.alignsStack ? end | 4 : end
    state.pointee.xpsr = xpsr
    state.pointee.pc = pc & ~1
    state.pointee.exclusive = false
    state.pointee.event = true
    state.pointee.cycles &+= 10
    if hasStackFault {
      hasStackFault = false
      return escalate(.unstacking)
    }
    if (origin == 1) == (state.pointee.exception == 0) { return fault(.badReturn) }
    if control.sleepsOnExit, state.pointee.exception == 0 { isAsleep = true }
  }
}
