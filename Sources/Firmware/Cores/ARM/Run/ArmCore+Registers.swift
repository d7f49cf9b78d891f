/// Register access between two runs.
extension ArmCore {
  /// A core register by number: 0 to 14 for R0 to R14, and 15 for the program counter.
  package subscript(register number: Int) -> UInt32 {
    get { number == 15 ? state.pointee.pc : state.pointee.r[number] }
    set {
      switch number {
      case 15:
        state.pointee.pc = newValue & ~1
        state.pointee.it = 0
      case 13: state.pointee.r[13] = newValue & ~3
      default: state.pointee.r[number] = newValue
      }
    }
  }

  /// An FPU register as raw bits.
  package subscript(float number: Int) -> UInt32 {
    get { state.pointee.s[number] }
    set { state.pointee.s[number] = newValue }
  }

  /// Special registers, which programs access by MRS and MSR.
  package enum Special: Sendable {
    /// MSP and PSP, one of which is R13.
    case mainStack, processStack
    case primask, basepri, faultmask, control
  }

  package subscript(special register: Special) -> UInt32 {
    get {
      switch register {
      case .mainStack, .processStack:
        isInUse(register) ? state.pointee.r[13] : state.pointee.otherStack
      case .primask: state.pointee.primask
      case .basepri: state.pointee.basepri
      case .faultmask: state.pointee.faultmask
      case .control: state.pointee.control
      }
    }
    set {
      isSettled = false
      switch register {
      case .mainStack, .processStack:
        if isInUse(register) {
          state.pointee.r[13] = newValue & ~3
        } else {
          state.pointee.otherStack = newValue & ~3
        }
      case .primask: state.pointee.primask = newValue & 1
      case .basepri: state.pointee.basepri = newValue & 0xFF
      case .faultmask: state.pointee.faultmask = newValue & 1
      case .control:
        state.pointee.unprivileged = newValue & 1 != 0
        if state.pointee.exception == 0 { state.pointee.useProcessStack(newValue & 2 != 0) }
        state.pointee.fpActive = newValue & 4 != 0 && model.hasFloat
      }
    }
  }

  private func isInUse(_ stack: Special) -> Bool {
    state.pointee.usesProcessStack == (stack == .processStack)
  }

  /// The lowest address to which the main stack may grow, which is the end of the variables below the stack.
  ///
  /// 0 disables the check. If an instruction or an exception frame grows the stack below the limit, the core stops
  /// after the instruction with `ArmStop/stackLimit`. Moves to R13 are not checked, because programs switch stacks
  /// that way.
  package var stackLimit: UInt32 {
    get { state.pointee.stackLimit }
    set {
      state.pointee.stackLimit = newValue
      discardDecoded()
    }
  }

  /// XPSR: flags, ITSTATE, T and the exception number.
  package var xpsr: UInt32 {
    get { state.pointee.xpsr }
    set { state.pointee.xpsr = newValue }
  }

  package var fpscr: UInt32 {
    get { state.pointee.fpscr }
    set { state.pointee.fpscr = newValue & 0xF7C0_009F }
  }

  /// CFSR.
  package var faults: UInt32 { control.faults }
  /// HFSR.
  package var hardFaults: UInt32 { control.hardFaults }
  /// BFAR.
  package var faultAddress: UInt32 { control.faultAddress }
  /// MMFAR.
  package var protectionAddress: UInt32 { control.protectionAddress }
  /// The number of the active exception; 0 in Thread mode.
  package var exception: Int { Int(state.pointee.exception) }

  /// Moves PC past the current instruction, such as a BKPT whose semihosting request has been served.
  package func skip(halfwords: Int = 1) {
    state.pointee.pc &+= UInt32(halfwords * 2)
    state.pointee.it = ArmDecoder.advance(state.pointee.it)
  }

  /// Enables the FPU in CPACR, as start-up code does.
  package func allowFloat() {
    control.coprocessors = 0xF0_0000
    state.pointee.fpActive = model.hasFloat
    discardDecoded()
  }

  /// Returns whether an encoding is UNPREDICTABLE.
  package static func isUnpredictable(
    first: UInt16, second: UInt16, it: UInt8, isBaseline: Bool = false
  ) -> Bool {
    let features = ArmDecoder.Features(isBaseline: isBaseline, hasFloat: !isBaseline)
    return ArmDecoder(first: first, second: second, address: 0, it: it, features: features)
      .isUnpredictable
  }
}
