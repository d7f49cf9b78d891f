/// The registers of an ARM core of the M profile, and what its instructions reach without a call.
///
/// Flags are kept as the results they follow from, so that setting them costs two stores.
struct ArmState {
  /// R0 to R14, one that nobody reads, and one that is always 0.
  ///
  /// R13 is the stack pointer in use; 15 takes results that nobody wants, since ``pc`` holds the real one.
  var r = InlineArray<17, UInt32>(repeating: 0)
  /// N is the highest bit.
  var negative: UInt32 = 0
  /// Z is set when this is 0.
  var zero: UInt32 = 1
  /// C, 0 or 1.
  var carry: UInt32 = 0
  /// V is the highest bit.
  var overflow: UInt32 = 0
  /// Q, 0 or 1.
  var saturated: UInt32 = 0
  /// GE, four bits.
  var greaterEqual: UInt32 = 0

  /// The registers of the FPU as bits.
  var s = InlineArray<32, UInt32>(repeating: 0)
  /// FPSCR without its flags' duplicates: as read by VMRS.
  var fpscr: UInt32 = 0
  /// FPDSCR: the FPSCR that an exception begins with.
  var fpDefault: UInt32 = 0
  /// CONTROL.FPCA: an instruction of the FPU has run.
  var fpActive = false

  /// The address of the next instruction.
  var pc: UInt32 = 0
  /// ITSTATE before the next instruction.
  var it: UInt8 = 0
  /// EPSR.T: a clear bit faults at the next instruction.
  var thumb = true
  /// The stack pointer that is not in use: PSP while R13 is MSP, and MSP while it is PSP.
  var otherStack: UInt32 = 0
  /// Where the main stack must not grow below: the end of the variables under it; 0 for nowhere.
  var stackFloor: UInt32 = 0
  /// Whether R13 is the PSP.
  var usesProcessStack = false
  /// CONTROL.nPRIV.
  var unprivileged = false
  /// IPSR: the number of the exception being handled.
  var exception: UInt32 = 0
  /// PRIMASK, 0 or 1.
  var primask: UInt32 = 0
  /// FAULTMASK, 0 or 1.
  var faultmask: UInt32 = 0
  /// BASEPRI.
  var basepri: UInt32 = 0
  /// The exclusive monitor is open.
  var exclusive = false
  /// The event register of WFE.
  var event = false

  /// Cycles since the reset.
  var cycles: UInt64 = 0
  /// The loop ends when the cycles have come here; 0 ends it after the instruction.
  var limit: UInt64 = 0
  /// What an instruction leaves to the core.
  var request = ArmRequest.none
  /// The address or value that goes with it.
  var requestValue: UInt32 = 0
  /// The cycles that a jump takes beyond its own: the pipeline is filled anew, from a memory that may wait.
  var refill: UInt64 = 2
  /// Slots that were not instructions: undecoded ones and ends of pages.
  var overhead: UInt64 = 0

  /// CCR.DIV_0_TRP.
  var trapsDivision = false
  /// Bits that the address of a word must not have: 3 where an access that is not aligned faults, else 0.
  var alignedBits: UInt32 = 0
  /// Whether the core is an ARMv6-M: no unaligned access.
  var isBaseline = false

  /// Pages of plain memory that the program may use as it runs now; the rest takes the way of ``slowLoad``.
  let readable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  let writable: UnsafeMutablePointer<UnsafeMutableRawPointer?>
  /// Pages of decoded instructions.
  let decoded: UnsafeMutablePointer<UnsafeMutablePointer<ArmOp>?>
  /// A slot for what is no instruction: its address faults.
  let stray: UnsafeMutablePointer<ArmOp>
  /// The core, for the calls below; it outlives the state.
  var owner: UnsafeRawPointer
  /// What is called when a load or store is not plain; negative results are an ``ArmRefusal``.
  let slowLoad: @convention(c) (UnsafeRawPointer, UInt32, UInt32) -> Int64
  let slowStore: @convention(c) (UnsafeRawPointer, UInt32, UInt32, UInt32) -> Int64
  /// What is called at an instruction of the FPU while its context is not the program's.
  let slowFloat: @convention(c) (UnsafeRawPointer) -> Void
  /// What is called when a jump leads to a page without decoded instructions.
  let slowJump: @convention(c) (UnsafeRawPointer, UInt32) -> UnsafeRawPointer

  /// CCR.UNALIGN_TRP; an ARMv6-M traps in any case.
  var trapsUnaligned: Bool {
    get { alignedBits != 0 }
    set { alignedBits = newValue || isBaseline ? 3 : 0 }
  }
}
