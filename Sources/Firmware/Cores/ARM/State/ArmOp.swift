/// A function that executes an instruction: it receives the state and the operation, and returns the next operation.
typealias ArmHandler =
  @convention(c) (UnsafeMutableRawPointer, UnsafeRawPointer) -> UnsafeRawPointer

/// A decoded instruction; a code page has one for each halfword.
struct ArmOp {
  /// The handler.
  var run: ArmHandler
  /// The immediate, or the address of a branch target.
  var imm: UInt32 = 0
  /// The address of the instruction.
  var address: UInt32
  /// Register numbers: destination, first operand, second operand, and a fourth register.
  var d: UInt8 = 0
  var n: UInt8 = 0
  var m: UInt8 = 0
  var a: UInt8 = 0
  /// Further fields of the encoding: a shift, a carry, an opcode.
  var x: UInt8 = 0
  /// ITSTATE before the instruction; 0 outside an IT block.
  var it: UInt8 = 0
  /// Halfwords of the instruction: 1 or 2; 0 while undecoded.
  var slots: UInt8 = 1
  /// Cycles of the instruction if it does not branch.
  var cycles: UInt8 = 1

  /// Creates an instruction.
  init(_ run: ArmHandler, at address: UInt32) {
    self.run = run
    self.address = address
  }
}

/// Rare actions that an instruction requests from the core after it, because the loop does not handle them.
enum ArmRequest: UInt8 {
  /// Nothing.
  case none
  /// An undefined or UNPREDICTABLE instruction.
  case undefined
  /// An FPU instruction while CPACR disables the FPU.
  case noCoprocessor
  /// EPSR.T is clear.
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
  /// A debugger's breakpoint.
  case halt
  /// The main stack has grown past its limit.
  case stackLimit
  /// SVC.
  case supervisorCall
  /// BKPT; the value is its immediate.
  case breakpoint
  /// A branch to an EXC_RETURN value.
  case exceptionReturn
  /// WFI and WFE.
  case waitForInterrupt
  case waitForEvent
  /// A change that may affect which exception is taken next.
  case priorities
}
