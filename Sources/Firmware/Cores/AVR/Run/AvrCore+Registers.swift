/// The registers, for whoever looks at a core between two runs.
extension AvrCore {
  /// R0 to R31.
  package subscript(register number: Int) -> UInt8 {
    get { state.pointee.data[number & 31] }
    set { state.pointee.data[number & 31] = newValue }
  }

  /// A pair of registers by its first: 26 is X, 28 is Y, 30 is Z.
  package subscript(pair number: Int) -> UInt16 {
    UInt16(self[register: number]) | UInt16(self[register: number + 1]) << 8
  }

  /// The address of the next instruction, in words.
  package var pc: UInt16 {
    get { state.pointee.pc }
    set { state.pointee.pc = newValue & state.pointee.wordMask }
  }

  /// The stack pointer.
  package var stack: UInt16 {
    get { state.pointee.stack }
    set { state.pointee.stack = newValue }
  }

  /// SREG: C, Z, N, V, S, H, T, I from bit 0.
  package var status: UInt8 {
    get { state.pointee.status }
    set { state.pointee.status = newValue }
  }

  /// Cycles since the core was created.
  package var cycles: UInt64 {
    get { state.pointee.cycles }
    set { state.pointee.cycles = newValue }
  }
}
