/// Reset.
extension ArmCore {
  /// Resets the core: it begins where the vectors at an address say.
  package func reset(vectors: UInt32 = 0) {
    interrupts.reset()
    tick = ArmSysTick()
    control = ArmControl()
    control.vectors = vectors
    protection = ArmProtection()
    hasNewRegions = true
    forgetDecoded()
    isAsleep = false
    (waitsForEvent, isDeeplyAsleep, isSettled) = (false, false, false)
    lockedBy = nil
    (stackFault, entered, haltedAt, watchHit) = (nil, nil, nil, nil)
    hasPassedFloor = false
    resetState()
    state.pointee.r[13] = (memory.read(vectors, bytes: 4) ?? 0) & ~3
    state.pointee.r[14] = 0xFFFF_FFFF
    begin(memory.read(vectors &+ 4, bytes: 4) ?? 0)
  }

  private func resetState() {
    for index in 0..<17 { state.pointee.r[index] = 0 }
    state.pointee.usesProcessStack = false
    state.pointee.otherStack = 0
    state.pointee.xpsr = 1 << 24
    (state.pointee.primask, state.pointee.faultmask, state.pointee.basepri) = (0, 0, 0)
    (state.pointee.unprivileged, state.pointee.fpActive) = (false, false)
    (state.pointee.fpscr, state.pointee.fpDefault) = (0, 0)
    (state.pointee.trapsDivision, state.pointee.trapsUnaligned) = (false, false)
    state.pointee.exclusive = false
    state.pointee.request = .none
  }

  /// Goes on where a vector says.
  func begin(_ vector: UInt32) {
    state.pointee.pc = vector & ~1
    state.pointee.thumb = vector & 1 != 0
    state.pointee.it = 0
  }
}
