/// Exception entry: stacking, and the fetch of the handler's address from the vector table.
extension ArmCore {
  /// Writes the exception frame and enters the handler of an exception.
  func enter(_ number: Int) {
    let isNested = executionPriority <= -1
    stack()
    state.pointee.cycles &+= 12
    guard let fault = stackFault else { return take(number) }
    stackFault = nil
    control.faults |= 1 << fault.rawValue
    lastFault = fault
    if isNested {
      lockedBy = fault
    } else {
      takeDerived(fault, insteadOf: number)
    }
  }

  /// Handles a fault that occurred while the exception frame was written (a derived exception).
  ///
  /// The core takes whichever of the exception and the fault is more urgent, without a valid frame. The less urgent of
  /// the two becomes pending.
  private func takeDerived(_ fault: ArmFault, insteadOf number: Int) {
    var other = fault.exception
    let isReady =
      interrupts.isEnabled(other)
      && interrupts.group(interrupts.priority(other)) < executionPriority
    if !isReady {
      control.hardFaults |= 1 << 30
      other = ArmNVIC.hardFault
    }
    let isMoreUrgent =
      interrupts.group(interrupts.priority(other)) < interrupts.group(interrupts.priority(number))
    interrupts.setPending(isMoreUrgent ? number : other, true)
    take(isMoreUrgent ? other : number)
  }

  private func push(_ value: UInt32, at address: UInt32) {
    let done = slowStore(address, value, 4)
    if done < 0 {
      stackFault = done == ArmAccessError.protection ? .protectedStacking : .stacking
    }
  }

  /// Writes the exception frame to the stack and EXC_RETURN to R14.
  private func stack() {
    let isExtended = state.pointee.fpActive
    let before = state.pointee.r[13]
    let isOdd = control.alignsStack && before & 4 != 0
    var frame = before &- (isExtended ? 0x68 : 0x20)
    if control.alignsStack { frame &= ~7 }
    let xpsr = state.pointee.xpsr | (isOdd ? 1 << 9 : 0)
    state.pointee.r[13] = frame
    if frame < state.pointee.stackLimit, before >= state.pointee.stackLimit,
      !state.pointee.usesProcessStack
    {
      hasPassedStackLimit = true
    }
    for (index, register) in [0, 1, 2, 3, 12, 14].enumerated() {
      push(state.pointee.r[register], at: frame &+ UInt32(index * 4))
    }
    push(state.pointee.pc, at: frame &+ 24)
    push(xpsr, at: frame &+ 28)
    if isExtended { stackFloats(at: frame &+ 32) }
    let origin: UInt32 =
      state.pointee.exception != 0 ? 1 : state.pointee.usesProcessStack ? 13 : 9
    state.pointee.r[14] = 0xFFFF_FFF0 & ~(isExtended ? 16 : 0) | origin
  }

  /// Stacks the FPU registers, or reserves their space for lazy stacking.
  private func stackFloats(at address: UInt32) {
    guard !control.usesLazyStacking else {
      control.floatAddress = address
      control.floatContext = control.floatContext & 0xC000_0000 | lazyFrame
      return
    }
    for index in 0..<16 { push(state.pointee.s[index], at: address &+ UInt32(index * 4)) }
    push(state.pointee.fpscr, at: address &+ 64)
    state.pointee.cycles &+= 17
  }

  /// The low bits of FPCCR that the core sets when it reserves a frame for lazy stacking.
  private var lazyFrame: UInt32 {
    typealias Lazy = ArmSCB.LazyFrame
    let now = executionPriority
    func isReady(_ number: Int) -> Bool { interrupts.group(interrupts.priority(number)) < now }
    var word = Lazy.isPending
    if !isPrivileged { word |= Lazy.user }
    if state.pointee.exception == 0 { word |= Lazy.thread }
    if now > -1 { word |= Lazy.hardFault }
    if interrupts.isEnabled(ArmNVIC.memory), isReady(ArmNVIC.memory) {
      word |= Lazy.memory
    }
    if interrupts.isEnabled(ArmNVIC.bus), isReady(ArmNVIC.bus) { word |= Lazy.bus }
    if control.debug >> 16 & 1 != 0, isReady(ArmNVIC.monitor) { word |= Lazy.monitor }
    return word
  }

  /// Starts the handler of an exception whose frame has been written.
  func take(_ number: Int) {
    state.pointee.useProcessStack(false)
    state.pointee.fpActive = false
    state.pointee.exception = UInt32(number)
    state.pointee.exclusive = false
    state.pointee.event = true
    interrupts.setPending(number, false)
    interrupts.setActive(number, true)
    isAsleep = false
    entered = number
    hasFaulted = stopsAtFaults && ArmNVIC.faults.contains(number)
    if let vector = memory.read(control.vectors &+ UInt32(number * 4), bytes: 4) {
      return begin(vector)
    }
    control.hardFaults |= 2
    lastFault = .vector
    if number == ArmNVIC.hardFault || number == ArmNVIC.nonMaskable {
      lockedBy = .vector
    } else {
      interrupts.setPending(number, true)
      interrupts.setActive(number, false)
      take(ArmNVIC.hardFault)
    }
  }

  /// Handles a late-arriving exception: it is more urgent than an exception whose handler has not executed yet, so it is
  /// taken first and uses the same frame.
  func arriveLate(_ number: Int, insteadOf other: Int) {
    interrupts.setActive(other, false)
    interrupts.setPending(other, true)
    take(number)
  }
}

/// Lazy stacking of the FPU registers.
extension ArmCore {
  /// Prepares the FPU for the first FPU instruction of a new context.
  ///
  /// If a frame is reserved for the FPU registers of the interrupted program, they are written to it first.
  func beginFloat() {
    if control.floatContext & ArmSCB.LazyFrame.isPending != 0 { writeLazyFrame() }
    guard control.floatContext >> 31 != 0 else { return }
    state.pointee.fpscr = state.pointee.fpscr & ~0x07C0_0000 | state.pointee.fpDefault
    state.pointee.fpActive = true
  }

  /// Writes the FPU registers to the reserved frame, with the access rights of the interrupted program.
  private func writeLazyFrame() {
    let rights = lateRights
    control.floatContext &= ~ArmSCB.LazyFrame.isPending
    state.pointee.cycles &+= 17
    for index in 0...16 {
      let address = control.floatAddress &+ UInt32(index * 4)
      let value = index < 16 ? state.pointee.s[index] : state.pointee.fpscr
      guard protection.allows(address, to: .store, by: rights) else {
        return lose(.lazyProtected, ArmSCB.LazyFrame.memory)
      }
      guard memory.write(address, value, bytes: 4) else {
        return lose(.lazy, ArmSCB.LazyFrame.bus)
      }
    }
  }

  private var lateRights: ArmMPU.Rights {
    let isUrgent = control.floatContext & ArmSCB.LazyFrame.hardFault == 0
    guard protection.isOn, protection.holdsInHardFault || !isUrgent else { return .unchecked }
    return control.floatContext & ArmSCB.LazyFrame.user == 0 ? .privileged : .unprivileged
  }

  /// Handles a fault during lazy stacking.
  ///
  /// The exception of the fault becomes pending, or HardFault if that exception could not be taken when the frame was
  /// reserved.
  private func lose(_ fault: ArmFault, _ isReady: UInt32) {
    control.faults |= 1 << fault.rawValue
    guard control.floatContext & isReady == 0 else { return pend(fault.exception) }
    control.hardFaults |= 1 << 30
    lastFault = fault
    pend(ArmNVIC.hardFault)
  }
}

/// Exception return: unstacking and tail-chaining.
extension ArmCore {
  private func pop(_ address: UInt32) -> UInt32 {
    let value = slowLoad(address, 4)
    if value >= 0 { return UInt32(truncatingIfNeeded: value) }
    stackFault = value == ArmAccessError.protection ? .protectedUnstacking : .unstacking
    return 0
  }

  /// Returns from an exception and restores the registers from the frame that EXC_RETURN selects.
  func returnFromException(_ value: UInt32) {
    let number = Int(state.pointee.exception)
    let origin = value & 15
    let isKnown = [1, 9, 13].contains(origin) && interrupts.isActive(number)
    interrupts.setActive(number, false)
    if interrupts.isHigh(number) { pend(number) }
    if number != ArmNVIC.nonMaskable { state.pointee.faultmask = 0 }
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

  /// Restores the FPU registers from the frame; they are unchanged if lazy stacking never wrote them.
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
