/// The register state of an AVR core, and the memory that instruction handlers access without a call.
///
/// Most flags are stored as the results from which they derive, because that makes setting them cheap.
struct AvrState {
  /// The data space, which consists of R0 to R31, the I/O registers (whose bytes here are unused) and RAM.
  let data: UnsafeMutablePointer<UInt8>
  let flash: UnsafeMutablePointer<UInt8>
  /// The decoded instructions, one for each flash word.
  let ops: UnsafeMutablePointer<AvrOp>
  /// The flash size in words minus 1; the size is a power of two.
  let wordMask: UInt16
  /// The first address of RAM in the data space.
  let ramStart: UInt16
  /// The size of the RAM on the fast path, in bytes; 0 while watchpoints or a loop analysis must check each access.
  var ramCount: UInt16

  /// The C flag, 0 or 1.
  var carry: UInt8 = 0
  /// The value that is 0 if the Z flag is set.
  var zero: UInt8 = 1
  /// The value whose top bit is the N flag.
  var negative: UInt8 = 0
  /// The value whose top bit is the V flag.
  var overflow: UInt8 = 0
  /// The value whose top bit is the S flag.
  var sign: UInt8 = 0
  /// The value whose bit 3 is the H flag.
  var half: UInt8 = 0
  /// The T flag, 0 or 1.
  var transfer: UInt8 = 0
  /// The I flag.
  var interrupts = false
  /// `true` if LPM reads from the peripherals instead of the flash.
  var loadsSpecially = false

  /// The stack pointer.
  var stack: UInt16 = 0
  /// The highest address of the variables below the stack.
  ///
  /// 0 if no limit is set, or while the program uses a different stack.
  var stackLimit: UInt16 = 0
  /// The limit of the main stack, whichever stack is in use.
  var mainStackLimit: UInt16 = 0
  /// The address above the stack, where RAM ends; a return or POP that reads it stops the core.
  ///
  /// `UInt16.max` disables the check.
  var stackTop: UInt16 = .max
  /// `true` if a return or POP read the stack above its top.
  var isPastTop = false
  /// The word address of the return instruction that read the stack above its top; `nil` if it was a POP.
  var lastReturn: UInt16?
  /// The stack pointer before the last write to its high byte.
  var stackBefore: UInt16 = 0
  /// The cycle of the last write to the high byte of the stack pointer.
  var stackHighAt: UInt64 = 0
  /// The cycle of the last write to the low byte of the stack pointer.
  var stackLowAt: UInt64 = 0
  /// The program counter, in words.
  var pc: UInt16 = 0
  /// The request that the last instruction made to the core.
  var request = AvrRequest.none

  /// Cycles since the core was created.
  var cycles: UInt64 = 0
  /// The cycle at which the loop ends; 0 ends it after the current instruction.
  var limit: UInt64 = 0
  /// The number of executed handlers that do not belong to an instruction, such as those of undecoded slots.
  var overhead: UInt64 = 0

  /// The core that the callbacks below receive; the core outlives this state.
  var owner: UnsafeRawPointer
  /// A callback for a load outside RAM.
  let slowLoad: @convention(c) (UnsafeRawPointer, UInt16) -> UInt8
  /// A callback for a store outside RAM.
  let slowStore: @convention(c) (UnsafeRawPointer, UInt16, UInt8) -> Void
  /// A callback for a change of one bit of an I/O register by SBI or CBI.
  let slowChange: @convention(c) (UnsafeRawPointer, UInt16, UInt8, Bool) -> Void
  /// A callback for LPM while `loadsSpecially` is set.
  let slowLoadProgram: @convention(c) (UnsafeRawPointer, UInt16) -> UInt8
  /// A callback for WDR.
  let slowReset: @convention(c) (UnsafeRawPointer) -> Void
  /// A callback that decodes the instruction at a word address.
  let slowDecode: @convention(c) (UnsafeRawPointer, UInt16) -> UnsafeRawPointer
}

extension AvrState {
  /// SREG, with C, Z, N, V, S, H, T and I in bits 0 to 7.
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
  /// - Returns: `true` if this write and a write to the high byte just before it have moved the stack past its limit.
  ///   Compilers allocate local variables with such a pair of writes; programs that switch stacks write the low byte
  ///   alone or first.
  @inline(__always)
  mutating func setStackLow(_ value: UInt8) -> Bool {
    stack = stack & 0xFF00 | UInt16(value)
    if stackLimit != mainStackLimit, stack > mainStackLimit { stackLimit = mainStackLimit }
    stackLowAt = cycles
    // Compilers restore SREG between the two writes.
    guard stack < stackLimit, stackBefore >= stackLimit else { return false }
    return cycles &- stackHighAt <= 4
  }

  /// Writes the high byte of the stack pointer.
  @inline(__always)
  mutating func setStackHigh(_ value: UInt8) {
    (stackBefore, stackHighAt) = (stack, cycles)
    stack = stack & 0xFF | UInt16(value) &<< 8
    // Some programs write the low byte first when they switch stacks.
    if stackLimit != mainStackLimit, stack > mainStackLimit, cycles &- stackLowAt <= 4 {
      stackLimit = mainStackLimit
    }
  }
}
