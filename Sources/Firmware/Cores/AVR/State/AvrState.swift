/// The registers of an AVR core, and what its instructions reach without a call.
///
/// Flags are kept as the results they follow from, so that setting them costs few stores.
struct AvrState {
  /// The data space: R0 to R31, I/O registers (whose bytes here nobody reads), RAM.
  let data: UnsafeMutablePointer<UInt8>
  /// The flash.
  let flash: UnsafeMutablePointer<UInt8>
  /// The decoded instructions, one for each word of the flash.
  let ops: UnsafeMutablePointer<AvrOp>
  /// The words of the flash less 1; it is a power of two.
  let wordMask: UInt16
  /// Where RAM begins in the data space, and its bytes.
  let ramStart: UInt16
  /// Less while somebody wants to see each access: 0.
  var ramCount: UInt16

  /// C, 0 or 1.
  var carry: UInt8 = 0
  /// Z is set when this is 0.
  var zero: UInt8 = 1
  /// N is the highest bit.
  var negative: UInt8 = 0
  /// V is the highest bit.
  var overflow: UInt8 = 0
  /// S is the highest bit.
  var sign: UInt8 = 0
  /// H is bit 3.
  var half: UInt8 = 0
  /// T, 0 or 1.
  var transfer: UInt8 = 0
  /// I.
  var interrupts = false
  /// LPM asks the peripherals.
  var loadsSpecially = false

  /// The stack pointer.
  var stack: UInt16 = 0
  /// The highest address of the variables below it; 0 for none, and while the program uses another stack.
  var stackFloor: UInt16 = 0
  /// The same, whichever stack is in use.
  var mainFloor: UInt16 = 0
  /// Where RAM ends above it: a read of the stack from there stops the core; the highest address for none.
  var stackTop: UInt16 = .max
  /// Such a read has happened.
  var isPastTop = false
  /// The address of the return that made it, in words; `nil` where it was no return.
  var lastReturn: UInt16?
  /// What it was before its high byte was written, and when that was.
  var stackBefore: UInt16 = 0
  var stackHighAt: UInt64 = 0
  /// When its low byte was written.
  var stackLowAt: UInt64 = 0
  /// The address of the next instruction, in words.
  var pc: UInt16 = 0
  /// What an instruction leaves to the core.
  var request = AvrRequest.none

  /// Cycles since the core was created.
  var cycles: UInt64 = 0
  /// The loop ends when the cycles have come here; 0 ends it after the instruction.
  var limit: UInt64 = 0
  /// Slots that were not instructions: undecoded ones.
  var overhead: UInt64 = 0

  /// The core, for the calls below; it outlives the state.
  var owner: UnsafeRawPointer
  /// What is called when a load or store is not of RAM.
  let slowLoad: @convention(c) (UnsafeRawPointer, UInt16) -> UInt8
  let slowStore: @convention(c) (UnsafeRawPointer, UInt16, UInt8) -> Void
  let slowChange: @convention(c) (UnsafeRawPointer, UInt16, UInt8, Bool) -> Void
  let slowLoadProgram: @convention(c) (UnsafeRawPointer, UInt16) -> UInt8
  let slowReset: @convention(c) (UnsafeRawPointer) -> Void
  /// What decodes the instruction at an address in words.
  let slowDecode: @convention(c) (UnsafeRawPointer, UInt16) -> UnsafeRawPointer
}

extension AvrState {
  /// SREG as it is read: C, Z, N, V, S, H, T, I from bit 0.
  var status: UInt8 {
    get {
      let signs = (negative & 0x80) &>> 5 | (overflow & 0x80) &>> 4 | (sign & 0x80) &>> 3
      return carry | (zero == 0 ? 2 : 0) | signs | (half & 8) &<< 2 | transfer &<< 6
        | (interrupts ? 0x80 : 0)
    }
    set {
      carry = newValue & 1
      zero = ~newValue & 2
      negative = newValue &<< 5
      overflow = newValue &<< 4
      sign = newValue &<< 3
      half = newValue &>> 2 & 8
      transfer = newValue &>> 6 & 1
      interrupts = newValue & 0x80 != 0
    }
  }
}

extension AvrState {
  /// Writes the low byte of the stack pointer.
  ///
  /// - Returns: whether it has come below the stack's end, together with a high byte that was written just before, as
  ///   compilers make room for a function's variables; a low byte alone, or one before the high byte, is how programs
  ///   switch between stacks.
  @inline(__always)
  mutating func setStackLow(_ value: UInt8) -> Bool {
    stack = stack & 0xFF00 | UInt16(value)
    if stackFloor != mainFloor, stack > mainFloor { stackFloor = mainFloor }
    stackLowAt = cycles
    // Between both stands SREG's restoration.
    guard stack < stackFloor, stackBefore >= stackFloor else { return false }
    return cycles &- stackHighAt <= 4
  }

  /// Writes the high byte of the stack pointer.
  @inline(__always)
  mutating func setStackHigh(_ value: UInt8) {
    (stackBefore, stackHighAt) = (stack, cycles)
    stack = stack & 0xFF | UInt16(value) &<< 8
    // The low byte first is how some programs switch.
    if stackFloor != mainFloor, stack > mainFloor, cycles &- stackLowAt <= 4 {
      stackFloor = mainFloor
    }
  }
}
