/// The FPU's part of a frame that is written when the FPU is used again.
extension ArmCore {
  /// What an instruction of the FPU needs first: the registers of an interrupted program in their frame, and a context
  /// of its own.
  func beginFloat() {
    if control.floatContext & ArmControl.LateFrame.isPending != 0 { writeLateFrame() }
    guard control.floatContext >> 31 != 0 else { return }
    state.pointee.fpscr = state.pointee.fpscr & ~0x07C0_0000 | state.pointee.fpDefault
    state.pointee.fpActive = true
  }

  /// Writes it with the rights of the program that was interrupted.
  private func writeLateFrame() {
    let rights = lateRights
    control.floatContext &= ~ArmControl.LateFrame.isPending
    state.pointee.cycles &+= 17
    for index in 0...16 {
      let address = control.floatAddress &+ UInt32(index * 4)
      let value = index < 16 ? state.pointee.s[index] : state.pointee.fpscr
      guard protection.allows(address, to: .store, by: rights) else {
        return lose(.lazyProtected, ArmControl.LateFrame.memory)
      }
      guard memory.write(address, value, bytes: 4) else {
        return lose(.lazy, ArmControl.LateFrame.bus)
      }
    }
  }

  private var lateRights: ArmProtection.Rights {
    let isUrgent = control.floatContext & ArmControl.LateFrame.hardFault == 0
    guard protection.isOn, protection.holdsInHardFault || !isUrgent else { return .unchecked }
    return control.floatContext & ArmControl.LateFrame.user == 0 ? .privileged : .unprivileged
  }

  /// The frame cannot be written: the exception that says so waits, or HardFault where that one could not have been
  /// taken when the frame was left.
  private func lose(_ fault: ArmFault, _ isReady: UInt32) {
    control.faults |= 1 << fault.rawValue
    guard control.floatContext & isReady == 0 else { return pend(fault.exception) }
    control.hardFaults |= 1 << 30
    lastFault = fault
    pend(ArmInterrupts.hardFault)
  }
}
