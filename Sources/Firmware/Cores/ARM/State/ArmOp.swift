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
