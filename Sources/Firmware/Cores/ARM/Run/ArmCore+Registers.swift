/// The registers, for whoever looks at a core between two runs.
extension ArmCore {
  /// R0 to R14, and the program counter as 15.
  package subscript(register number: Int) -> UInt32 {
    get { number == 15 ? state.pointee.pc : state.pointee.r[number] }
    set {
      switch number {
      case 15: state.pointee.pc = newValue & ~1
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

  /// Reads a byte as the program would; `nil` where nothing is.
  package func readByte(_ address: UInt32) -> UInt8? {
    let byte = slowLoad(address, 1)
    return byte < 0 ? nil : UInt8(truncatingIfNeeded: byte)
  }

  /// Writes a byte, into memory that programs cannot write as well; what was decoded from it is forgotten.
  package func writeByte(_ address: UInt32, _ value: UInt8) -> Bool {
    guard let region = memory.region(at: address), !region.isWritable else {
      return slowStore(address, UInt32(value), 1)
    }
    region.bytes.storeBytes(of: value, toByteOffset: Int(address &- region.base), as: UInt8.self)
    invalidate(address, count: 1)
    return true
  }

  /// CFSR: which faults there were.
  package var faults: UInt32 { control.faults }

  /// Lets programs use the FPU without asking CPACR first, as after a start-up code.
  package func allowFloat() {
    control.coprocessors = 0xF0_0000
    forgetDecoded()
  }

  /// Whether an instruction's result is left open by the architecture.
  package static func isUnpredictable(first: UInt16, second: UInt16, it: UInt8) -> Bool {
    ArmDecoder(first: first, second: second, address: 0, it: it).isUnpredictable
  }
}
