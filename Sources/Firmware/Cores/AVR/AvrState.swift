/// The register state of an AVR core, and the memory that its instructions access without a call.
///
/// Flags are stored as the results they derive from, so that setting them takes few stores.
struct AvrState {
  /// The data space: R0 to R31, I/O registers (whose bytes are unused), RAM.
  let data: UnsafeMutablePointer<UInt8>
  /// The flash.
  let flash: UnsafeMutablePointer<UInt8>
  /// The decoded instructions, one for each flash word.
  let ops: UnsafeMutablePointer<AvrOp>
  /// The flash size in words less 1; the size is a power of two.
  let wordMask: UInt16
  /// The first address of RAM in the data space, and its size in bytes.
  let ramStart: UInt16
  /// The size of RAM on the fast path; 0 while watchpoints need to see each access.
  var ramCount: UInt16

  /// C, 0 or 1.
  var carry: UInt8 = 0
  /// The result that is 0 if Z is set.
  var zero: UInt8 = 1
  /// The result whose top bit is N.
  var negative: UInt8 = 0
  /// The value whose top bit is V.
  var overflow: UInt8 = 0
  /// The value whose top bit is S.
  var sign: UInt8 = 0
  /// The value whose bit 3 is H.
  var half: UInt8 = 0
  /// T, 0 or 1.
  var transfer: UInt8 = 0
  /// I.
  var interrupts = false
  /// Whether LPM reads from the peripherals.
  var loadsSpecially = false

  /// The stack pointer.
  var stack: UInt16 = 0
  /// The highest address of the variables below the stack; 0 if there is no limit, or while the program uses another
  /// stack.
  var stackLimit: UInt16 = 0
  /// The limit of the main stack, regardless of the stack in use.
  var mainStackLimit: UInt16 = 0
  /// The address above the stack, where RAM ends: a read of the stack from there stops the core.
  ///
  /// `UInt16.max` disables the check.
  var stackTop: UInt16 = .max
  /// Whether the stack was read above its top.
  var isPastTop = false
  /// The word address of the return that did so; `nil` if it was no return.
  var lastReturn: UInt16?
  /// The stack pointer before its high byte was written, and the cycle of that write.
  var stackBefore: UInt16 = 0
  var stackHighAt: UInt64 = 0
  /// The cycle at which the low byte was written.
  var stackLowAt: UInt64 = 0
  /// The program counter, in words.
  var pc: UInt16 = 0
  /// The request of the last instruction to the core.
  var request = AvrRequest.none

  /// Cycles since the core was created.
  var cycles: UInt64 = 0
  /// The cycle at which the loop ends; 0 ends it after the current instruction.
  var limit: UInt64 = 0
  /// Executed slots that were not instructions because they were undecoded.
  var overhead: UInt64 = 0

  /// The core, for the callbacks below; it outlives the state.
  var owner: UnsafeRawPointer
  /// Callbacks for loads and stores outside RAM.
  let slowLoad: @convention(c) (UnsafeRawPointer, UInt16) -> UInt8
  let slowStore: @convention(c) (UnsafeRawPointer, UInt16, UInt8) -> Void
  let slowChange: @convention(c) (UnsafeRawPointer, UInt16, UInt8, Bool) -> Void
  let slowLoadProgram: @convention(c) (UnsafeRawPointer, UInt16) -> UInt8
  let slowReset: @convention(c) (UnsafeRawPointer) -> Void
  /// A callback that decodes the instruction at a word address.
  let slowDecode: @convention(c) (UnsafeRawPointer, UInt16) -> UnsafeRawPointer
}

extension AvrState {
  /// SREG as read: C, Z, N, V, S, H, T, I from bit 0.
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
  /// - Returns: whether the stack has grown past its limit, together with a high byte written just before, which is
  ///   how compilers allocate the local variables of a function. A low byte alone, or one before the high byte, is how
  ///   programs switch between stacks.
  @inline(__always)
  mutating func setStackLow(_ value: UInt8) -> Bool {
    stack = stack & 0xFF00 | UInt16(value)
    if stackLimit != mainStackLimit, stack > mainStackLimit { stackLimit = mainStackLimit }
    stackLowAt = cycles
    // SREG is restored between the two writes.
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
