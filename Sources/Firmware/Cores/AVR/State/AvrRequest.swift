/// What an instruction asks of its core after it: the rare things that are not done inside the loop.
enum AvrRequest: UInt8 {
  /// Nothing.
  case none
  /// I has become set: interrupts are taken after one more instruction.
  case enabled
  /// An instruction that the core does not have.
  case undefined
  /// BREAK.
  case breakpoint
  /// A breakpoint of a debugger.
  case halt
  /// The stack has grown onto variables.
  case stackFloor
  /// The stack pointer was set below the variables' end: room on the stack, or another stack.
  case stackMove
  /// SLEEP.
  case sleep
  /// SPM.
  case storeProgram
}
