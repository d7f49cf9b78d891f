/// Requests that instructions leave to the core, and interrupts.
extension AvrCore {
  /// Serves the request of the last instruction.
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
      // A POP is at the word before PC; a return has stored its own address.
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

  /// Takes the pending interrupt with the lowest vector if the I flag is set.
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

  /// The maximum distance in words to search back for the read of the stack pointer.
  private static let longestPrologue: UInt16 = 24

  /// Returns whether the instruction before an address, which wrote SPL, allocates stack space.
  ///
  /// It does if the register it writes was read from SPL and has only been used in arithmetic since. A register that
  /// was loaded holds the address of another stack.
  private func makesRoom(before next: UInt16) -> Bool {
    // OUT, or the second word of STS.
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

  /// WDR.
  func slowReset() {
    trace?.hasChanged = true
    peripherals.resetWatchdog()
  }

  /// Continues after a BREAK, which without a debugger takes one cycle and has no effect.
  package func passBreakpoint() {
    state.pointee.pc = (state.pointee.pc &+ 1) & state.pointee.wordMask
    state.pointee.cycles &+= 1
  }
}

/// Rare actions that an instruction requests from the core after it, because the loop does not handle them.
enum AvrRequest: UInt8 {
  /// Nothing.
  case none
  /// The I flag was set: interrupts are taken after one more instruction.
  case enabled
  /// An undefined instruction.
  case undefined
  /// BREAK.
  case breakpoint
  /// A debugger's breakpoint.
  case halt
  /// The stack has grown onto the variables.
  case stackLimit
  /// The stack pointer was set below the end of the variables: either an allocation or a switch to another stack.
  case stackMove
  /// SLEEP.
  case sleep
  /// SPM.
  case storeProgram
}
