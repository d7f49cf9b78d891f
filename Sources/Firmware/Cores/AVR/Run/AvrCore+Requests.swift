/// What instructions leave to the core, and interrupts.
extension AvrCore {
  /// Does what the last instruction asked for.
  func serve() -> AvrStop? {
    let request = state.pointee.request
    state.pointee.request = .none
    switch request {
    case .none: break
    case .enabled: holdsBack = true
    case .undefined:
      return .undefined(flashWord(Int(state.pointee.pc)))
    case .breakpoint: return .breakpoint
    case .sleep: isAsleep = peripherals.sleep()
    case .halt:
      haltedAt = state.pointee.pc
      return .halted
    case .stackFloor: hasPassedFloor = state.pointee.stackFloor != 0
    case .storeProgram:
      trace?.hasChanged = true
      let word = UInt16(state.pointee.data[0]) | UInt16(state.pointee.data[1]) << 8
      peripherals.storeProgram(self[pair: 30], word)
    }
    if state.pointee.isPastTop {
      // What pops stands before the place that the core has come to; a return has said where it stood.
      let place = state.pointee.lastReturn ?? state.pointee.pc &- 1
      (state.pointee.isPastTop, state.pointee.lastReturn) = (false, nil)
      return .stackTop(at: UInt32(place & state.pointee.wordMask) * 2)
    }
    if hasPassedFloor {
      hasPassedFloor = false
      return .stackFloor
    }
    if let hit = watchHit {
      watchHit = nil
      return .watched(hit)
    }
    return nil
  }

  /// Takes the first vector that asks, where I allows it.
  func takePending() -> Bool {
    guard requests != 0, state.pointee.interrupts, !holdsBack else { return false }
    let vector = requests.trailingZeroBitCount
    isAsleep = false
    trace?.hasChanged = true
    let back = state.pointee.pc
    push(UInt8(truncatingIfNeeded: back))
    push(UInt8(truncatingIfNeeded: back >> 8))
    state.pointee.interrupts = false
    state.pointee.pc =
      (vectors &+ UInt16(vector) &* model.vectorWords) & state.pointee.wordMask
    state.pointee.cycles &+= 4
    peripherals.acknowledge(vector)
    return true
  }

  private func push(_ value: UInt8) {
    let address = state.pointee.stack
    state.pointee.stack = address &- 1
    self[data: address] = value
    if address == state.pointee.stackFloor, address != 0 { hasPassedFloor = true }
  }

  /// WDR.
  func slowReset() {
    trace?.hasChanged = true
    peripherals.resetWatchdog()
  }

  /// Goes on behind a BREAK, as without a debugger: it takes a cycle and does nothing.
  package func passBreakpoint() {
    state.pointee.pc = (state.pointee.pc &+ 1) & state.pointee.wordMask
    state.pointee.cycles &+= 1
  }
}
