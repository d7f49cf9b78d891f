/// The registers, for whoever looks at a core between two runs.
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

  /// A register of the FPU, as bits.
  package subscript(float number: Int) -> UInt32 {
    get { state.pointee.s[number] }
    set { state.pointee.s[number] = newValue }
  }

  /// The registers that only MRS and MSR reach.
  package enum Special: Sendable {
    /// The stack pointers of handlers and of threads; one of them is R13.
    case mainStack, processStack
    /// PRIMASK, BASEPRI, FAULTMASK and CONTROL.
    case primask, basepri, faultmask, control
  }

  /// A register that only MRS and MSR reach.
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

  /// The address below which the main stack must not grow, the end of the variables under it; 0 for nowhere.
  ///
  /// The instruction that makes it grow further stops the core, behind itself, with ``ArmStop/stackFloor``; so does an
  /// exception's frame. A main stack that is moved there by other instructions is not judged.
  package var stackFloor: UInt32 {
    get { state.pointee.stackFloor }
    set {
      state.pointee.stackFloor = newValue
      forgetDecoded()
    }
  }

  /// The flags, ITSTATE, T and the exception's number as one word.
  package var xpsr: UInt32 {
    get { state.pointee.xpsr }
    set { state.pointee.xpsr = newValue }
  }

  /// The status of the FPU.
  package var fpscr: UInt32 {
    get { state.pointee.fpscr }
    set { state.pointee.fpscr = newValue & 0xF7C0_009F }
  }

  /// CFSR: which faults there were; and HFSR.
  package var faults: UInt32 { control.faults }
  package var hardFaults: UInt32 { control.hardFaults }
  /// BFAR and MMFAR: where the last of them were.
  package var faultAddress: UInt32 { control.faultAddress }
  package var protectionAddress: UInt32 { control.protectionAddress }
  /// The exception that is handled; 0 is none.
  package var exception: Int { Int(state.pointee.exception) }

  /// Goes on behind an instruction at which the core stands: BKPT, once its request is done.
  package func skip(halfwords: Int = 1) {
    state.pointee.pc &+= UInt32(halfwords * 2)
    state.pointee.it = ArmDecoder.advance(state.pointee.it)
  }

  /// Lets programs use the FPU without asking CPACR first, as after a start-up code that has used it.
  package func allowFloat() {
    control.coprocessors = 0xF0_0000
    state.pointee.fpActive = model.hasFloat
    forgetDecoded()
  }

  /// Whether an instruction's result is left open by the architecture.
  package static func isUnpredictable(
    first: UInt16, second: UInt16, it: UInt8, isBaseline: Bool = false
  ) -> Bool {
    let features = ArmDecoder.Features(isBaseline: isBaseline, hasFloat: !isBaseline)
    return ArmDecoder(first: first, second: second, address: 0, it: it, features: features)
      .isUnpredictable
  }
}
