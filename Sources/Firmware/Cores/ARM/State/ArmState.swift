/// The register state of an ARM M-profile core, and the tables that instruction handlers read without a call.
///
/// The N, Z and V flags are stored as the results from which they derive, because that makes setting them cheap.
struct ArmState {
  /// R0 to R14, a write-only slot, and a slot that is always 0.
  ///
  /// R13 is the active stack pointer. Slot 15 receives discarded results; `pc` holds the program counter.
  var r = InlineArray<17, UInt32>(repeating: 0)
  /// The value whose top bit is the N flag.
  var negative: UInt32 = 0
  /// The value that is 0 if the Z flag is set.
  var zero: UInt32 = 1
  /// The C flag, 0 or 1.
  var carry: UInt32 = 0
  /// The value whose top bit is the V flag.
  var overflow: UInt32 = 0
  /// The Q flag, 0 or 1.
  var saturated: UInt32 = 0
  /// The four GE flags.
  var greaterEqual: UInt32 = 0

  /// The FPU registers as raw bits.
  var s = InlineArray<32, UInt32>(repeating: 0)
  /// FPSCR as read by VMRS.
  var fpscr: UInt32 = 0
  /// FPDSCR: the FPSCR of a new FPU context.
  var fpDefault: UInt32 = 0
  /// CONTROL.FPCA: `true` if the current context has used the FPU.
  var fpActive = false

  /// The address of the next instruction.
  var pc: UInt32 = 0
  /// ITSTATE before the next instruction.
  var it: UInt8 = 0
  /// EPSR.T; if `false`, the next instruction faults.
  var thumb = true
  /// The inactive stack pointer: PSP while R13 is MSP, and MSP while R13 is PSP.
  var otherStack: UInt32 = 0
  /// The limit of the main stack, which is the end of the variables below it; 0 disables the check.
  var stackLimit: UInt32 = 0
  /// `true` if R13 is the PSP.
  var usesProcessStack = false
  /// CONTROL.nPRIV.
  var unprivileged = false
  /// IPSR: the number of the active exception.
  var exception: UInt32 = 0
  /// PRIMASK, 0 or 1.
  var primask: UInt32 = 0
  /// FAULTMASK, 0 or 1.
  var faultmask: UInt32 = 0
  var basepri: UInt32 = 0
  /// `true` if the local exclusive monitor is in the exclusive state.
  var exclusive = false
  /// The event register of WFE.
  var event = false

  /// Cycles since the core was created.
  var cycles: UInt64 = 0
  /// The cycle at which the loop ends; 0 ends it after the current instruction.
  var limit: UInt64 = 0
  /// The request that the last instruction made to the core.
  var request = ArmRequest.none
  /// The address or value that belongs to the request.
  var requestValue: UInt32 = 0
  /// Cycles of a pipeline refill after a branch, including flash wait states.
  var refill: UInt64 = 2
  /// The number of executed handlers that do not belong to an instruction, namely those of undecoded slots and page
  /// ends.
  var overhead: UInt64 = 0

  /// CCR.DIV_0_TRP.
  var trapsDivision = false
  /// Address bits that must be 0 for a word access: 3 if unaligned accesses trap, otherwise 0.
  var alignedBits: UInt32 = 0
  /// `true` for ARMv6-M, which does not support unaligned accesses.
  var isBaseline = false

  /// The pages of plain memory from which the program may load on the fast path; `slowLoad` handles all other loads.
  let readable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The pages of plain memory to which the program may store on the fast path; `slowStore` handles all other stores.
  let writable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// The pages of decoded instructions to which a handler can branch without a call to the core.
  let decoded: UnsafeMutablePointer<UnsafeMutablePointer<ArmOp>?>
  /// The operation that is executed at an address without code, where it raises a fault.
  let stray: UnsafeMutablePointer<ArmOp>
  /// The core that the callbacks below receive; the core outlives this state.
  var owner: UnsafeRawPointer
  /// A callback for a load off the fast path; a negative result is an `ArmAccessError`.
  let slowLoad: @convention(c) (UnsafeRawPointer, UInt32, UInt32) -> Int64
  /// A callback for a store off the fast path; a negative result is an `ArmAccessError`.
  let slowStore: @convention(c) (UnsafeRawPointer, UInt32, UInt32, UInt32) -> Int64
  /// A callback for an FPU instruction that needs a new FPU context.
  let slowFloat: @convention(c) (UnsafeRawPointer) -> Void
  /// A callback for a branch to a page that is not in `decoded`.
  let slowJump: @convention(c) (UnsafeRawPointer, UInt32) -> UnsafeRawPointer

  /// CCR.UNALIGN_TRP; always `true` for ARMv6-M.
  var trapsUnaligned: Bool {
    get { alignedBits != 0 }
    set { alignedBits = newValue || isBaseline ? 3 : 0 }
  }
}

/// Condition codes, and XPSR and CONTROL as words.
extension ArmState {
  /// Returns whether a condition code passes.
  @inline(__always)
  func holds(_ condition: UInt8) -> Bool {
    let result =
      switch condition >> 1 {
      case 0: zero == 0
      case 1: carry != 0
      case 2: negative >> 31 != 0
      case 3: overflow >> 31 != 0
      case 4: carry != 0 && zero != 0
      case 5: (negative ^ overflow) >> 31 == 0
      case 6: zero != 0 && (negative ^ overflow) >> 31 == 0
      default: true
      }
    return condition & 1 != 0 && condition != 15 ? !result : result
  }

  /// APSR: N, Z, C, V, Q and GE.
  var flags: UInt32 {
    get {
      let nzcv = negative & 1 << 31 | (zero == 0 ? 1 << 30 : 0) | carry << 29
      return nzcv | (overflow >> 31) << 28 | saturated << 27 | greaterEqual << 16
    }
    set {
      setConditions(newValue)
      saturated = newValue >> 27 & 1
      greaterEqual = newValue >> 16 & 15
    }
  }

  /// Sets N, Z, C and V from the top four bits of a word.
  mutating func setConditions(_ word: UInt32) {
    negative = word
    zero = ~word >> 30 & 1
    carry = word >> 29 & 1
    overflow = word << 3
  }

  /// Returns ITSTATE in its XPSR bit positions.
  static func spread(_ it: UInt8) -> UInt32 {
    UInt32(it & 3) << 25 | UInt32(it >> 2) << 10
  }

  var xpsr: UInt32 {
    get { flags | exception | (thumb ? 1 << 24 : 0) | Self.spread(it) }
    set {
      flags = newValue
      exception = newValue & 0x1FF
      thumb = newValue >> 24 & 1 != 0
      let (low, high) = (newValue >> 25 & 3, newValue >> 8 & 0xFC)
      it = UInt8(low | high)
    }
  }

  var control: UInt32 {
    (unprivileged ? 1 : 0) | (usesProcessStack ? 2 : 0) | (fpActive ? 4 : 0)
  }

  /// Makes PSP or MSP the active stack pointer, R13.
  mutating func useProcessStack(_ uses: Bool) {
    guard uses != usesProcessStack else { return }
    usesProcessStack = uses
    (r[13], otherStack) = (otherStack, r[13])
  }
}

/// A function that executes an instruction: it receives the state and the operation, and returns the next operation.
typealias ArmHandler =
  @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> UnsafeRawPointer

/// A decoded instruction; a code page has one for each halfword.
struct ArmOp {
  var run: ArmHandler
  /// The immediate value, or the target address of a branch.
  var imm: UInt32 = 0
  /// The address of the instruction.
  var address: UInt32
  /// The number of the destination register D.
  ///
  /// Some handlers use the four register numbers for other fields of the encoding.
  var d: UInt8 = 0
  /// The number of the first operand register N.
  var n: UInt8 = 0
  /// The number of the second operand register M.
  var m: UInt8 = 0
  /// The number of the fourth register, A.
  var a: UInt8 = 0
  /// Further fields of the encoding, such as a shift, a carry or an opcode; each handler documents its use.
  var x: UInt8 = 0
  /// ITSTATE before the instruction; 0 outside an IT block.
  var it: UInt8 = 0
  /// The length of the instruction in halfwords, 1 or 2; 0 before it is decoded.
  var slots: UInt8 = 1
  /// Cycles of the instruction if it does not branch.
  var cycles: UInt8 = 1

  init(_ run: ArmHandler, at address: UInt32) {
    self.run = run
    self.address = address
  }
}

/// Rare events and actions that a handler leaves to the core, because the loop does not handle them.
enum ArmRequest: UInt8 {
  /// No request is pending.
  case none
  /// An undefined or UNPREDICTABLE instruction.
  case undefined
  /// An FPU instruction while CPACR disables the FPU.
  case noCoprocessor
  /// An instruction fetch while EPSR.T is clear.
  case invalidState
  /// A division by zero with CCR.DIV_0_TRP set.
  case divideByZero
  /// An unaligned access that faults.
  case unaligned
  /// A bus error of a load or store; the value is the address.
  case dataBus
  /// An MPU violation of a load or store; the value is the address.
  case dataProtection
  /// A bus error of an instruction fetch.
  case fetchBus
  /// An instruction fetch from an address that the MPU or the memory map marks as execute-never.
  case fetchProtection
  /// A breakpoint that a debugger has set.
  case halt
  /// The main stack has grown past its limit.
  case stackLimit
  /// SVC.
  case supervisorCall
  /// BKPT; the value is its immediate.
  case breakpoint
  /// A branch to an EXC_RETURN value.
  case exceptionReturn
  /// WFI.
  case waitForInterrupt
  /// WFE.
  case waitForEvent
  /// A change of a mask or priority that may affect which exception is taken next.
  case priorities
}
