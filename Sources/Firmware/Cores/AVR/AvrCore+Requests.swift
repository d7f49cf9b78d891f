/// Handling of interrupts, and of the requests that instruction handlers make to the core.
extension AvrCore {
  /// Serves the request of the last instruction; returns the stop reason if the run must end.
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
    case .stackLimit: hasPassedStackLimit = state.pointee.stackLimit != 0
    case .stackMove:
      if makesRoom(before: state.pointee.pc) {
        hasPassedStackLimit = true
      } else {
        state.pointee.stackLimit = 0
      }
    case .storeProgram:
      trace?.hasChanged = true
      let word = UInt16(state.pointee.data[0]) | UInt16(state.pointee.data[1]) << 8
      peripherals.storeProgram(self[pair: 30], word)
    }
    if state.pointee.isPastTop {
      // If POP read the stack, its address is one word before PC; RET and RETI have stored their address.
      let address = state.pointee.lastReturn ?? state.pointee.pc &- 1
      (state.pointee.isPastTop, state.pointee.lastReturn) = (false, nil)
      return .stackTop(at: UInt32(address & state.pointee.wordMask) * 2)
    }
    if hasPassedStackLimit {
      hasPassedStackLimit = false
      return .stackLimit
    }
    if let hit = watchHit {
      watchHit = nil
      return .watched(hit)
    }
    return nil
  }

  /// Takes the pending interrupt with the lowest vector number; returns `false` if no interrupt can be taken.
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

  /// The maximum number of words to search backwards for the instruction that reads SPL.
  private static let longestPrologue: UInt16 = 24

  /// Returns whether the instruction before an address, which writes SPL, allocates stack space.
  ///
  /// It does if the value was read from SPL and then changed only by arithmetic. A constant, or a value loaded from
  /// memory, is the address of a different stack.
  private func makesRoom(before next: UInt16) -> Bool {
    // The word before is OUT, or the second word of STS.
    let isWide = flashWord(Int(next) - 1) & 0xF800 != 0xB800
    let out = next &- (isWide ? 2 : 1)
    var register = flashWord(Int(out)) >> 4 & 31
    for distance in 1...Self.longestPrologue {
      let code = flashWord(Int(out) - Int(distance))
      let target = code >> 4 & 31
      switch code {
      case _ where code & 0xFE0F == 0xB60D:  // IN Rd, SPL
        if target == register { return true }
      case _ where code & 0xF000 == 0xE000:  // LDI
        if 16 + code >> 4 & 15 == register { return false }
      case _ where code & 0xFE00 == 0x9000 || code & 0xD200 == 0x8000:  // LD, LDS, POP; LDD
        if target == register { return false }
      case _ where code & 0xFF00 == 0x0100:  // MOVW
        if code >> 4 & 15 == register >> 1 { register = (code & 15) << 1 | register & 1 }
      case _ where code & 0xFC00 == 0x2C00:  // MOV
        if target == register { register = code & 15 | code >> 5 & 16 }
      case 0x9508, 0x9518: return false  // RET, RETI: another function
      default: break
      }
    }
    return false
  }

  private func push(_ value: UInt8) {
    let address = state.pointee.stack
    state.pointee.stack = address &- 1
    self[data: address] = value
    if address == state.pointee.stackLimit, address != 0 { hasPassedStackLimit = true }
  }

  /// Executes WDR, which restarts the watchdog timer.
  func slowReset() {
    trace?.hasChanged = true
    peripherals.resetWatchdog()
  }

  /// Moves PC past a BREAK, which takes one cycle and has no effect without a debugger.
  package func passBreakpoint() {
    state.pointee.pc = (state.pointee.pc &+ 1) & state.pointee.wordMask
    state.pointee.cycles &+= 1
  }
}

/// Rare events and actions that a handler leaves to the core, because the loop does not handle them.
enum AvrRequest: UInt8 {
  /// No request is pending.
  case none
  /// The program set the I flag; interrupts are taken after one more instruction.
  case enabled
  /// An undefined instruction.
  case undefined
  /// BREAK.
  case breakpoint
  /// A breakpoint that a debugger has set.
  case halt
  /// The stack has grown into the variables below it.
  case stackLimit
  /// The program set the stack pointer below the end of the variables, either to allocate stack space or to switch to
  /// a different stack.
  case stackMove
  case sleep
  /// SPM.
  case storeProgram
}
