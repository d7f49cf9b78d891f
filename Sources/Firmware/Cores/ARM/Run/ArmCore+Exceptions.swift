/// The beginning of an exception: its frame on the stack in use, and the handler's address.
extension ArmCore {
  /// Begins to handle an exception.
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

  /// A stack that is not there, or that is forbidden: the more urgent of the exception and the fault is handled on the
  /// frame that was not written, the other one waits.
  private func takeDerived(_ fault: ArmFault, insteadOf number: Int) {
    var other = fault.exception
    let isReady =
      interrupts.isEnabled(other)
      && interrupts.group(interrupts.priority(other)) < executionPriority
    if !isReady {
      control.hardFaults |= 1 << 30
      other = ArmInterrupts.hardFault
    }
    let isMoreUrgent =
      interrupts.group(interrupts.priority(other)) < interrupts.group(interrupts.priority(number))
    interrupts.setPending(isMoreUrgent ? number : other, true)
    take(isMoreUrgent ? other : number)
  }

  private func push(_ value: UInt32, at address: UInt32) {
    let done = slowStore(address, value, 4)
    if done < 0 {
      stackFault = done == ArmRefusal.protection ? .protectedStacking : .stacking
    }
  }

  /// Writes the frame, and the value in R14 by which the handler returns.
  private func stack() {
    let isExtended = state.pointee.fpActive
    let before = state.pointee.r[13]
    let isOdd = control.alignsStack && before & 4 != 0
    var frame = before &- (isExtended ? 0x68 : 0x20)
    if control.alignsStack { frame &= ~7 }
    let xpsr = state.pointee.xpsr | (isOdd ? 1 << 9 : 0)
    state.pointee.r[13] = frame
    if frame < state.pointee.stackFloor, before >= state.pointee.stackFloor,
      !state.pointee.usesProcessStack
    {
      hasPassedFloor = true
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

  /// The FPU's part of a frame: written at once, or left free until the FPU is used again.
  private func stackFloats(at address: UInt32) {
    guard !control.savesFloatsLate else {
      control.floatAddress = address
      control.floatContext = control.floatContext & 0xC000_0000 | lateFrame
      return
    }
    for index in 0..<16 { push(state.pointee.s[index], at: address &+ UInt32(index * 4)) }
    push(state.pointee.fpscr, at: address &+ 64)
    state.pointee.cycles &+= 17
  }

  /// What FPCCR says of a frame that is written late.
  private var lateFrame: UInt32 {
    typealias Late = ArmControl.LateFrame
    let now = executionPriority
    func isReady(_ number: Int) -> Bool { interrupts.group(interrupts.priority(number)) < now }
    var word = Late.isPending
    if !isPrivileged { word |= Late.user }
    if state.pointee.exception == 0 { word |= Late.thread }
    if now > -1 { word |= Late.hardFault }
    if interrupts.isEnabled(ArmInterrupts.memory), isReady(ArmInterrupts.memory) {
      word |= Late.memory
    }
    if interrupts.isEnabled(ArmInterrupts.bus), isReady(ArmInterrupts.bus) { word |= Late.bus }
    if control.debug >> 16 & 1 != 0, isReady(ArmInterrupts.monitor) { word |= Late.monitor }
    return word
  }

  /// Goes on in the handler of an exception, whose frame is there.
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
    hasFaulted = stopsAtFaults && ArmInterrupts.faults.contains(number)
    if let vector = memory.read(control.vectors &+ UInt32(number * 4), bytes: 4) {
      return begin(vector)
    }
    control.hardFaults |= 2
    lastFault = .vector
    if number == ArmInterrupts.hardFault || number == ArmInterrupts.nonMaskable {
      lockedBy = .vector
    } else {
      interrupts.setPending(number, true)
      interrupts.setActive(number, false)
      take(ArmInterrupts.hardFault)
    }
  }

  /// A more urgent exception before the first instruction of a handler takes over its frame (late arrival).
  func arriveLate(_ number: Int, insteadOf other: Int) {
    interrupts.setActive(other, false)
    interrupts.setPending(other, true)
    take(number)
  }
}
