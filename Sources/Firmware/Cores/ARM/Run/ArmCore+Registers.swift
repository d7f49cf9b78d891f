/// Register access between two runs.
extension ArmCore {
  /// R0 to R14, and the program counter as 15.
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
    /// MSP and PSP; one of them is R13.
    case mainStack, processStack
    /// PRIMASK, BASEPRI, FAULTMASK and CONTROL.
    case primask, basepri, faultmask, control
  }

  /// A special register.
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

  /// The lowest address that the main stack may grow to, which is the end of the variables below it.
  ///
  /// 0 disables the check.
  ///
  /// The instruction or exception frame that grows the stack past it stops the core, after the instruction, with
  /// ``ArmStop/stackLimit``. A main stack that other instructions move below it is not checked.
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

  /// FPSCR.
  package var fpscr: UInt32 {
    get { state.pointee.fpscr }
    set { state.pointee.fpscr = newValue & 0xF7C0_009F }
  }

  /// CFSR and HFSR.
  package var faults: UInt32 { control.faults }
  package var hardFaults: UInt32 { control.hardFaults }
  /// BFAR and MMFAR.
  package var faultAddress: UInt32 { control.faultAddress }
  package var protectionAddress: UInt32 { control.protectionAddress }
  /// The number of the active exception; 0 in Thread mode.
  package var exception: Int { Int(state.pointee.exception) }

  /// Continues after the instruction at PC: BKPT, once its request has been served.
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
